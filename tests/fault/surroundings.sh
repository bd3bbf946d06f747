#!/bin/sh
# Surroundings that nobody would choose: 128 descriptors, 512 KiB of stack for every thread, a log
# that can't be written, a clock that jumps.
# usage: surroundings.sh BIN_DIR
set -eu
BIN=$1
[ ! -x "$BIN/crowd" ] || crowd=$BIN/crowd
. "$(dirname "$0")/daemon.sh"

body='{"size":"1m","ioengine":"psync","numjobs":[1,2],"order":"given","runtime":"200ms",
  "ramp_time":"0s","rate_iops":500}'
measures() {
  id=$(post "$body")
  wait_for 60 "the end of a sweep" state_is "$id" done
  [ "$(sweep "$id" | jq .runs_failed)" = 0 ] || fail "$1: runs failed"
  passed "$1: a sweep is measured"
}

# --- 128 descriptors, and a hundred clients that want them all
(
  trap end_launcher EXIT
  ulimit -S -n 128
  start
  "${crowd:-true}" "$port" 12 100 10 5 10 >"$home/crowd" &
  measures "128 descriptors and 125 clients"
  wait $!
  [ ! -s "$home/crowd" ] || [ "$(awk '$1 == "lost" { print $2 }' "$home/crowd")" = 0 ] ||
    fail "128 descriptors: an honest client got no answer: $(cat "$home/crowd")"
  stop TERM
)

# --- 512 KiB of stack, as OpenBSD's threads have: what recurses is given the worst
(
  trap end_launcher EXIT
  ulimit -s 512
  start
  measures "512 KiB of stack"
  deep=$(printf '%8000s' '' | tr ' ' '[')
  for request in "POST /api/v1/sweeps" "POST /api/v1/imports"; do
    code=$(curl -sS -o /dev/null -w '%{http_code}' -X "${request% *}" "$base${request#* }" \
      -H 'Content-Type: application/json' -d "{\"bs\": $deep}")
    [ "$code" = 400 ] || [ "$code" = 422 ] || fail "8000 brackets to $request: $code"
  done
  code=$(curl -sS -o /dev/null -w '%{http_code}' "$base/$(printf '%8000s' '' | tr ' ' a)")
  [ "$code" = 414 ] || fail "a path of 8000 letters: $code"
  code=$(curl -sS -o /dev/null -w '%{http_code}' "$base/api/v1/openapi.json" \
    -H "Range: bytes=$(printf '%7000s' '' | sed 's/ /0-,/g')0")
  [ "$code" = 200 ] || [ "$code" = 431 ] || fail "7000 ranges: $code"
  for format in json csv fio job md html; do
    curl -sSf -o /dev/null "$base/api/v1/sweeps/$id/export?format=$format" || fail "export $format"
  done
  curl -sSf "$base/api/v1/sweeps/$id/export?format=json" >"$home/export"
  code=$(curl -sS -o /dev/null -w '%{http_code}' -X POST "$base/api/v1/imports" \
    -H 'Content-Type: application/json' --data-binary "@$home/export")
  [ "$code" = 409 ] || fail "the import of what is here already: $code"
  healthy || fail "512 KiB of stack: the service is gone"
  stop TERM
  passed "512 KiB of stack: deep JSON, long paths, exports and an import"
)

# --- a log without room, and one that nobody reads
(
  trap end_launcher EXIT
  log=/dev/full
  start
  measures "a full device for the log"
  stop TERM
)
mkfifo "$home/fifo"
(
  sleep 100 <"$home/fifo" &
  reader=$!
  trap 'end_launcher; kill "$reader" 2>/dev/null || true' EXIT
  log=$home/fifo
  start -v
  # Far more lines than a pipe holds.
  i=0
  while [ $i -lt 40 ]; do
    curl -sS -m 5 -o /dev/null "$base/healthz?$i=[1-50]" ||
      fail "nobody answers once the pipe is full"
    i=$((i + 1))
  done
  measures "a log that nobody reads"
  stop TERM
)

# --- a clock that jumps, there and back, in the middle of a sweep
library=$(ls /usr/lib/*/faketime/libfaketime.so.1 2>/dev/null | head -n 1)
if [ -z "$library" ]; then
  echo "skipped: no libfaketime for the clock that jumps"
  exit 0
fi
set_clock() {
  echo "$1" >"$home/state/clock.new"
  chmod 0644 "$home/state/clock.new"
  mv "$home/state/clock.new" "$home/state/clock"
}
set_clock +0
environment="LD_PRELOAD=$library FAKETIME_TIMESTAMP_FILE=$home/state/clock FAKETIME_NO_CACHE=1
  FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME_DISABLE_SHM=1"
start
long='{"size":"1m","ioengine":"psync","numjobs":[1,2,3,4],"order":"given","runtime":"2s",
  "ramp_time":"0s","rate_iops":200}'
id=$(post "$long")
for jump in +3d -3d; do
  wait_for 30 "a run" measuring "$id"
  set_clock "$jump"
  sleep 1
done
set_clock +0
wait_for 60 "the end of the sweep" state_is "$id" done
sweep "$id" >"$home/sweep"
jq -e '.runs_failed == 0 and (.points | length) == 4 and .finished_at >= .started_at and
  .started_at >= .created_at' "$home/sweep" >/dev/null ||
  fail "a clock that jumped: $(cat "$home/sweep")"
curl -sS -H 'Accept: application/x-ndjson' "$base/api/v1/runs?limit=500" |
  jq -e --argjson id "$id" 'select(.sweep_id == $id and
    (.finished_at < .started_at or .measured_seconds < 1.9 or .measured_seconds > 2.5))' \
    >"$home/odd" || true
[ ! -s "$home/odd" ] || fail "runs of odd duration: $(cat "$home/odd")"
clockwork=$launcher
stop TERM
# What the library shares between processes, and leaves behind.
rm -f "/dev/shm/faketime_shm_$clockwork" "/dev/shm/sem.faketime_sem_$clockwork"
passed "a clock that jumps three days forth and back: states and durations stay right"
