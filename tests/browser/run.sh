#!/bin/sh
# The dashboard in a real browser, against a real daemon: tests/browser/run.sh BUILD_DIR.
# Installs playwright-core into the build directory (Debian's Chromium is the browser; CHROMIUM
# names another), leaves screenshots in BUILD_DIR/browser/screenshots. Exits 77 with the reason
# where it can't run.
set -eu
[ $# -eq 1 ] || { echo "usage: tests/browser/run.sh BUILD_DIR" >&2; exit 2; }
source=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$build/browser

skip() {
  echo "skipped: $*"
  exit 77
}

command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || skip "there is no node and npm"
if [ -z "${CHROMIUM:-}" ]; then
  for program in chromium chromium-browser chrome google-chrome; do
    CHROMIUM=$(command -v "$program") && break
  done
fi
[ -n "${CHROMIUM:-}" ] || skip "there is no chromium; install it or name one in CHROMIUM"
[ -x "$build/bin/iobenchd" ] || { echo "$build/bin/iobenchd isn't built" >&2; exit 1; }
if grep -q '^IOBENCHD_WEB:BOOL=OFF' "$build/CMakeCache.txt"; then
  skip "this build holds no dashboard"
fi

mkdir -p "$work"
if ! cmp -s "$source/package-lock.json" "$work/installed.json"; then
  cp "$source/package.json" "$source/package-lock.json" "$source/.npmrc" "$work"
  (cd "$work" && npm ci --no-progress --loglevel=error)
  cp "$source/package-lock.json" "$work/installed.json"
fi
cp "$source"/*.mjs "$work"
cd "$work"
CHROMIUM=$CHROMIUM IOBENCHD_BIN=$build/bin exec node --test dashboard.test.mjs token.test.mjs
