#!/bin/sh
# SIGTERM and SIGINT in every state a sweep can be in, and a reload with a broken file: it ends in
# under 10 s with status 0, and the sweep goes on at the next start.
# usage: signals.sh BIN_DIR
set -eu
BIN=$1
. "$(dirname "$0")/daemon.sh"

phase_is() { [ "$(sweep "$1" | jq -r .progress.phase)" = "$2" ]; }
echo '{"workers": 1}' >"$home/conf"
start -f "$home/conf"

# Long enough to be met in each phase; under 20 s the reference takes one and not five.
slow_layout='{"size":"2g","numjobs":[1],"runtime":"100ms"}'
measured='{"ioengine":"null","size":"1m","numjobs":[1],"runtime":"15s","ramp_time":"0s"}'
cooling='{"ioengine":"null","size":"1m","numjobs":[1,2],"runtime":"100ms","cooldown":"4s"}'

# end_in STATE SIGNAL: times the end, starts again.
end_in() {
  began=$(now_ms)
  stop "$2"
  took=$(($(now_ms) - began))
  figure WORST_stop_ms "$took"
  passed "SIG$2 $1: $took ms"
  start -f "$home/conf"
}

# end_in_phase PHASE BODY: both signals with a sweep in this phase, which then goes on from the start.
end_in_phase() {
  id=$(post "$2")
  for signal in TERM INT; do
    wait_for 60 "the phase $1" phase_is "$id" "$1"
    end_in "in the phase $1" "$signal"
    state_is "$id" queued || state_is "$id" running ||
      fail "after SIG$signal in the phase $1 the sweep is $(state "$id")"
  done
  curl -sS -o /dev/null -X POST "$base/api/v1/sweeps/$id/cancel"
  wait_for 10 "the cancelled sweep" state_is "$id" cancelled
}

end_in idle TERM
end_in idle INT
end_in_phase reference '{"ioengine":"null","size":"1m","numjobs":[1],"runtime":"30s"}'
end_in_phase layout "$slow_layout"
end_in_phase measure "$measured"
end_in_phase cooldown "$cooling"
# One runs, one waits.
first=$(post "$measured")
second=$(post "$measured")
wait_for 30 "a run" phase_is "$first" measure
state_is "$second" queued || fail "the second sweep is $(state "$second")"
end_in "with a sweep in the queue" TERM
state_is "$second" queued || fail "after SIGTERM the waiting sweep is $(state "$second")"

# A broken file at a reload, in the middle of a run.
wait_for 30 "a run" phase_is "$first" measure
told() { grep -qF "conf:2: workers: " "$home/log"; }
printf '{\n"workers": 0}' >"$home/conf"
kill -HUP "$launcher"
wait_for 10 "a word about the broken file" told
phase_is "$first" measure || fail "a broken file disturbed the run"
: >"$home/conf"  # an empty one works
kill -HUP "$launcher"
reloaded() { grep -qF "configuration reloaded" "$home/log"; }
wait_for 10 "the reload" reloaded
phase_is "$first" measure || fail "a reload disturbed the run"
passed "SIGHUP with a broken file changes nothing, a whole one is taken"

# Before it is ready, and twice at once.
is_iobenchd() { [ "$(ps -o comm= -p "$launcher")" = iobenchd ]; }
stop TERM
launch -f "$home/conf"
wait_for 10 "its start" is_iobenchd  # and no shell any more
kill -TERM "$launcher"
wait_for 10 "the end of a daemon that was just started" ended "$launcher"
start -f "$home/conf"
kill -INT "$launcher"
kill -TERM "$launcher"
wait_for 10 "the end after two signals" ended "$launcher"
[ "$(ls "$home/scratch" 2>/dev/null | wc -l)" = 0 ] || fail "scratch files were left behind"
passed "SIGTERM before it is ready, SIGINT and SIGTERM at once; no scratch file is left"
