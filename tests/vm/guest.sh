# Sourced by the tests that boot a machine of their own: QEMU without KVM, Debian's cloud kernel and
# an initramfs of busybox and what the test adds. Needs `build`, the build folder, where the kernel
# is kept between runs; it is not installed on this machine. Leaves nothing else behind.
# flavour=amd64 takes the kernel that has drivers for what no cloud has.

guest_skip() {
  echo "skipped: $*"
  exit 77
}

room=
guest_pid= guest_helper= # processes of ours; the helper, if any, acts on the guest from outside
guest_cleanup() {
  trap - EXIT INT TERM
  for process in $guest_helper $guest_pid; do
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  [ -z "$room" ] || rm -rf "$room"
}

# guest_begin TOOL...: what the test needs of this machine beside QEMU. Sets room, a folder that is
# gone at the end, with the guest's root in it.
guest_begin() {
  [ "$(uname -sm)" = "Linux x86_64" ] || guest_skip "the guest is made for Linux on x86-64"
  for tool in qemu-system-x86_64 busybox cpio apt-get dpkg-deb "$@"; do
    command -v "$tool" >/dev/null || guest_skip "no $tool"
  done
  guest_find_kernel
  room=$(mktemp -d "${TMPDIR:-/var/tmp}/iobenchd-vm.XXXXXX")
  trap guest_cleanup EXIT
  trap 'guest_cleanup; exit 130' INT TERM
  root=$room/root
  mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/etc" "$root/tmp" "$root/run"
  guest_program busybox
}

guest_find_kernel() {
  flavour=${flavour:-cloud-amd64}
  kernel=$build/vm/$flavour
  if [ ! -d "$kernel" ]; then
    mkdir -p "$build/vm"
    guest_download || guest_skip "apt-get can't download Debian's linux-image-$flavour"
  fi
}

# The lists of packages may be older than the mirror: then they are read anew, where we may.
guest_download() (
  cd "$build/vm"
  rm -rf ./*.deb kernel.part
  for attempt in 1 2; do
    package=$(apt-cache depends "linux-image-$flavour" 2>/dev/null |
      sed -n 's/.*Depends: \(linux-image-[^ ]*\)$/\1/p')
    if [ -n "$package" ] && apt-get download "$package" >/dev/null 2>&1; then
      dpkg-deb -x ./*.deb kernel.part && mv kernel.part "$flavour" && rm -f ./*.deb
      return
    fi
    [ "$attempt" = 1 ] && [ "$(id -u)" = 0 ] && apt-get update >/dev/null 2>&1 || return 1
  done
  return 1
)

# guest_program PROGRAM...: into the guest's /bin, and the libraries to where the guest looks.
guest_program() {
  for program in "$@"; do
    program=$(command -v "$program")
    cp -L "$program" "$root/bin/"
    { ldd "$program" 2>/dev/null || true; } |
      sed -n 's/.* => \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) .*/\1/p' |
      while read -r library; do
        mkdir -p "$root${library%/*}"
        cp -L "$library" "$root$library"
      done
  done
}

# guest_module NAME...: into the guest's root folder, for insmod.
guest_module() {
  for module in "$@"; do
    find "$kernel/lib/modules" -name "$module.ko" -exec cp {} "$root/" \;
    [ -e "$root/$module.ko" ] || guest_skip "the kernel has no module $module"
  done
}

# guest_modules NAME...: for modprobe, with all they depend on, to where it looks for them.
guest_modules() {
  modules=$(cd "$kernel" && echo lib/modules/*)
  mkdir -p "$root/$modules"
  for module in "$@"; do
    file=$(cd "$kernel" && find "$modules" -name "$module.ko")
    [ -n "$file" ] || guest_skip "the kernel has no module $module"
    cp "$kernel/$file" "$root/$modules/"
  done
}

# guest_start SECONDS KERNEL-ARGUMENTS QEMU-ARGUMENT...: boots $root; its script is $root/init. What
# the guest says is in $room/console.
guest_start() {
  guest_seconds=$1 arguments=$2
  shift 2
  (cd "$root" && find . | cpio -o -H newc --quiet) >"$room/initrd"
  : >"$room/console"
  timeout "$guest_seconds" qemu-system-x86_64 -m 1024 -cpu max -nodefaults -display none \
    -no-reboot -serial "file:$room/console" \
    -kernel "$kernel"/boot/vmlinuz-* -initrd "$room/initrd" \
    -append "console=ttyS0 quiet panic=-1 $arguments" "$@" 2>"$room/qemu" &
  guest_pid=$!
}

# guest_pull_when_asked DEVICE: pulls it out when the guest says so. Needs a QMP monitor on
# $room/qmp.
guest_pull_when_asked() {
  until grep -q '^vm: pull ' "$room/console"; do
    sleep 0.2
  done
  echo '{"execute": "qmp_capabilities"}
        {"execute": "device_del", "arguments": {"id": "'"$1"'"}}' >"$room/qmp.in"
}

# Waits until the guest has switched itself off. False: it was still at it after its time.
guest_wait() {
  guest_status=0
  wait "$guest_pid" || guest_status=$?
  guest_pid=
  tr -d '\r' <"$room/console" >"$room/said"
  [ "$guest_status" = 0 ]
}

guest_failed() {
  echo "FAILED: $*" >&2
  echo "--- the end of the guest's console" >&2
  tail -n 60 "$room/said" >&2
  cat "$room/qemu" >&2
  exit 1
}
