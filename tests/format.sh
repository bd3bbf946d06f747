#!/bin/sh
# Every C++ file is laid out as .clang-format says; the lines that differ are named.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.cpp' '*.h' | xargs clang-format-16 --dry-run --Werror
echo "layout as .clang-format says"
