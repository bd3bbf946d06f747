#!/bin/sh
# The engine links nothing but libc, libstdc++ and liburing: what isn't there can't be attacked.
# usage: engine_links.sh path/to/iobenchd-engine
set -eu
foreign=$(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -Ev '^(libc|libm|libgcc_s|libstdc\+\+|libc\+\+|libc\+\+abi|liburing|libpthread|ld-linux[a-z0-9-]*)\.so' || true)
[ -z "$foreign" ] || { echo "iobenchd-engine must not link: $foreign" >&2; exit 1; }
echo "iobenchd-engine links libc, libstdc++ and liburing alone"
