#!/bin/busybox sh
# The first process of usb.sh's guest.
. /lib_guest.sh

depmod
for module in xhci_pci sd_mod usb_storage; do
  modprobe "$module" || fail "modprobe $module"
done
stick=/dev/sda
wait_for 20 "the stick" test -e /sys/block/sda
cat >/etc/iobenchd.conf <<'CONF'
{"targets": [{"path": "/dev/sd?"}]}
CONF
start_daemon

[ "$(target "$stick" '"\(.size_bytes), \(.logical_sector_bytes)"')" = "67108864, 512" ] ||
  fail "/targets doesn't know the stick"
model=$(target "$stick" .model)
[ -n "$model" ] && [ "$model" != null ] || fail "/targets doesn't know the stick's model"
passed "/targets: $model, 64 MiB"

read='"rw": ["randread"], "numjobs": [1, 2], "size": "32m", "ramp_time": "100ms"'
post "{\"target\": \"$stick\", $read, \"runtime\": \"1s\"}" 202 '"id"'
done_well "$id" 60 "a sweep of random reads"
holds '(.points | length) == 2 and ([.points[] | .iops > 0] | all)' || fail "points without IOPS"
passed "random reads of a USB stick"

post "{\"target\": \"$stick\", $read, \"runtime\": \"20s\"}" 202 '"id"'
wait_for 30 "a run on the stick" measuring "$id"
say "pull $stick"
pulled_out "$id" "$stick"
passed "a stick pulled out during a run: $error"

say "all is well"
poweroff -f
