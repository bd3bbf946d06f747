#!/bin/busybox sh
# The first process of truth.sh's guest: measures, prints the table, switches the machine off.
. /bed_guest.sh
disk nullb0 0 0
disk nullb1 2 100000
disk nullb5 2 500000

# row WHAT OURS THEIRS BAR: one line. Beyond the bar, in per cent of THEIRS, is a miss; "-" is none.
row() {
  line=$(awk -v what="$1" -v ours="$2" -v theirs="$3" -v bar="$4" '
    BEGIN {
      if (ours + 0 == 0 || theirs + 0 == 0) exit 1
      off = 100 * (ours / theirs - 1)
      missed = bar != "-" && (off > bar || off < -bar)
      printf "%-50s %10s %10s %+6.1f %% %4s%s", what, ours, theirs, off,
             bar == "-" ? bar : bar " %", missed ? "  MISSED" : ""
    }') || broken "$1: no figures: $*"
  case $line in *MISSED) missed=$((missed + 1)) ;; esac
  say "$line"
}

# In a closed loop that many I/Os are under way at any time: IOPS * mean latency = jobs * depth. An
# engine that leaves slots idle, or takes its stamps too late, shows here.
# little WHAT DEVICE JOBS*DEPTH SETTING...
little() {
  what=$1 device=$2 in_flight=$3
  shift 3
  ours "$device" rw=randread "$@" >/dev/null
  row "$what: IOPS * latency" "$(figure concurrency </tmp/ours)" "$in_flight" 2
}

# beside_fio WHAT P50-BAR P99-BAR DEVICE OPTION...: of the run before. Both count in buckets of the
# same width.
beside_fio() {
  what=$1 p50_bar=$2 p99_bar=$3 device=$4
  shift 4
  fio_on "$device" --rw=randread --lat_percentiles=1 "$@" >/dev/null
  for percentile in 50 99; do
    theirs=$(jq ".jobs[0].read.lat_ns.percentile[\"$percentile.000000\"]" /tmp/fio)
    [ $percentile = 50 ] && bar=$p50_bar || bar=$p99_bar
    row "$what: p$percentile beside fio's, ns" "$(figure p${percentile}_ns </tmp/ours)" "$theirs" "$bar"
  done
}

# At depth 32 we are held against fio on the disk of 500 us: 32 I/Os in 100 us leave 3.1 us of the
# processor for each, of which we need 4.2 and fio 8.6, so that each of us would show itself, not
# the disk. Those rows have no bar.
say "$(fio --version), 4k randread, null_blk that answers after 100 or 500 us"
say "                                                         ours   expected      off   bar"
little "100 us, psync" /dev/nullb1 1 ioengine=psync
beside_fio "100 us, psync" 8 10 /dev/nullb1 --ioengine=psync
little "100 us, 4 jobs of psync" /dev/nullb1 4 ioengine=psync numjobs=4
little "100 us, 8 threads" /dev/nullb1 8 ioengine=threads iodepth=8
little "100 us, io_uring, depth 8" /dev/nullb1 8 ioengine=io_uring iodepth=8
beside_fio "100 us, io_uring, depth 8" 8 10 /dev/nullb1 --ioengine=io_uring --iodepth=8
little "100 us, io_uring, depth 32" /dev/nullb1 32 ioengine=io_uring iodepth=32
beside_fio "100 us, io_uring, depth 32" - - /dev/nullb1 --ioengine=io_uring --iodepth=32
little "500 us, io_uring, depth 32" /dev/nullb5 32 ioengine=io_uring iodepth=32
beside_fio "500 us, io_uring, depth 32" 8 10 /dev/nullb5 --ioengine=io_uring --iodepth=32
little "500 us, 32 threads" /dev/nullb5 32 ioengine=threads iodepth=32

# A disk of known rate: the kernel lets 10 000 reads a second of a control group through, 1000 each
# 100 ms. A run is 4 s long, so that the one burst that falls on its edge is a fortieth of it.
runtime=4000
throttled() { # WHAT DEPTH SETTING...
  what="10 000 reads/s, $1" depth=$2
  shift 2
  (
    echo 0 >/cgroup/slow/cgroup.procs
    ours /dev/nullb0 rw=randread iodepth="$depth" "$@" >/dev/null
  )
  row "$what: IOPS" "$(figure iops </tmp/ours)" 10000 3
  row "$what: mean latency, ns" "$(figure mean_ns </tmp/ours)" $((depth * 100000)) 3
}
mkdir -p /cgroup
mount -t cgroup2 none /cgroup
if grep -qw io /cgroup/cgroup.controllers; then
  echo +io >/cgroup/cgroup.subtree_control
  mkdir /cgroup/slow
  echo "$(cat /sys/block/nullb0/dev) riops=10000" >/cgroup/slow/io.max ||
    broken "the kernel throttles no reads of null_blk"
  throttled "psync" 1 ioengine=psync
  throttled "16 threads" 16 ioengine=threads
  throttled "io_uring, depth 16" 16 ioengine=io_uring
else
  say "skipped: a disk of 10 000 reads/s: the kernel has no io controller for control groups"
fi
finish
