#!/bin/sh
# kill -9 of the service, of the launcher, of an engine and of everything, with the service standing
# exactly at each named place of a sweep's life (daemon/model/failpoint.h). Nothing promised may be
# lost, and the sweep goes on.
# usage: kills.sh BIN_DIR [--long]     --long: every victim at every place
set -eu
BIN=$1 long=${2:-}
. "$(dirname "$0")/daemon.sh"
. "$(dirname "$0")/ledger.sh"
grep -q IOBENCHD_FAILPOINTS "$BIN/iobenchd" ||
  { echo "skipped: built without IOBENCHD_FAILPOINTS"; exit 77; }

body='{"size":"1m","ioengine":"psync","numjobs":[1,2],"order":"given","runtime":"100ms",
  "ramp_time":"0s","rate_iops":500}'

# An engine that is killed once it was heard from has to live longer than its first word.
longer=$(echo "$body" | sed 's/100ms/3s/')

reached() { [ -e "$home/state/failpoint-$1.reached" ] && stopped; }
stopped() { [ "$(ps -o stat= -p "$(service)" | cut -c1)" = T ]; }
last_sweep() { curl -sS "$base/api/v1/sweeps?limit=1" | jq -r ".items[0].$1"; }

# stop_at PLACE: the service stands there once this returns.
stop_at() {
  : >"$home/state/failpoint-$1"
  promise "$body" &
  posting=$!
  wait_for 30 "$1" reached "$1"
  rm "$home/state/failpoint-$1.reached"
}

# strike PLACE VICTIM
strike() {
  stop_at "$1"
  kill_them "$2"
  wait "$posting"
  recover "$2"
  wait_for 60 "the end of the sweep" queue_is_empty
  check_ledger
  end="$(last_sweep state), $(last_sweep runs_failed) failed"
  case $2-$1 in
    engine-engine_started)  # that one wrote the scratch file
      wanted="failed, 0 failed"
      last_sweep error | grep -q SIGKILL || fail "no signal in: $(last_sweep error)" ;;
    engine-frame_seen) wanted="done, 1 failed" ;;
    *) wanted="done, 0 failed" ;;
  esac
  [ "$end" = "$wanted" ] || fail "$2 killed at $1: $end instead of $wanted: $(last_sweep error)"
  # A launcher gives up on a service that dies six times in a minute: a new one each time.
  [ "$2" != service ] || { stop TERM; start; hear; }
  passed "kill -9 of $2 at $1"
}

# A run that the daemon was torn away from twice isn't tried again; the others are.
strike_twice() {
  stop_at frame_seen
  kill_them all
  wait "$posting"
  : >"$home/state/failpoint-frame_seen"
  recover_stopping
  kill_them all
  recover all
  wait_for 60 "the end of the sweep" queue_is_empty
  [ "$(last_sweep state)-$(last_sweep runs_failed)" = done-1 ] ||
    fail "a point interrupted twice: $(last_sweep state), $(last_sweep runs_failed) runs failed"
  id=$(last_sweep id)
  curl -sS "$base/api/v1/runs?state=failed&limit=1" |
    jq -e --argjson id "$id" '.items[0] | .sweep_id == $id and (.error | test("went down twice"))' \
      >/dev/null || fail "the point interrupted twice doesn't say why it failed"
  passed "a point interrupted twice fails, the others are measured"
}
recover_stopping() {
  start
  wait_for 30 "the same place again" reached frame_seen
  rm "$home/state/failpoint-frame_seen.reached"
}

places="sweep_stored sweep_started engine_started result_seen layout_done run_started frame_seen
  run_measured run_storing run_stored run_told sweep_over sweep_ended"

start
hear
if [ "$long" = --long ]; then
  for place in $places; do
    for victim in service launcher all; do strike "$place" "$victim"; done
  done
else
  # Every place, each victim at several.
  strike sweep_stored all
  strike sweep_started service
  strike sweep_started launcher
  strike layout_done launcher
  strike run_started all
  strike result_seen launcher
  strike run_measured service
  strike run_storing all
  strike run_stored service
  strike run_told launcher
  strike sweep_over all
  strike sweep_ended service
fi
strike engine_started engine
body=$longer
strike frame_seen engine
strike_twice
close_ledger
