#!/bin/sh
# Our engine beside fio and beside the barest loop, in instructions an I/O: a bed without noise.
#   sh tests/bench/exact.sh BUILD_DIR
# Status 1: a bar of the table is missed. 77: it can't run here, and says why.
#
# The bed is QEMU's interpreter with -icount shift=0: the guest's clock advances by a nanosecond an
# instruction, whatever the neighbours do, and repeats within 0.1 %. The disk is null_blk, whose
# I/Os end at once. Cache misses cost nothing here: tests/bench/native.sh has those.
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
# The rows and their bars are in exact_guest.sh.
set -eu

[ $# = 1 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../vm/guest.sh"
guest_begin fio
log=$room/build
cmake --build "$build" --target iobenchd-engine engine-driver bare-loop >"$log" 2>&1 ||
  { cat "$log" >&2; exit 1; }
PATH=$build/bin:$PATH
guest_program iobenchd-engine engine-driver bare-loop fio
guest_module configfs null_blk
install -m 0755 "$here/exact_guest.sh" "$root/init"

guest_start 480 "" -smp 1 -accel tcg,thread=single -icount shift=0,sleep=off
guest_wait || guest_failed "the guest was not ready within 480 s"
sed -n 's/^exact: //p' "$room/said"
grep -q '^exact: [0-9]* bars are missed' "$room/said" || guest_failed "the table is not complete"
grep -q '^exact: 0 bars are missed' "$room/said"
