#!/bin/sh
# kill -9 of service, launcher, engine or everything at instants that nobody chose.
# usage: instants.sh BIN_DIR COUNT [SEED]     the same seed strikes the same victims again
set -eu
BIN=$1 count=$2 seed=${3:-$(($(date +%s) % 1000000))}
. "$(dirname "$0")/daemon.sh"
. "$(dirname "$0")/ledger.sh"
echo "seed $seed"

body='{"size":"1m","ioengine":"psync","numjobs":[1,2,3,4],"order":"given","runtime":"100ms",
  "ramp_time":"0s","rate_iops":200}'

# draw MOST: 0 to MOST - 1, in $drawn.
draw() {
  seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
  drawn=$(((seed >> 8) % $1))
}

# Whom it strikes this time, in $victim: only somebody who is there. A launcher gives up on a
# service that dies six times in a minute.
service_deaths=0
choose_victim() {
  draw 4
  case $drawn in
    0) victim=service ;;
    1) victim=launcher ;;
    2) victim=engine ;;
    *) victim=all ;;
  esac
  [ "$victim" != engine ] || [ -n "$(engines)" ] || victim=service
  [ "$victim" != service ] || service_deaths=$((service_deaths + 1))
  [ "$service_deaths" -lt 5 ] || [ "$victim" != service ] || victim=all
  case $victim in launcher | all) service_deaths=0 ;; esac
}

start
hear
strikes=0
while [ "$strikes" -lt "$count" ]; do
  strikes=$((strikes + 1))
  ! queue_is_empty || promise "$body"
  draw 2000
  sleep "$((drawn / 1000)).$(printf %03d $((drawn % 1000)))"
  choose_victim
  kill_them "$victim"
  recover "$victim"
done
wait_for 60 "the end of the last sweep" queue_is_empty
# Every sweep came to an end, and none for a reason of its own.
ndjson sweeps | jq -r 'select(.state != "done" and
    (.state != "failed" or (.error | test("went down twice|SIGKILL") | not))) |
  "\(.id) \(.state) \(.error)"' >"$home/wrong"
[ ! -s "$home/wrong" ] || fail "sweeps that ended otherwise: $(cat "$home/wrong")"
close_ledger
passed "$count kills at random instants"
