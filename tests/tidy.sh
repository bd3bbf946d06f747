#!/bin/sh
# clang-tidy over everything the given build compiles of our own sources.
# usage: tidy.sh BUILD_DIR
# It takes what processor time others leave: of the idle class, and in a session of its own, since
# Linux shares the processor out among sessions first.
set -eu
cd "$(dirname "$0")/.."
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || getconf NPROCESSORS_ONLN)
if [ "${2:-}" != idle ] && command -v setsid >/dev/null && command -v chrt >/dev/null; then
  exec setsid --wait chrt --idle 0 sh tests/tidy.sh "$1" idle
fi
echo 19 2>/dev/null >/proc/self/autogroup || true
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# g++ is asked to leave out a warning that clang never had. The analyzer follows 50 000 steps of a
# function, not 225 000: runner.cpp alone took 45 s, and takes 14.
if ! run-clang-tidy-16 -quiet -extra-arg=-Wno-unknown-warning-option -extra-arg=-Xclang \
  -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=max-nodes=50000 -p "$1" -j "$jobs" \
  "$(pwd)/(daemon|api|storage)/.*\.cpp$" >"$log" 2>&1
then
  grep -E '(warning|error):' -A 4 "$log" | head -n 200 >&2
  exit 1
fi
echo "clang-tidy: $(grep -c 'clang-tidy' "$log") files, nothing found"
