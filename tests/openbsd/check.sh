#!/bin/sh
# Compiles every *_openbsd.cpp, without making code, against declarations after OpenBSD's manual
# pages: what only that system builds shall not rot where most people work.
set -eu
cd "$(dirname "$0")/../.."
compiler=${CXX:-clang++-16}
if ! command -v "$compiler" >/dev/null; then
  echo "skipped: $compiler is not installed"
  exit 77
fi
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
mkdir -p "$generated/daemon"
sed 's/@[A-Z_]*@/x/g' daemon/version.h.in >"$generated/daemon/version.h"
failed=0 checked=0
for source in $(find daemon storage api -name '*_openbsd.cpp' | sort); do
  checked=$((checked + 1))
  "$compiler" -fsyntax-only -std=c++20 -stdlib=libc++ -Wall -Wextra -Wpedantic -Wshadow \
    -Wconversion -Werror -isystem tests/openbsd/include -I. -I"$generated" "$source" || failed=1
done
if [ "$checked" -eq 0 ]; then
  echo "nothing to check: where did the *_openbsd.cpp files go?"
  exit 1
fi
[ "$failed" -eq 0 ] && echo "$checked files of OpenBSD's compile"
exit "$failed"
