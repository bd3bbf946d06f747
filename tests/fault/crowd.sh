#!/bin/sh
# 3000 idle clients, 64 silent ones, 64 slow readers and 200 slow senders, all at once, and an
# honest one between them; then 10 000 requests in a row that leave no descriptor and no memory
# behind.
# usage: crowd.sh BIN_DIR [--long]     --long: a minute, and /healthz within 100 ms
set -eu
BIN=$1 long=${2:-}
[ -x "$BIN/crowd" ] || { echo "skipped: $BIN/crowd isn't built"; exit 77; }
crowd=$BIN/crowd
. "$(dirname "$0")/daemon.sh"
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] ||
  { echo "skipped: $(ulimit -Hn) descriptors are too few for such a crowd"; exit 77; }

# The quiet bar is the promise; a test beside others only has to show that nobody is kept waiting.
if [ "$long" = --long ]; then seconds=60 bar_ms=100; else seconds=8 bar_ms=2000; fi
descriptors() { ls "/proc/$(service)/fd" | wc -l; }
pss_kib() { awk '/^Pss:/ { print $2 }' "/proc/$(service)/smaps_rollup"; }
of() { awk -v name="$1" '$1 == name { print $2 }' "$home/crowd"; }

start
"$crowd" "$port" "$seconds" 3000 64 64 200 >"$home/crowd" || fail "the crowd: $(cat "$home/crowd")"
[ "$(of lost)" = 0 ] || fail "an honest client got no answer: $(cat "$home/crowd")"
[ "$(of full)" = 0 ] || fail "an honest client was sent away: $(cat "$home/crowd")"
[ "$(of good)" -ge "$seconds" ] || fail "too few answers: $(cat "$home/crowd")"
awk -v worst="$(of worst_ms)" -v bar="$bar_ms" 'BEGIN { exit !(worst < bar) }' ||
  fail "/healthz took $(of worst_ms) ms, more than $bar_ms"
figure crowd_guests "$(of guests_at_once)"
figure WORST_healthz_ms "$(of worst_ms)"
passed "a crowd of $(of guests_at_once): $(of good) times /healthz, $(of worst_ms) ms at worst"

# The service is not dumpable: only root may look at what it holds.
ls "/proc/$(service)/fd" >/dev/null 2>&1 || {
  echo "skipped: what 10000 requests leave behind (root alone may look)"
  stop TERM
  exit 0
}
"$crowd" "$port" requests 1000 >"$home/crowd" || fail "requests: $(cat "$home/crowd")"
sleep 1  # the crowd's last sockets go
descriptors_before=$(descriptors)
pss_before=$(pss_kib)
"$crowd" "$port" requests 10000 >"$home/crowd" || fail "requests: $(cat "$home/crowd")"
sleep 1
grown_kib=$(($(pss_kib) - pss_before))
[ "$(descriptors)" -le "$descriptors_before" ] ||
  fail "10000 requests left $(($(descriptors) - descriptors_before)) descriptors open"
[ "$grown_kib" -lt 2048 ] || fail "10000 requests left $grown_kib KiB behind"
figure requests_in_a_row 10000
figure WORST_growth_kib "$grown_kib"
passed "10000 requests: no descriptor more, $grown_kib KiB"
stop TERM
