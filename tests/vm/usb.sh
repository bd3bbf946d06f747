#!/bin/sh
# A USB stick, measured and pulled out during a run: the daemon as root on a machine that has one.
#   sh tests/vm/usb.sh BUILD_DIR
# Status 1: a check failed. 77: it can't run here, and says why.
#
# The cloud kernel of run.sh has no driver for it; this is Debian's usual one.
set -eu

[ $# = 1 ] || { sed -n '2,4s/^# *//p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
flavour=amd64
. "$here/guest.sh"
guest_begin curl jq
PATH=$build/bin:$PATH
guest_program iobenchd iobenchd-engine curl jq
guest_modules usb-common usbcore xhci-hcd xhci-pci scsi_common scsi_mod sd_mod usb-storage t10-pi \
  crc64 crc64-rocksoft crc-t10dif crct10dif_common crct10dif_generic
cp "$here/lib_guest.sh" "$root/lib_guest.sh"
install -m 0755 "$here/usb_guest.sh" "$root/init"
truncate -s 64M "$room/stick.img"
mkfifo "$room/qmp.in" "$room/qmp.out"

guest_start 240 "" -smp 2 -accel tcg,thread=multi \
  -chardev "pipe,id=qmp,path=$room/qmp" -mon chardev=qmp,mode=control \
  -drive "file=$room/stick.img,if=none,id=disk-stick,format=raw" \
  -device qemu-xhci -device usb-storage,id=stick,serial=stick,removable=on,drive=disk-stick
guest_pull_when_asked stick &
guest_helper=$!

guest_wait || guest_failed "the guest was not ready within 240 s"
sed -n '/^vm: pull /d; s/^vm: //p' "$room/said"
grep -q '^vm: all is well' "$room/said" || guest_failed "see above"
