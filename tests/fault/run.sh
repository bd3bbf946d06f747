#!/bin/sh
# Breaks iobenchd in every way we could think of, and counts what it cost.
#
#   sh tests/fault/run.sh BIN_DIR [--long]
#
# BIN_DIR: of a build with IOBENCHD_FAILPOINTS=ON (the preset "test"), default build/test/bin.
# --long: every victim at every failpoint, 200 random instants, a crowd for a minute; its bars want
# a quiet machine.
set -eu
cd "$(dirname "$0")/../.."
BIN=build/test/bin long=
for argument in "$@"; do
  case $argument in
    --long) long=--long ;;
    -*) echo "tests/fault/run.sh: unknown option $argument (known: --long)" >&2; exit 2 ;;
    *) BIN=$argument ;;
  esac
done
[ -x "$BIN/iobenchd" ] || { echo "no $BIN/iobenchd: build it first" >&2; exit 2; }
BIN=$(cd "$BIN" && pwd)
for tool in jq pgrep curl setpriv; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

work=$(mktemp -d "${TMPDIR:-/var/tmp}/iobenchd-faults.XXXXXX")
trap 'rm -rf "$work"' EXIT
# Its own process group gets Ctrl-C as well; the parts clean up behind themselves.
trap 'wait; exit 130' INT TERM
FIGURES=$work/figures
export FIGURES
: >"$FIGURES"
began=$(date +%s)
failures=0

# part NAME COMMAND...: in the background, its words kept until it is over.
part() {
  name=$1
  shift
  {
    status=0
    sh "$@" >"$work/$name.out" 2>&1 || status=$?
    echo "$status" >"$work/$name.status"
  } &
  parts="$parts $name"
}

# over: waits for all parts and says what they said.
over() {
  wait
  for name in $parts; do
    status=$(cat "$work/$name.status")
    echo "--- $name"
    cat "$work/$name.out"
    [ "$status" = 0 ] || [ "$status" = 77 ] || failures=$((failures + 1))
  done
  parts=
}

# The crowd wants the machine for itself; the others mostly wait.
parts=
part crowd tests/fault/crowd.sh "$BIN" $long
over
part basic tests/fault/basic.sh "$BIN"
part kills tests/fault/kills.sh "$BIN" $long
part instants tests/fault/instants.sh "$BIN" "$([ -n "$long" ] && echo 200 || echo 40)"
part stuck tests/fault/stuck.sh "$BIN"
part false-engine tests/fault/false_engine.sh "$BIN" $long
part signals tests/fault/signals.sh "$BIN"
part surroundings tests/fault/surroundings.sh "$BIN"
over

echo "--- figures"
awk '
  /^WORST_/ {
    name = substr($1, 7) "_at_worst"
    if (!(name in sum) || $2 > sum[name]) sum[name] = $2
    next
  }
  { sum[$1] += $2 }
  END { for (name in sum) printf "%-28s %s\n", name, sum[name] }' "$FIGURES" | sort
echo "seconds                      $(($(date +%s) - began))"
[ "$failures" = 0 ] || { echo "$failures parts failed" >&2; exit 1; }
