#!/bin/sh
# What a power cut, a crash and a disk that hangs do to a sweep: nothing finished is lost, the daemon
# answers, the sweep goes on.
# usage: basic.sh BIN_DIR
set -eu
BIN=$1
. "$(dirname "$0")/daemon.sh"
for tool in jq pgrep curl; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done

body='{"size":"16m","numjobs":[1,2,3,4],"order":"given","runtime":"3s","ramp_time":"100ms"}'

start

# --- kill -9 of everything in mid-sweep
id=$(post "$body")
wait_for 30 "a finished run" runs_are_at_least "$id" 1
wait_for 10 "a run to kill" measuring "$id"
finished=$(curl -sS "$base/api/v1/runs?state=done" | jq '[.items[].id] | sort')
kill -9 "$launcher" $(family) 2>/dev/null || true  # some go with their parents
wait "$launcher" 2>/dev/null || true
start
kept=$(curl -sS "$base/api/v1/runs?state=done&limit=500" | jq '[.items[].id] | sort')
[ "$(jq -n --argjson a "$finished" --argjson b "$kept" '$a - $b | length')" = 0 ] ||
  fail "a finished run was lost: $finished, then $kept"
[ "$(curl -sS "$base/api/v1/runs?state=interrupted" | jq '.items | length')" = 1 ] ||
  fail "the run in progress is not marked as interrupted"
wait_for 90 "the sweep to go on" state_is "$id" done
[ "$(sweep "$id" | jq '.points | length')" = 4 ] || fail "the sweep lacks points"
passed "kill -9 of everything: finished runs are kept, the sweep goes on by itself"

# --- kill -9 of the service alone
id=$(post "$body")
wait_for 30 "a run" measuring "$id"
old=$(service)
kill -9 "$old"
wait_for 15 "a new service" healthy
[ "$(service)" != "$old" ] || fail "the service was not started again"
wait_for 90 "the sweep to go on" state_is "$id" done
passed "kill -9 of the service: it is started again, the sweep goes on"

# --- kill -9 of an engine
id=$(post "$body")
wait_for 30 "a run" measuring "$id"
kill -9 $(engines) 2>/dev/null || true
wait_for 90 "the end of the sweep" state_is "$id" done
[ "$(sweep "$id" | jq .runs_failed)" = 1 ] || fail "the killed run is not counted as failed"
curl -sS "$base/api/v1/runs?state=failed" | jq -e '.items[0].error | test("SIGKILL")' >/dev/null ||
  fail "the failed run does not name the signal"
passed "kill -9 of an engine: one failed run, the others measured"

# --- an engine that hangs, as with a disk that no longer answers
id=$(post '{"size":"16m","numjobs":[1],"runtime":"2s"}')
wait_for 30 "a run" measuring "$id"
stuck=$(engines)
kill -STOP $stuck
began=$(date +%s)
while state_is "$id" running; do
  healthy || fail "the service does not answer while an engine hangs"
  sleep 1
  [ $(($(date +%s) - began)) -lt 90 ] || fail "a hung engine is never given up"
done
state_is "$id" failed || fail "a hang fails the sweep, not: $(state "$id")"
sweep "$id" | jq -e '.error | test("30 s")' >/dev/null || fail "the reason does not name the 30 s"
passed "a stopped engine: the run failed after $(($(date +%s) - began)) s while the service answered"

# --- SIGTERM with a stopped engine
id=$(post '{"size":"16m","numjobs":[1],"runtime":"30s"}')
wait_for 30 "a run" measuring "$id"
kill -STOP $(engines)
began=$(date +%s%N)
kill -TERM "$launcher"
wait_for 10 "the end" ended "$launcher"
passed "SIGTERM with a stopped engine: $((($(date +%s%N) - began) / 1000000)) ms"
start
began=$(date +%s%N)
wait_for 30 "a run" measuring "$id"
kill -TERM "$launcher"
wait_for 10 "the end" ended "$launcher"
start
state_is "$id" queued || state_is "$id" running || fail "the sweep does not go on after a stop"
code=$(curl -sS -o /dev/null -w '%{http_code}' -X POST "$base/api/v1/sweeps/$id/cancel")
[ "$code" = 202 ] || fail "cancel answered $code"
wait_for 5 "the cancelled sweep" state_is "$id" cancelled
passed "SIGTERM interrupts, the next start goes on, cancel ends it"

[ "$(ls "$home/scratch" 2>/dev/null | wc -l)" = 0 ] || fail "scratch files were left behind"
passed "no scratch file is left"
