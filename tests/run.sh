#!/bin/sh
# The test command: installs what is missing, builds every way there is, runs every test.
#
#   sh tests/run.sh [-y] [--quick]
#
# --quick (under 5 minutes) leaves out the slow ones and installs only what building, unit and HTTP
# tests need. At a terminal it asks before it installs; -y doesn't; elsewhere it never waits.
set -eu
cd "$(dirname "$0")/.."
. daemon/packages.sh

quick=no answer=ask
for argument in "$@"; do
  case $argument in
    -y) answer=yes ;;
    --quick) quick=yes ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "tests/run.sh: unknown option $argument (known: -y --quick)" >&2; exit 2 ;;
  esac
done

# build NAME [cmake option ...]: configures and builds one preset; its output only when it fails.
build() {
  preset=$1
  shift
  printf 'building %s ... ' "$preset"
  started=$(date +%s)
  mkdir -p build
  log=build/$preset.log
  if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset" -j "$jobs"; } >"$log" 2>&1
  then
    echo failed
    tail -n 60 "$log" >&2
    exit 1
  fi
  echo "$(($(date +%s) - started)) s"
}

if [ "$quick" = yes ]; then
  packages_install tests/run.sh "$answer" build quick
else
  packages_install tests/run.sh "$answer" build web test
fi
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || getconf NPROCESSORS_ONLN)

if [ "$quick" = yes ]; then
  build quick
  # One more than there are processors: engines are measured by the clock, which is waiting mostly.
  exec ctest --test-dir build/quick --output-on-failure --no-tests=error -LE slow -j "$((jobs + 1))"
fi
build test -DIOBENCHD_ALL_TESTS=ON
build sanitize
build openbsd
# Two at once: clang-tidy takes the processor time that the others, who wait much, leave over.
exec ctest --test-dir build/test --output-on-failure --no-tests=error -j 2
