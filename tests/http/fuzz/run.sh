#!/bin/sh
# Requests made up from the API's own document, against a real daemon: every answer is one that the
# document describes.
#
#   sh tests/http/fuzz/run.sh BUILD_DIR [--long] [--seed=N] [--path=P]
#
# Installs fast-check and ajv into the build directory. Always the same requests, for 15 s at most;
# --long makes new ones for twenty minutes. A failure prints the smallest request that shows it, and
# the seed and the path that make it again. Exits 77 with the reason where it can't run.
set -eu
[ $# -ge 1 ] || { echo "usage: tests/http/fuzz/run.sh BUILD_DIR [--long] [--seed=N]" >&2; exit 2; }
source=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
work=$build/fuzz

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  echo "skipped: there is no node and npm"
  exit 77
fi
[ -x "$build/bin/iobenchd" ] || { echo "$build/bin/iobenchd isn't built" >&2; exit 1; }
mkdir -p "$work"
if ! cmp -s "$source/package-lock.json" "$work/installed.json"; then
  cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$work"
  (cd "$work" && npm ci --no-progress --loglevel=error)
  cp "$source/package-lock.json" "$work/installed.json"
fi
cp "$source"/*.mjs "$source/../../browser/daemon.mjs" "$work"
export IOBENCHD_BIN="$build/bin" FUZZ_SAMPLES="$source/../../data/fio"
exec node "$work/fuzz.mjs" "$@"
