#!/bin/sh
# The files that start the daemon, and its manuals, as the tools of their systems judge them.
set -eu
cd "$(dirname "$0")/../.."
failed=0
fail() {
  echo "$1" >&2
  failed=1
}

for script in rc.d/iobenchd rc.d/iobenchd.freebsd; do
  sh -n "$script" || fail "$script is no shell script"
  [ -x "$script" ] || fail "$script is not executable"
done
# rc.subr finds the daemon by its whole command line.
grep -q '^daemon="/usr/local/sbin/iobenchd"$' rc.d/iobenchd || fail "rc.d/iobenchd: daemon="
grep -q '^rc_cmd \$1$' rc.d/iobenchd || fail "rc.d/iobenchd does not end with rc_cmd"

if command -v mandoc >/dev/null; then
  # Our own manuals refer to each other before they are installed.
  complaints=$(mandoc -Tlint rc.d/man/* 2>&1 | grep -v 'referenced manual not found' || true)
  complaints=$(printf '%s\n' "$complaints" | grep -v 'outdated mandoc.db' | grep . || true)
  [ -z "$complaints" ] || fail "$complaints"
else
  echo "skipped the manuals: mandoc is not installed"
fi

if command -v systemd-analyze >/dev/null; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # verify wants a program that is there.
  sed 's|^ExecStart=.*|ExecStart=/bin/sh|' rc.d/iobenchd.service >"$folder/iobenchd.service"
  complaints=$(systemd-analyze verify --man=no "$folder/iobenchd.service" 2>&1 || true)
  complaints=$(printf '%s\n' "$complaints" | grep iobenchd.service || true)
  [ -z "$complaints" ] || fail "$complaints"
  exposure=$(systemd-analyze security --offline=true "$folder/iobenchd.service" 2>/dev/null |
    sed -n 's/.*Overall exposure level for iobenchd.service: \([0-9]*\)\.\([0-9]\).*/\1\2/p')
  echo "exposure: $exposure tenths"
  [ -n "$exposure" ] && [ "$exposure" -le 35 ] || fail "the unit leaves more open than it must"
else
  echo "skipped the unit: systemd-analyze is not installed"
fi
exit "$failed"
