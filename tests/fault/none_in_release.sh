#!/bin/sh
# Failpoints are in the build that the fault tests break, and in no other: a release is built as the
# second one is, without IOBENCHD_FAILPOINTS, which CMake refuses to it.
# usage: none_in_release.sh WITH/iobenchd WITHOUT/iobenchd
set -eu
grep -q IOBENCHD_FAILPOINTS "$1" || { echo "$1 has no failpoints: nothing is tested" >&2; exit 1; }
[ -x "$2" ] || { echo "there is no $2" >&2; exit 1; }
! grep -q IOBENCHD_FAILPOINTS "$2" || { echo "$2 stops where a file says so" >&2; exit 1; }
jq -e '.configurePresets[] | select(.name == "release") | .cacheVariables |
  .CMAKE_BUILD_TYPE == "Release" and (has("IOBENCHD_FAILPOINTS") | not)' \
  "$(dirname "$0")/../../CMakePresets.json" >/dev/null ||
  { echo "the release preset speaks of failpoints" >&2; exit 1; }
echo "no failpoints but in the build that is broken"
