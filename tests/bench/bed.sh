# Sourced by the tests that measure in a guest without noise: QEMU's interpreter with -icount
# shift=0. The guest's clock advances by a nanosecond an instruction, whatever the neighbours do,
# and jumps to the next timer where nothing is to be done; it repeats within 0.2 %. Cache misses
# cost nothing here: tests/bench/native.sh has those.

# bed_run BUILD_DIR GUEST-SCRIPT TOOL...: boots a machine with null_blk disks, in which the script
# measures with our engine, the bare loop and the tools, and prints the table it makes (see
# bed_guest.sh). False: the table says that a bar is missed.
bed_run() {
  build=$(cd "$1" && pwd)
  script=$2
  shift 2
  . "$here/../vm/guest.sh"
  guest_begin "$@"
  log=$room/build
  cmake --build "$build" --target iobenchd-engine engine-driver bare-loop >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
  PATH=$build/bin:$PATH
  guest_program iobenchd-engine engine-driver bare-loop "$@"
  guest_module configfs null_blk
  install -m 0755 "$here/$script" "$root/init"
  cp "$here/bed_guest.sh" "$root/"

  guest_start 900 "" -smp 1 -accel tcg,thread=single -icount shift=0,sleep=off
  guest_wait || guest_failed "the guest was not ready within 900 s"
  sed -n 's/^bed: //p' "$room/said"
  grep -q '^bed: [0-9]* bars are missed' "$room/said" || guest_failed "the table is not complete"
  grep -q '^bed: 0 bars are missed' "$room/said"
}
