#!/bin/sh
# Does the engine tell the truth about a disk? Beside the law that binds IOPS to latency, beside
# fio's latencies, and beside a disk whose rate the kernel itself holds down.
#   sh tests/bench/truth.sh BUILD_DIR
# Status 1: a bar of the table is missed. 77: it can't run here, and says why.
#
# The bed is bed.sh's: a virtual clock. The disks are null_blk, which answers by a timer, 100 or
# 500 us after it was asked, as many I/Os at once as one likes.
#
# What a disk of exactly known latency costs in the loop alone is tests/engine_delay_test.cpp's, the
# open loop's stalls too; a bucket's width is tests/model_histogram_test.cpp's.
#
# The rows and their bars are in truth_guest.sh.
set -eu

[ $# = 1 ] || { sed -n '2,5s/^# *//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
. "$here/bed.sh"
bed_run "$1" truth_guest.sh fio jq
