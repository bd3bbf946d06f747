#!/bin/sh
# Our engine beside fio on this machine: CPU time an I/O, IOPS and latency, in alternating pairs,
# medians. Where the page cache answers, CPU an I/O is compared: IOPS are its inverse there, and
# noise on a shared machine. Where the disk answers, IOPS too. fio's figure is its own
# job's, without its start: (usr_cpu + sys_cpu) / 100 * job_runtime / total_ios.
#   sh tests/bench/native.sh BUILD_DIR [PAIRS] [SECONDS] [ROWS]
# ROWS: only those whose name begins with this pattern ("read, O_DIRECT*"). Rows of the disk itself
# take three times as many pairs: it is slower to make up its mind. Two programs that do the same lie
# up to 5 % apart on a shared disk even so. Where the IOPS ratio is below its bar, as many pairs are
# added, up to three times, to those that there are; and "to" is the upper end of the 95 % interval
# of the median of the pairs' own ratios, by the ranks of the binomial distribution. A row is missed
# when both it and the ratio are below the bar. That all rows together fall short noise can't
# explain: the geometric mean of their ratios has the same bar, without an interval.
# Needs fio and jq, and 1 GiB in ${TMPDIR:-/tmp} on the disk that is meant.
# Status 1: a bar is missed.
set -eu

[ $# -ge 1 ] || { sed -n '2,15s/^# *//p' "$0" >&2; exit 2; }
build=$1 pairs=${2:-7} seconds=${3:-2} rows=${4:-}
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

# Depth without asynchronous I/O is threads, with fio: as many jobs, which for sequential I/O begin
# apart, as ours do: else the first one's reads are the others' hits in some cache on the way. In a
# shell of its own: its settings are not row's.
theirs() ( # rw ioengine depth direct [option...]
  rw=$1 ioengine=$2 depth=$3 direct=$4
  shift 4
  [ "$ioengine" != threads ] || {
    set -- "$@" --thread --numjobs="$depth" --group_reporting
    [ "$rw" != read ] || set -- "$@" --offset_increment=$((1073741824 / depth))
    ioengine=psync depth=1
  }
  fio --name=bench --filename="$bed" --rw="$rw" --bs=4k --size=1g --ioengine="$ioengine" \
    --iodepth="$depth" --direct="$direct" --invalidate=0 --time_based --runtime="$seconds" \
    --lat_percentiles=1 --output-format=json "$@" |
    jq -c '.jobs[0] | (.read.total_ios + .write.total_ios) as $ios
           | ([.read, .write] | max_by(.total_ios) | .lat_ns.percentile) as $latency
           | {cpu: ((.usr_cpu + .sys_cpu) / 100 * .job_runtime * 1e6 / $ios),
              iops: (.read.iops + .write.iops), p50: $latency["50.000000"],
              p99: $latency["99.000000"]}'
)

missed=0
: >"$room/ratios"
# cpu-bar: the most of fio's CPU an I/O that we may use; iops-bar: the least of its IOPS that we must
# reach. 0: reported only.
row() { # name cpu-bar iops-bar rw ioengine depth direct [fio option...]
  name=$1 cpu_bar=$2 iops_bar=$3 rw=$4 ioengine=$5 depth=$6 direct=$7
  shift 7
  case $name in $rows*) ;; *) return ;; esac
  : >"$room/ours"
  : >"$room/theirs"
  measure "$@"
  added=0
  while [ "$iops_bar" != 0 ] && [ $added -lt 3 ] && below_bar; do
    added=$((added + 1))
    measure "$@"
  done
  print_row
}

median='def median: sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2;'
iops_ratio() {
  jq -n --slurpfile a "$room/ours" --slurpfile b "$room/theirs" "$median"'
    ([$a[].iops] | median) / ([$b[].iops] | median)'
}

below_bar() {
  iops_ratio | jq -e --argjson bar "$iops_bar" '. < $bar' >/dev/null
}

measure() { # [fio option...]: the pairs of a row
  for pair in $(seq $((direct == 1 ? 3 * pairs : pairs))); do
    [ "$direct" = 1 ] || cat "$bed" >/dev/null # a file in the page cache stays there
    if [ $((pair % 2)) = 1 ]; then
      ours "$rw" "$ioengine" "$depth" "$direct" >>"$room/ours"
      theirs "$rw" "$ioengine" "$depth" "$direct" "$@" >>"$room/theirs"
    else
      theirs "$rw" "$ioengine" "$depth" "$direct" "$@" >>"$room/theirs"
      ours "$rw" "$ioengine" "$depth" "$direct" >>"$room/ours"
    fi
  done
}

print_row() {
  jq -rn --arg name "$name" --argjson cpu_bar "$cpu_bar" --argjson iops_bar "$iops_bar" \
    --slurpfile a "$room/ours" --slurpfile b "$room/theirs" "$median"'
    def upper: sort | .[[length - 1, (length / 2 + 0.98 * (length | sqrt) | ceil)] | min];
    def of($runs; field): [$runs[] | field] | median;
    def pad($n): tostring | if length < $n then " " * ($n - length) + . else . end;
    def left($n): . + " " * ([$n - length, 0] | max);
    def thousandths: . * 1000 | round / 1000;
    def bar: if . == 0 then "-" else . end;
    (of($a; .cpu) / of($b; .cpu)) as $cpu | (of($a; .iops) / of($b; .iops)) as $iops
    | ([range($a | length) | $a[.].iops / $b[.].iops] | upper) as $upper
    | [($name | left(33)),
       (of($a; .cpu) | round | pad(6)), (of($b; .cpu) | round | pad(6)),
       ($cpu | thousandths | pad(5)), ($cpu_bar | bar | pad(4)),
       (of($a; .iops) | round | pad(9)), (of($b; .iops) | round | pad(8)),
       ($iops | thousandths | pad(6)), ($upper | thousandths | pad(6)), ($iops_bar | bar | pad(4)),
       (of($a; .p50) | pad(7)), (of($b; .p50) | pad(7)),
       (of($a; .p99) | pad(8)), (of($b; .p99) | pad(8)),
       (if ($cpu_bar > 0 and $cpu > $cpu_bar) or ([$iops, $upper] | max) < $iops_bar
        then " MISSED" else "" end)]
    | join(" ") | sub(" +$"; "")' >"$room/row"
  cat "$room/row"
  ! grep -q ' MISSED$' "$room/row" || missed=1
  [ "$iops_bar" = 0 ] || iops_ratio >>"$room/ratios"
}

echo "$(fio --version), 4k, 1 GiB, $pairs alternating pairs of $seconds s, medians"
cat <<'HEAD'
                                       CPU an I/O, ns               IOPS                             lat p50, ns     lat p99, ns
                                    ours    fio ratio  bar      ours      fio  ratio     to  bar    ours     fio     ours      fio
HEAD
row "randread, cache, psync" 0.71 0 randread psync 1 0
row "randread, cache, 8 threads" 0 0 randread threads 8 0
row "randread, cache, io_uring 1" 0.68 0 randread io_uring 1 0
row "randread, cache, io_uring 8" 0 0 randread io_uring 8 0
row "randread, cache, io_uring 32" 0.54 0 randread io_uring 32 0
row "the same, fio with our batch" 0.75 0 randread io_uring 32 0 --iodepth_batch_submit=4 \
  --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=4 --fixedbufs=1 --registerfiles=1
row "null" 0.082 0 randread null 1 0
# A disk that answers one I/O at a time leaves the CPU to the kernel: submitting and waking up is
# nearly all of it. At depth 8 we submit one I/O a call, as fio does: larger batches leave slots idle.
row "randread, O_DIRECT, psync" 0 0.98 randread psync 1 1
row "randread, O_DIRECT, 8 threads" 0 0.98 randread threads 8 1
row "randread, O_DIRECT, io_uring 1" 0 0.98 randread io_uring 1 1
row "randread, O_DIRECT, io_uring 8" 0 0.98 randread io_uring 8 1
row "randread, O_DIRECT, io_uring 32" 0.69 0.98 randread io_uring 32 1
for rw in read randwrite randrw; do
  case $rw in read) cpu_bar_deep=0.59 ;; randwrite) cpu_bar_deep=0.67 ;; *) cpu_bar_deep=0.72 ;; esac
  row "$rw, cache, psync" 0 0 $rw psync 1 0
  row "$rw, cache, io_uring 32" 0 0 $rw io_uring 32 0
  row "$rw, O_DIRECT, psync" 0 0.98 $rw psync 1 1
  row "$rw, O_DIRECT, 8 threads" 0 0.98 $rw threads 8 1
  row "$rw, O_DIRECT, io_uring 8" 0 0.98 $rw io_uring 8 1
  row "$rw, O_DIRECT, io_uring 32" $cpu_bar_deep 0.98 $rw io_uring 32 1
done
[ ! -s "$room/ratios" ] || jq -ern -s --slurpfile ratios "$room/ratios" '
  ($ratios | map(log) | add / length | exp) as $mean
  | "geometric mean of the IOPS ratios with a bar: \($mean * 1000 | round / 1000), bar 0.98"
    + if $mean < 0.98 then " MISSED\n" | halt_error(1) else "" end' || missed=1
exit $missed
