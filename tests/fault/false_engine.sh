#!/bin/sh
# An engine that sends what it shouldn't, or nothing: its run fails and says why, the service stands
# and the next sweep is measured.
# usage: false_engine.sh BIN_DIR [--long]
set -eu
BIN=$1 long=${2:-}
[ -x "$BIN/false-engine" ] || { echo "skipped: $BIN/false-engine isn't built"; exit 77; }
liar=$BIN/false-engine
. "$(dirname "$0")/daemon.sh"

# Beside a copy of the daemon: it takes the engine that stands beside it.
if [ "$BIN" != "$home/bin" ]; then
  mkdir "$home/bin"
  cp "$BIN/iobenchd" "$home/bin/"
fi
cp "$liar" "$home/bin/iobenchd-engine"
chmod 0755 "$home/bin"
BIN=$home/bin
body='{"size":"1m","ioengine":"null","numjobs":[1],"runtime":"200ms","ramp_time":"0s"}'

# lies BEHAVIOUR END SECONDS [TEXT]: one sweep with such an engine.
lies() {
  echo "$1" >"$home/bin/behaviour"
  id=$(post "$body")
  wait_for "$3" "the end of a sweep whose engine is: $1" queue_is_empty
  state_is "$id" "$2" ||
    fail "engine $1: the sweep is $(state "$id"): $(sweep "$id" | jq -r .error)"
  if [ -n "${4:-}" ]; then
    sweep "$id" | jq -r .error | grep -qF -- "$4" ||
      fail "engine $1: nothing about \"$4\" in: $(sweep "$id" | jq -r .error)"
  fi
  healthy || fail "engine $1: the service doesn't answer"
  [ "$(service)" = "$first" ] || fail "engine $1: the service was lost"
  [ -z "$(engines)" ] || fail "engine $1: it is still there"
  figure engines_that_lied 1
}

start
first=$(service)
lies good done 30
lies none failed 30 "status 0 before its result"
lies half failed 30 "status 0 before its result"
lies noise failed 30 "not a frame"
lies version failed 30 "of different builds"
lies gap failed 30 "a frame is missing"
lies oversized failed 30 "jobs.count"
lies wrapped failed 30 "latency.buckets"
lies "unending text" failed 30 "not terminated"
lies "many jobs" failed 30 "more than were asked for"
lies flood failed 30 "more than the run has time for"
lies crash failed 30 SIGSEGV
lies "abort after the result" done 30
lies clinging done 60
[ "$long" != --long ] || lies late failed 120 "didn't end when its time was over"
lies good done 30
stop TERM
passed "engines that lie, crash, flood and cling fail their own runs and nobody else's"
