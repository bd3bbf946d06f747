#!/bin/sh
# How fast the API answers, from a database as large as a machine's whole life.
#   sh tests/bench/api.sh BUILD_DIR [RUNS]
# RUNS: 1000000. The database takes 4 GB in ${TMPDIR:-/var/tmp}, and ten minutes to make; one that
# is named by FILLED=FILE is taken (as a copy) or left there. Needs jq and curl. Status 1: a bar is
# missed. Latencies are the client's, on the same machine: it takes its share of the processors.
set -eu

[ $# -ge 1 ] || { sed -n '2,7s/^# *//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) runs=${2:-1000000}
bin=$build/bin
for tool in curl jq; do
  command -v "$tool" >/dev/null && continue
  echo "api.sh needs $tool: apt-get install $tool" >&2
  exit 77
done
cmake --build "$build" --target iobenchd iobenchd-engine http-load fill-store >/dev/null

room=$(mktemp -d "${TMPDIR:-/var/tmp}/iobenchd-bench.XXXXXX")
launcher=
cleanup() {
  trap - EXIT INT TERM
  [ -z "$launcher" ] || { kill "$launcher" 2>/dev/null; wait "$launcher" 2>/dev/null; } || true
  rm -rf "$room"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT TERM
port=$((20000 + $$ % 20000))
base=http://127.0.0.1:$port
mkdir "$room/bin"
cp "$bin/iobenchd" "$bin/iobenchd-engine" "$room/bin/" # the daemon of root runs as nobody here
chmod 0755 "$room" "$room/bin"

# start DATABASE: until /readyz says so; how long that took is in $ready_ms.
start() {
  as=
  [ "$(id -u)" != 0 ] || {
    chown -R nobody "$room"
    as="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups"
  }
  began=$(date +%s%N)
  $as "$room/bin/iobenchd" -d -o listen="127.0.0.1:$port" -o database="$1" \
    -o scratch_dir="$room/scratch" >>"$room/log" 2>&1 </dev/null &
  launcher=$!
  until curl -sf -o /dev/null "$base/readyz"; do
    kill -0 "$launcher" || { tail "$room/log" >&2; exit 1; }
    sleep 0.02
  done
  ready_ms=$((($(date +%s%N) - began) / 1000000))
}
stop() {
  kill "$launcher"
  wait "$launcher" || true
  launcher=
}
pss_kb() { # of the launcher and its service
  for process in "$launcher" $(pgrep -P "$launcher"); do
    cat "/proc/$process/smaps_rollup"
  done | awk '/^Pss:/ { sum += $2 } END { print sum }'
}

missed=0
# row NAME FIGURE UNIT BAR: at most the bar; at least, where it is ">N".
row() {
  verdict=$(awk -v figure="$2" -v bar="$4" 'BEGIN {
    least = sub(/^>/, "", bar)
    print (bar == "-" || (least ? figure >= bar + 0 : figure <= bar + 0)) ? "" : " MISSED" }')
  printf '%-58s %12s %-6s %10s%s\n' "$1" "$2" "$3" "$4" "$verdict"
  [ -z "$verdict" ] || missed=1
}
load() { # FIELD CONNECTIONS REQUESTS PATH...
  field=$1
  shift
  "$bin/http-load" "$port" "$@" >"$room/load" || { cat "$room/load" >&2; exit 1; }
  jq ".$field" "$room/load"
}
ms() { # PATH... -> p99 in ms of 300 requests on one connection
  awk -v us="$(load p99_us 1 300 "$@")" 'BEGIN { printf "%.2f", us / 1000 }'
}

printf '%-58s %12s %-6s %10s\n' "$runs runs" figure "" bar
start "$room/empty.db"
row "/healthz, 1 connection, p50" "$(load p50_us 1 20000 /healthz)" us 500
load p99_us 8 20000 /healthz >/dev/null
row "/healthz, 8 connections, p99" "$(jq .p99_us "$room/load")" us 2000
row "/healthz, 8 connections" "$(jq .per_s "$room/load")" /s ">10000"
row "idle: launcher and service, PSS" "$(pss_kb)" kB 20480
stop

filled=${FILLED:-$room/filled.db}
[ -s "$filled" ] || "$bin/fill-store" "$filled" "$runs"
[ "$filled" = "$room/filled.db" ] || cp "$filled" "$room/filled.db"
start "$room/filled.db"
stop
start "$room/filled.db"
row "ready after a clean stop" "$ready_ms" ms 1000
runs_url=/api/v1/runs
newest=$(curl -s "$base$runs_url?limit=1" | jq '.items[0].id')
row "runs, page of 50, p99" "$(ms "$runs_url")" ms 5
for filter in state=done rw=randwrite bs=64k iodepth=32 numjobs=64 ioengine=psync \
  serial=SERIAL7 host=host1 target=/dev/rsd3c since=2025-06-01 until=2024-01-01 origin=imported; do
  row "runs, $filter, p99" "$(ms "$runs_url?$filter")" ms 5
done
row "runs of one history, p99" \
  "$(ms "$runs_url?serial=SERIAL7&rw=randread&bs=4k&iodepth=1&numjobs=8&ioengine=io_uring")" ms 5
row "runs, rw, bs, iodepth and host together, p99" \
  "$(ms "$runs_url?rw=read&bs=64k&iodepth=32&host=host2")" ms 100
row "runs, nothing of that kind, p99" "$(ms "$runs_url?rw=write&host=host2")" ms 100
first_ms=$(ms "$runs_url")
deep_ms=$(ms "$runs_url?cursor=200")
row "runs, deepest cursor over first page" \
  "$(awk -v a="$deep_ms" -v b="$first_ms" 'BEGIN { printf "%.2f", a / b }')" "" 2
row "sweeps, page of 50, p99" "$(ms /api/v1/sweeps)" ms 5
row "one run, p99" "$(ms "/api/v1/runs/$newest")" ms 5
row "history of one measurement, p99" \
  "$(ms "/api/v1/history?serial=SERIAL7&rw=randread&bs=4k&iodepth=1&numjobs=8&ioengine=io_uring")" \
  ms 50
before_kb=$(pss_kb)
began=$(date +%s%N)
lines=$(curl -s "$base$runs_url?format=ndjson" | wc -l)
took=$((($(date +%s%N) - began) / 1000000))
row "NDJSON of all runs" "$((lines * 1000 / took))" /s ">100000"
row "what that added to the memory, PSS" "$(($(pss_kb) - before_kb))" kB 20480
row "size of the database" "$(($(stat -c %s "$room/filled.db") / 1048576))" MiB -
stop
exit $missed
