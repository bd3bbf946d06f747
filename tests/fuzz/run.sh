#!/bin/sh
# Fuzzes everything that reads bytes of somebody else, with libFuzzer under the sanitizers.
#   sh tests/fuzz/run.sh BIN_DIR [--long] [--keep] [TARGET...]
# 20 seconds a target, two at a time; --long: 600. What is found new is thrown away, unless --keep
# merges it into the corpus beside this script: commit that. An input that breaks something is kept
# in BIN_DIR/../fuzz, and how to run it again is printed.
set -eu

[ $# -ge 1 ] && [ -d "$1" ] || { sed -n '2,7s/^# *//p' "$0" >&2; exit 2; }
bin=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
seconds=20 keep=no targets=
for argument in "$@"; do
  case $argument in
    --long) seconds=600 ;;
    --keep) keep=yes ;;
    -*) echo "fuzz/run.sh: unknown option $argument (known: --long --keep)" >&2; exit 2 ;;
    *) targets="$targets $argument" ;;
  esac
done
[ -n "$targets" ] || targets="front sweep query access config imports jobfile frame"
[ -x "$bin/iobenchd-fuzz" ] || {
  echo "skipped: no iobenchd-fuzz in $bin (clang alone has libFuzzer)"
  exit 77
}

found=$bin/../fuzz
room=$(mktemp -d "${TMPDIR:-/tmp}/iobenchd-fuzz.XXXXXX")
trap 'rm -rf "$room"' EXIT
trap 'exit 130' INT TERM

# The seeds of a target: its corpus, and what the repo has of its kind anyhow.
seeds() {
  mkdir -p "$room/$1/new" "$room/$1/seeds"
  cp tests/fuzz/corpus/"$1"/* "$room/$1/seeds/" 2>/dev/null || true
  case $1 in
    config) cp rc.d/iobenchd.conf "$room/$1/seeds/" ;;
    imports) # the first byte chooses the reader: csv, own export, fio's JSON, terse
      for file in storage/baselines/*.csv; do with_first 0 "$file"; done
      for file in tests/data/fio/*.json; do with_first 2 "$file"; done
      for file in tests/data/fio/*.terse; do with_first 3 "$file"; done
      ;;
  esac
}
with_first() {
  { printf %s "$1"; cat "$2"; } >"$room/imports/seeds/${2##*/}"
}

fuzz() {
  seeds "$1"
  mkdir -p "$found"
  # Documents of 64 KiB reach everything; a target that needs 5 s or 2 GiB for one has a hole.
  if ! "$bin/iobenchd-fuzz" "--target=$1" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 \
    -max_len=65536 -print_final_stats=1 -artifact_prefix="$found/$1-" \
    "$room/$1/new" "$room/$1/seeds" >"$room/$1/log" 2>&1
  then
    {
      echo "FAILED: $1"
      grep -vE '^#[0-9]+' "$room/$1/log" | head -n 60
      echo "again: $bin/iobenchd-fuzz --target=$1 $found/$1-..."
    } >"$room/$1/failed"
    return
  fi
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$room/$1/log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$room/$1/log" | tail -n 1)
  echo "ok: $1: $runs inputs, $edges edges, $(ls "$room/$1/new" | wc -l) new" >"$room/$1/passed"
  [ "$keep" = no ] ||
    "$bin/iobenchd-fuzz" "--target=$1" -merge=1 tests/fuzz/corpus/"$1" "$room/$1/new" \
      >/dev/null 2>&1
}

set -- $targets
while [ $# -gt 0 ]; do
  fuzz "$1" &
  first=$!
  second=
  [ $# = 1 ] || { fuzz "$2" & second=$!; shift; }
  shift
  wait "$first"
  [ -z "$second" ] || wait "$second"
done
status=0
for target in $targets; do
  cat "$room/$target/passed" 2>/dev/null || { cat "$room/$target/failed" >&2; status=1; }
done
exit $status
