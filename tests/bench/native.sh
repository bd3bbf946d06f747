#!/bin/sh
# Our engine beside fio on this machine: CPU time an I/O, IOPS and latency, in alternating pairs,
# medians. CPU an I/O is compared because IOPS on a shared machine is noise. fio's figure is its own
# job's, without its start: (usr_cpu + sys_cpu) / 100 * job_runtime / total_ios.
#   sh tests/bench/native.sh BUILD_DIR [PAIRS] [SECONDS]
# Needs fio and jq, and 1 GiB in ${TMPDIR:-/tmp} on the disk that is meant.
# Status 1: a bar is missed.
set -eu

[ $# -ge 1 ] || { sed -n '2,8s/^# *//p' "$0" >&2; exit 2; }
build=$1 pairs=${2:-7} seconds=${3:-2}
bin=$build/bin
for tool in fio jq; do
  command -v "$tool" >/dev/null && continue
  echo "native.sh needs $tool: apt-get install $tool" >&2
  exit 77
done
cmake --build "$build" --target iobenchd-engine engine-driver >/dev/null

room=$(mktemp -d "${TMPDIR:-/tmp}/iobenchd-bench.XXXXXX")
trap 'rm -rf "$room"' EXIT INT TERM
bed=$room/bed
"$bin/engine-driver" "$bin/iobenchd-engine" "$bed" task=layout size=1073741824 >/dev/null

# Reads and writes together; their latencies are one histogram with us and two with fio, of which the
# one with more I/Os is shown.
ours() { # rw ioengine depth direct
  "$bin/engine-driver" "$bin/iobenchd-engine" "$bed" rw="$1" ioengine="$2" iodepth="$3" \
    direct="$4" runtime_ms=$((seconds * 1000)) ramp_ms=200 |
    jq -c '{cpu: .cpu_per_io_ns, iops,
            p50: ([.read, .write] | max_by(.ios) | .p50_ns),
            p99: ([.read, .write] | max_by(.ios) | .p99_ns)}'
}

theirs() { # rw ioengine depth direct [option...]
  rw=$1 ioengine=$2 depth=$3 direct=$4
  shift 4
  fio --name=bench --filename="$bed" --rw="$rw" --bs=4k --size=1g --ioengine="$ioengine" \
    --iodepth="$depth" --direct="$direct" --invalidate=0 --time_based --runtime="$seconds" \
    --lat_percentiles=1 --output-format=json "$@" |
    jq -c '.jobs[0] | (.read.total_ios + .write.total_ios) as $ios
           | ([.read, .write] | max_by(.total_ios) | .lat_ns.percentile) as $latency
           | {cpu: ((.usr_cpu + .sys_cpu) / 100 * .job_runtime * 1e6 / $ios),
              iops: (.read.iops + .write.iops), p50: $latency["50.000000"],
              p99: $latency["99.000000"]}'
}

missed=0
# bar: the most of fio's CPU an I/O that we may use; 0: reported only.
row() { # name bar rw ioengine depth direct [fio option...]
  name=$1 bar=$2 rw=$3 ioengine=$4 depth=$5 direct=$6
  shift 6
  : >"$room/ours"
  : >"$room/theirs"
  for pair in $(seq "$pairs"); do
    [ "$direct" = 1 ] || cat "$bed" >/dev/null # a file in the page cache stays there
    if [ $((pair % 2)) = 1 ]; then
      ours "$rw" "$ioengine" "$depth" "$direct" >>"$room/ours"
      theirs "$rw" "$ioengine" "$depth" "$direct" "$@" >>"$room/theirs"
    else
      theirs "$rw" "$ioengine" "$depth" "$direct" "$@" >>"$room/theirs"
      ours "$rw" "$ioengine" "$depth" "$direct" >>"$room/ours"
    fi
  done
  jq -rn --arg name "$name" --argjson bar "$bar" --slurpfile a "$room/ours" \
    --slurpfile b "$room/theirs" '
    def median: sort | if length % 2 == 1 then .[length / 2 | floor]
                       else (.[length / 2 - 1] + .[length / 2]) / 2 end;
    def of($runs; field): [$runs[] | field] | median;
    def pad($n): tostring | if length < $n then " " * ($n - length) + . else . end;
    def left($n): . + " " * ([$n - length, 0] | max);
    (of($a; .cpu) / of($b; .cpu)) as $ratio
    | [($name | left(36)),
       (of($a; .cpu) | round | pad(7)), (of($b; .cpu) | round | pad(7)),
       ($ratio * 1000 | round / 1000 | pad(6)),
       ((if $bar == 0 then "-" else $bar end) | pad(5)),
       (of($a; .iops) | round | pad(9)), (of($b; .iops) | round | pad(9)),
       (of($a; .p50) | pad(8)), (of($b; .p50) | pad(8)),
       (of($a; .p99) | pad(9)), (of($b; .p99) | pad(9)),
       (if $bar > 0 and $ratio > $bar then " over" else "" end)] | join(" ")' >"$room/row"
  cat "$room/row"
  ! grep -q ' over$' "$room/row" || missed=1
}

echo "$(fio --version), 4k, 1 GiB, $pairs alternating pairs of $seconds s, medians"
cat <<'HEAD'
                                     CPU an I/O, ns                 IOPS                lat p50, ns       lat p99, ns
                                        ours     fio  ratio   bar      ours       fio     ours      fio      ours       fio
HEAD
row "randread, cache, psync" 0.88 randread psync 1 0
row "randread, cache, uring, depth 1" 0.75 randread io_uring 1 0
row "randread, cache, uring, depth 32" 0.66 randread io_uring 32 0
row "the same, fio with our batch" 0.90 randread io_uring 32 0 --iodepth_batch_submit=4 \
  --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=4 --fixedbufs=1 --registerfiles=1
row "null" 0.35 randread null 1 0
row "randread, O_DIRECT, psync" 0 randread psync 1 1
row "randread, O_DIRECT, uring, depth 1" 0 randread io_uring 1 1
row "randread, O_DIRECT, uring, depth 32" 0.80 randread io_uring 32 1
for rw in read randwrite randrw; do
  row "$rw, cache, psync" 0 $rw psync 1 0
  row "$rw, cache, uring, depth 32" 0 $rw io_uring 32 0
  row "$rw, O_DIRECT, psync" 0 $rw psync 1 1
  row "$rw, O_DIRECT, uring, depth 32" 0 $rw io_uring 32 1
done
exit $missed
