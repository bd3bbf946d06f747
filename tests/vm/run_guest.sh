#!/bin/busybox sh
# The first process of run.sh's guest: starts the daemon as a system would, asks it by its socket,
# says what it found, switches the machine off.
. /lib_guest.sh

# Times of a sweep's runs, "start end" a line, as RFC 3339 text: it sorts as time does.
spans() {
  ask "/api/v1/runs?sweep_id=$1" || fail "no runs of sweep $1"
  jq -r '.items[] | "\(.started_at) \(.finished_at)"' /tmp/body
}
overlap() { # two files of spans
  while read -r start end; do
    awk -v a="$start" -v b="$end" '$1 < b && a < $2 { found = 1 } END { exit !found }' "$2" &&
      return 0
  done <"$1"
  return 1
}

disk_of() { # serial, namespace
  for block in /sys/block/nvme*n"$2"; do
    [ "$(tr -d ' ' <"$block/device/serial")" = "$1" ] && echo "/dev/${block##*/}" && return
  done
  fail "no disk has the serial number $1"
}
plain=$(disk_of plain 1)
mounted=$(disk_of mounted 1)
pulled=$(disk_of pulled 1)
small=$(disk_of pair 1)
large=$(disk_of pair 2)
{ mke2fs -F "$mounted" && mount -t ext2 "$mounted" /mnt; } >/tmp/log 2>&1 || fail "no file system"

# --- the start
cat >/etc/iobenchd.conf <<'CONF'
{
  "targets": [{"path": "/dev/nvme?n?", "write": true}],
  "workers": 2  // so that only their common controller keeps two sweeps apart
}
CONF
start_daemon
ps -o user,args >/tmp/body
grep -q '^_iobench.*iobenchd: service' /tmp/body || fail "the service doesn't run as _iobenchd"
passed "started as root, the service runs as _iobenchd"

# --- what it finds
[ "$(target "$plain" '"\(.model), \(.serial), \(.size_bytes), \(.logical_sector_bytes)"')" = \
  "QEMU NVMe Ctrl, plain, 268435456, 512" ] || fail "/targets doesn't know the disk"
[ "$(target "$large" .logical_sector_bytes)" = 4096 ] || fail "/targets doesn't know the sectors"
[ "$(target "$mounted" .use)" = "mounted on /mnt" ] || fail "/targets doesn't know the mount"
[ "$(target "$small" '.shares_device_with | index("'"$large"'") != null')" = true ] ||
  fail "/targets doesn't know that two namespaces share a controller"
passed "/targets: model, serial number, size, sectors, mount, a shared controller"

# --- reading
read='"rw": ["randread"], "numjobs": [1, 2], "size": "64m", "ramp_time": "100ms"'
ring='"ioengine": "io_uring", "iodepth": [8], "runtime": "1s"'
post "{\"target\": \"$plain\", $read, $ring}" 202 '"id"'
done_well "$id" 60 "a sweep of random reads"
holds '(.points | length) == 2 and ([.points[] | .iops > 0] | all)' || fail "points without IOPS"
ask "/api/v1/runs?sweep_id=$id"
holds '[.items[] | .ioengine == "io_uring" and .direct] | all' || fail "not io_uring, or not direct"
passed "randread with io_uring and O_DIRECT: $(jq '.items | length' /tmp/body) runs"

post "{\"target\": \"$plain\", $read, $ring, \"hipri\": true}" 202 '"id"'
done_well "$id" 60 "a sweep of polled reads"
ask "/api/v1/runs?sweep_id=$id"
run=$(jq -r '.items[0].id' /tmp/body)
ask "/api/v1/runs/$run"
holds '(.engine_flags | index("polled")) != null and .iops > 0' || fail "the run didn't poll"
passed "hipri polls a queue of nvme.poll_queues"

post "{\"target\": \"$large\", \"bs\": [512], \"rw\": [\"randread\"], \"size\": \"64m\"}" 422 4096
passed "blocks of 512 bytes on sectors of 4096: 422"

# --- writing
write="\"rw\": [\"write\"], \"numjobs\": [1], \"size\": \"4m\", \"runtime\": \"1s\""
write="$write, \"verify\": true"
post "{\"target\": \"$plain\", $write}" 428 destroy
head -c 4194304 "$plain" | tr -d '\0' | head -c 1 >/tmp/first
[ ! -s /tmp/first ] || fail "the disk was written without a confirmation"
phrase=$(target "$plain" .confirm_phrase)
post "{\"target\": \"$plain\", $write, \"confirm\": \"destroy everything\"}" 428 destroy
post "{\"target\": \"$plain\", $write, \"confirm\": \"$phrase\"}" 202 '"id"'
done_well "$id" 60 "a sweep of writes"
head -c 4194304 "$plain" | tr -d '\0' | head -c 1 >/tmp/first
[ -s /tmp/first ] || fail "the disk is still empty"
ask "/api/v1/runs?sweep_id=$id"
run=$(jq -r '.items[0].id' /tmp/body)
ask "/api/v1/runs/$run"
holds '.verified_bytes > 0 and .verified_bytes <= 4194304' || fail "nothing was read back"
verified=$(jq .verified_bytes /tmp/body)
passed "a write needs its confirmation: 428, then \"$phrase\"; $verified bytes verified"

phrase=$(target "$mounted" .confirm_phrase)
post "{\"target\": \"$mounted\", $write, \"confirm\": \"$phrase\"}" 403 "mounted"
passed "a mounted disk is never written, confirmed or not: 403"

# --- two at a time
both() { # two disks: spans in /tmp/first and /tmp/second
  post "{\"target\": \"$1\", $read, \"runtime\": \"2s\"}" 202 '"id"'
  first=$id
  post "{\"target\": \"$2\", $read, \"runtime\": \"2s\"}" 202 '"id"'
  second=$id
  done_well "$first" 90 "a sweep on $1"
  done_well "$second" 90 "a sweep on $2"
  spans "$first" >/tmp/first
  spans "$second" >/tmp/second
}
both "$plain" "$large"
overlap /tmp/first /tmp/second || fail "two disks were not measured side by side by two workers"
both "$small" "$large"
! overlap /tmp/first /tmp/second || fail "two namespaces of one controller were measured at once"
passed "two workers: two disks side by side, two namespaces of one controller one after the other"

# --- others who need the disk
post "{\"target\": \"$plain\", \"rw\": [\"randread\"], \"numjobs\": [1], \"size\": \"64m\",
  \"runtime\": \"8s\", \"yield_to_other_io\": true}" 202 '"id"'
wait_for 30 "a run to disturb" measuring "$id"
while true; do
  cat "$plain" >/dev/null
  echo 1 >/proc/sys/vm/drop_caches
done &
others=$!
yielding() { ask "/api/v1/sweeps/$id" && holds '.progress.phase == "yielding"'; }
wait_for 30 "the run to make room for others" yielding
kill "$others"
done_well "$id" 90 "a sweep that made room"
ask "/api/v1/runs?sweep_id=$id&state=interrupted"
holds '.items | length == 1 and (.[0].error | contains("others did"))' ||
  fail "the run that made room doesn't say so"
made_room=$(jq -r '.items[0].error' /tmp/body)
passed "a run makes room for others and is made again: $made_room"

# --- a disk pulled out
post "{\"target\": \"$pulled\", $read, \"runtime\": \"20s\"}" 202 '"id"'
wait_for 30 "a run on the disk to pull" measuring "$id"
say "pull $pulled"
pulled_out "$id" "$pulled"
post "{\"target\": \"$pulled\", \"rw\": [\"randread\"]}" 422 "doesn't exist"
passed "a disk pulled out during a run: $error"

say "all is well"
poweroff -f
