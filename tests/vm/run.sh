#!/bin/sh
# The daemon as root on a machine with NVMe disks: what it finds, what it measures, what it refuses
# to write, two namespaces of one controller, and a disk that is pulled out during a run.
#   sh tests/vm/run.sh BUILD_DIR
# Status 1: a check failed. 77: it can't run here, and says why.
#
# The guest checks by itself (run_guest.sh). This side makes the disks and pulls one out when asked.
# QEMU without KVM: nothing here says anything about speed.
set -eu

[ $# = 1 ] || { sed -n '2,5s/^# *//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.sh"
guest_begin curl jq
PATH=$build/bin:$PATH
guest_program iobenchd iobenchd-engine curl jq
cp "$here/lib_guest.sh" "$root/lib_guest.sh"
install -m 0755 "$here/run_guest.sh" "$root/init"

for disk in plain mounted pulled small large; do
  truncate -s 256M "$room/$disk.img"
done
mkfifo "$room/qmp.in" "$room/qmp.out"

drive() { echo "-drive file=$room/$1.img,if=none,id=disk-$1,format=raw"; }
# A controller with one namespace. The serial number is what the guest knows it by.
nvme() { echo "$(drive "$1") -device nvme,id=$1,serial=$1,drive=disk-$1"; }
# shellcheck disable=SC2046 # options without spaces
guest_start 540 "nvme.poll_queues=1" -smp 2 -accel tcg,thread=multi \
  -chardev "pipe,id=qmp,path=$room/qmp" -mon chardev=qmp,mode=control \
  $(nvme plain) $(nvme mounted) $(nvme pulled) $(drive small) $(drive large) \
  -device nvme,id=pair,serial=pair -device nvme-ns,bus=pair,nsid=1,drive=disk-small \
  -device nvme-ns,bus=pair,nsid=2,drive=disk-large,logical_block_size=4096,physical_block_size=4096

guest_pull_when_asked pulled &
guest_helper=$!

guest_wait || guest_failed "the guest was not ready within 540 s"
sed -n '/^vm: pull /d; s/^vm: //p' "$room/said"
grep -q '^vm: all is well' "$room/said" || guest_failed "see above"
