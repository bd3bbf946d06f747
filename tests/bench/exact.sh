#!/bin/sh
# Our engine beside fio and beside the barest loop, in instructions an I/O: a bed without noise.
#   sh tests/bench/exact.sh BUILD_DIR
# Status 1: a bar of the table is missed. 77: it can't run here, and says why.
#
# The bed is bed.sh's, where a nanosecond is an instruction. The disk is null_blk, whose I/Os end at
# once.
#
# An I/O's cost is the guest's time for it, run time / I/Os, for both: on one processor that never
# rests this is every instruction, those of the kernel's and the programs' other threads too. fio's
# own CPU figures are no better: whole milliseconds of 200, cut off twice. fio ends with the first
# I/O after --runtime, so run time / I/Os is exact to one in 20 000; its "iops" divides by a time
# rounded up to a millisecond.
#
# The bare loop stands behind the same filter of system calls as the engine: that costs 146
# instructions a call, buys safety, and would hide what the loop itself adds. A row of its own
# shows it.
#
# Memory is what a run's own processes hold; the daemon that starts them is there anyway. Start-up
# is the guest's time too, from the exec of the program that is asked for a run to its first I/O.
#
# The rows and their bars are in exact_guest.sh.
set -eu

[ $# = 1 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bed.sh"
bed_run "$1" exact_guest.sh fio
