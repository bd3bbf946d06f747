#!/bin/sh
# A disk whose engine hangs in the kernel keeps its lease, whatever becomes of the daemon: it is
# stuck, and its sweeps wait. The engine is played by flock(1), which holds the lease as that would.
# usage: stuck.sh BIN_DIR
set -eu
BIN=$1
. "$(dirname "$0")/daemon.sh"
command -v flock >/dev/null || { echo "skipped: no flock"; exit 77; }

body='{"size":"1m","ioengine":"null","numjobs":[1],"runtime":"100ms","ramp_time":"0s"}'
scratch_state() { curl -sS "$base/api/v1/targets" | jq -r '.items[] | select(.scratch).state'; }
scratch_is() { [ "$(scratch_state)" = "$1" ]; }
waits_for_the_disk() {
  sweep "$1" | jq -e '.state == "queued" and (.error | test("stuck"))' >/dev/null
}

start
id=$(post "$body")
wait_for 30 "the end of a sweep" state_is "$id" done
lease=$(ls "$home"/state/lease-* 2>/dev/null | head -n 1)
[ -n "$lease" ] || { echo "skipped: no physical disk is known under $home"; exit 77; }
scratch_is free || fail "the disk is $(scratch_state) after a sweep"

flock -x "$lease" sleep 600 &
holder=$!
trap 'kill $(pgrep -P "$holder") "$holder" 2>/dev/null || true; cleanup' EXIT
wait_for 10 "the lease to be held" sh -c "! flock -n '$lease' true"
id=$(post "$body")
wait_for 10 "a sweep that waits for the disk" waits_for_the_disk "$id"
scratch_is stuck || fail "the disk is $(scratch_state) while its lease is held"
"$BIN/iobench" status --server "$base" | grep -q "waiting .*stuck" ||
  fail "status doesn't say stuck"
for end in TERM KILL; do
  if [ "$end" = TERM ]; then stop TERM; else kill -9 "$launcher" $(family) || true; fi
  wait "$launcher" 2>/dev/null || true
  start
  wait_for 10 "a sweep that waits for the disk" waits_for_the_disk "$id"
  scratch_is stuck || fail "after SIG$end the disk is $(scratch_state)"
done
other=$(post "$body")
code=$(curl -sS -o /dev/null -w '%{http_code}' -X POST "$base/api/v1/sweeps/$other/cancel")
[ "$code" = 202 ] || fail "cancelling a sweep that waits answered $code"
wait_for 5 "the cancelled sweep" state_is "$other" cancelled
passed "a stuck disk is stuck over a stop and a kill, its sweeps wait, /targets and status say so"

kill $(pgrep -P "$holder") "$holder" 2>/dev/null || true
wait "$holder" 2>/dev/null || true
wait_for 60 "the sweep that waited" state_is "$id" done
wait_for 5 "a free disk" scratch_is free
stop TERM
passed "the engine ended at last: the disk is free, the sweep is done"
