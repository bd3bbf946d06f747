#!/bin/busybox sh
# The first process of exact.sh's guest: measures, prints the table, switches the machine off.
. /bed_guest.sh
disk nullb0 0 0
disk nullb1 2 100000
disk nullb2 2 10000000

bed=/dev/nullb0

theirs() { # option...: ns an I/O
  fio_on $bed "$@" | awk -v ms=$runtime '/"total_ios"/ { gsub(",", ""); ios += $3 }
    END { printf "%.1f", ms * 1e6 / ios }'
}

bare() { bare-loop /dev/nullb0 ios=40000 cell=1 "$@" || broken "bare-loop $*"; }

# table NAME OURS FIO BAR BARE BARE-BAR: one line; "-" where there is nothing to compare with.
table() {
  line=$(awk -v name="$1" -v ours="$2" -v fio="$3" -v bar="$4" -v bare="$5" -v bare_bar="$6" '
    function ratio(other) { return other == "-" ? "-" : sprintf("%.3f", ours / other) }
    function over(share, most) { # by more than the bed repeats itself
      return share != "-" && most != "-" && share + 0 > most * 1.001
    }
    BEGIN {
      missed = over(ratio(fio), bar) || over(ratio(bare), bare_bar)
      printf "%-38s %7s %7s %6s %5s   %9s %6s %5s%s", name, ours, fio, ratio(fio), bar,
             bare, ratio(bare), bare_bar, missed ? "  MISSED" : ""
    }') || broken "$1: no figures: $*"
  case $line in *MISSED) missed=$((missed + 1)) ;; esac
  say "$line"
}

# row NAME BAR "OUR SETTINGS" "FIO'S OPTIONS" [BARE-BAR "BARE LOOP'S SETTINGS"]
row() {
  our_cost=$(ours $bed $3 | figure wall_per_io_ns)
  fio_cost=$(theirs $4)
  if [ $# -gt 4 ]; then
    table "$1" "$our_cost" "$fio_cost" "$2" "$(bare $6)" "$5"
  else
    table "$1" "$our_cost" "$fio_cost" "$2" - -
  fi
}

# The bars are what was reached and 2 % more; the design asked for 0.75, 0.62, 0.56 and 0.75.
batch="--iodepth_batch_submit=4 --iodepth_batch_complete_min=1 --iodepth_batch_complete_max=4"
say "$(fio --version), 4k, null_blk that completes at once; instructions an I/O"
say "                                          ours     fio  ratio   bar   bare loop  ratio   bar"
row "randread, psync" 0.677 "rw=randread ioengine=psync" "--rw=randread --ioengine=psync" \
  1.02 "ioengine=psync"
row "randread, 4 threads" - "rw=randread ioengine=threads iodepth=4" \
  "--rw=randread --ioengine=psync --thread --numjobs=4"
row "randread, io_uring, depth 1" 0.578 "rw=randread ioengine=io_uring iodepth=1" \
  "--rw=randread --ioengine=io_uring --iodepth=1" 1.03 "ioengine=io_uring iodepth=1"
row "randread, io_uring, depth 8" 0.579 "rw=randread ioengine=io_uring iodepth=8" \
  "--rw=randread --ioengine=io_uring --iodepth=8" 1.03 "ioengine=io_uring iodepth=8"
row "randread, io_uring, depth 32" 0.489 "rw=randread ioengine=io_uring iodepth=32" \
  "--rw=randread --ioengine=io_uring --iodepth=32" 1.03 "ioengine=io_uring iodepth=32"
row "the same, fio with our batch and flags" 0.655 "rw=randread ioengine=io_uring iodepth=32" \
  "--rw=randread --ioengine=io_uring --iodepth=32 $batch --fixedbufs=1 --registerfiles=1"
for rw in read randwrite randrw; do
  row "$rw, psync" - "rw=$rw ioengine=psync" "--rw=$rw --ioengine=psync"
  row "$rw, io_uring, depth 32" - "rw=$rw ioengine=io_uring iodepth=32" \
    "--rw=$rw --ioengine=io_uring --iodepth=32"
done

# What two parts of the engine cost, each added to the bare loop: clock and histogram, and the
# filter of system calls.
table "bare psync loop with statistics" "$(bare ioengine=psync statistics=1)" - - \
  "$(bare ioengine=psync)" 1.01
table "bare psync loop behind the filter" "$(bare ioengine=psync)" - - \
  "$(bare ioengine=psync cell=0)" -

median=$(ours /dev/nullb1 rw=randread ioengine=psync | figure p50_ns)
verdict=
if [ "$median" -lt 100000 ] || [ "$median" -gt 112000 ]; then
  verdict="  MISSED"
  missed=$((missed + 1))
fi
say "a disk of 100 us: psync sees p50 $median ns (bar: 100000 to 112000)$verdict"

# Polled: an I/O of null_blk ends when it is asked for, so that no waiting is in these figures.
polled_row() { # depth bar
  row "randread, io_uring polled, depth $1" "$2" \
    "rw=randread ioengine=io_uring iodepth=$1 hipri=1" \
    "--rw=randread --ioengine=io_uring --iodepth=$1 --hipri=1"
}
polled_row 1 0.574
polled_row 8 0.614
polled_row 32 0.480
# Depth 32 keeps the processor busy on a disk of 100 us too: both are all that an I/O costs.
interrupts=$(ours /dev/nullb1 rw=randread ioengine=io_uring iodepth=32 | figure wall_per_io_ns)
table "polled, depth 32, beside interrupts" \
  "$(ours $bed rw=randread ioengine=io_uring iodepth=32 hipri=1 | figure wall_per_io_ns)" - - \
  "$interrupts" 0.72

# What a run holds and how soon it begins, on a disk of 10 ms that leaves the processor idle. The
# design asked for 10 MB, and for a fifth of fio's time.
bed=/dev/nullb2
our_jobs="rw=randread ramp_ms=0 ioengine=io_uring iodepth=32 numjobs=8"
their_jobs="--filename=$bed --bs=4k --size=1g --direct=1 --time_based --rw=randread"
their_jobs="$their_jobs --ioengine=io_uring --iodepth=32 --numjobs=8"

memory() { # PROCESS COMMAND...: kB (PSS) of the nine processes of a run, in its midst
  process=$1
  shift
  "$@" >/tmp/run 2>&1 &
  tries=200
  until [ "$(pidof "$process" | wc -w)" = 9 ]; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || broken "no nine processes: $*: $(cat /tmp/run)"
    sleep 0.05
  done
  sleep 0.5
  # shellcheck disable=SC2046 # numbers
  cat $(pidof "$process" | sed 's|[0-9][0-9]*|/proc/&/smaps_rollup|g') >/tmp/maps
  wait
  awk '/^Pss:/ { kb += $2; processes++ }
    END { if (processes == 9) print kb; else print "only", processes, "processes" }' /tmp/maps
}
table "memory of 8 jobs, depth 32, kB" \
  "$(memory iobenchd-engine engine-driver /bin/iobenchd-engine $bed runtime_ms=1000 $our_jobs)" \
  "$(memory fio fio --name=exact --runtime=1000ms $their_jobs)" 0.14 - -

# The kernel notes when programs are started and I/Os go out, and stops at the first I/O.
mount -t tracefs none /sys/kernel/tracing
trace=/sys/kernel/tracing
echo 1 >$trace/events/sched/sched_process_exec/enable
echo 1 >$trace/events/block/block_rq_issue/enable
echo traceoff >$trace/events/block/block_rq_issue/trigger

startup() { # COMMAND...: us until the first I/O; ours begins with what starts the engine
  echo >$trace/trace
  echo 1 >$trace/tracing_on
  "$@" >/tmp/run 2>&1 || broken "$*: $(cat /tmp/run)"
  awk -v program="filename=/bin/$1 " '
    /sched_process_exec/ && index($0, program) { began = $4 + 0; started = 1 }
    /block_rq_issue/ && started { printf "%.0f", ($4 - began) * 1e6; exit }' $trace/trace
}
table "start to first I/O, psync, us" \
  "$(startup engine-driver /bin/iobenchd-engine $bed rw=randread ramp_ms=0 runtime_ms=50)" \
  "$(startup fio --name=exact --filename=$bed --bs=4k --size=1g --direct=1 --time_based \
    --rw=randread --ioengine=psync --runtime=50ms)" 0.073 - -
table "the same, 8 jobs of depth 32" \
  "$(startup engine-driver /bin/iobenchd-engine $bed runtime_ms=50 $our_jobs)" \
  "$(startup fio --name=exact --runtime=50ms $their_jobs)" 0.093 - -
finish
