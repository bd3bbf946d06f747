# Sourced by the first process of a guest of bed.sh: busybox, disks, our engine and fio on one of
# them, and the table's end.
/bin/busybox mkdir -p /usr/bin /dev/shm
/bin/busybox --install -s /bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/shm
mount -t tmpfs none /dev/shm
ulimit -n 4096 # the driver puts descriptors out of the engine's way

insmod /configfs.ko
insmod /null_blk.ko nr_devices=0
mount -t configfs none /sys/kernel/config

say() { echo "bed: $*" >/dev/console; }
missed=0
broken() {
  say "BROKEN: $*"
  poweroff -f
}
finish() {
  say "$missed bars are missed"
  poweroff -f
}

# With a queue for polled I/Os; a disk of one queue alone would get an I/O scheduler.
disk() { # name irqmode completion_nsec: appears as /dev/name
  made=/sys/kernel/config/nullb/$1
  mkdir "$made"
  for setting in size=1024 blocksize=4096 queue_mode=2 submit_queues=1 hw_queue_depth=256 \
    irqmode="$2" completion_nsec="$3" poll_queues=1 power=1; do
    echo "${setting#*=}" >"$made/${setting%%=*}" || broken "null_blk takes no $setting"
  done
}

runtime=200 # ms of the guest's time

ours() { # device name=value...: the driver's line of JSON
  device=$1
  shift
  engine-driver /bin/iobenchd-engine "$device" runtime_ms=$runtime ramp_ms=10 "$@" >/tmp/ours ||
    broken "our engine: $*"
  for fact in '"direct": 1,' '"tsc": 1'; do
    grep -q "$fact" /tmp/ours || broken "our engine ran without $fact: $*: $(cat /tmp/ours)"
  done
  cat /tmp/ours
}
figure() { grep -o "\"$1\": [0-9.]*" | sed -n '1s/.*: //p'; } # the first: of the whole run

fio_on() { # device option...: fio's JSON
  device=$1
  shift
  fio --name=bed --filename="$device" --bs=4k --size=1g --direct=1 --invalidate=0 \
    --time_based --runtime=${runtime}ms --group_reporting --output-format=json "$@" >/tmp/fio \
    2>&1 || broken "fio $*: $(cat /tmp/fio)"
  cat /tmp/fio
}
