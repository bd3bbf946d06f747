# Sourced by the first process of a guest: a small system, the daemon's users, and how the daemon is
# asked by its socket.
/bin/busybox mkdir -p /usr/bin
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /var/lib /mnt
ifconfig lo 127.0.0.1 up
echo 'root:x:0:0:root:/:/bin/sh' >/etc/passwd
echo '_iobenchd:x:900:900::/nonexistent:/bin/false' >>/etc/passwd
echo 'root:x:0:' >/etc/group
echo '_iobenchd:x:900:' >>/etc/group
chmod 1777 /tmp

say() { echo "vm: $*" >/dev/console; }
passed() { say "ok: $*"; }
fail() {
  say "FAILED: $*"
  echo "--- the last answer: $(head -c 2000 /tmp/body)" >/dev/console
  echo "--- the end of the daemon's log" >/dev/console
  tail -n 30 /tmp/log >/dev/console
  poweroff -f
  sleep 60
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  left=$(($1 * 5)) what=$2
  shift 2
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "waited in vain for $what"
    sleep 0.2
  done
}

# ask PATH [curl's options]: the answer's body is in /tmp/body, its status in $status.
ask() {
  path=$1
  shift
  status=$(curl -sS --unix-socket /run/iobenchd/iobenchd.sock -o /tmp/body -w '%{http_code}' "$@" \
    "http://localhost$path")
}
# post BODY STATUS WORD: the word stands in the answer.
post() {
  ask /api/v1/sweeps -X POST -H 'Content-Type: application/json' -d "$1"
  [ "$status" = "$2" ] || fail "$1 is answered by $status, not by $2"
  grep -q "$3" /tmp/body || fail "the answer to $1 doesn't say: $3"
  id=$(jq -r '.id // empty' /tmp/body)
}
holds() { jq -e "$1" /tmp/body >/dev/null; }
sweep_is() { ask "/api/v1/sweeps/$1" && holds ".state == \"$2\""; }
over() { ask "/api/v1/sweeps/$1" && holds '.state | IN("done", "failed", "cancelled")'; }
done_well() { # ID SECONDS WHAT
  wait_for "$2" "the end of $3" over "$1"
  holds '.state == "done" and .runs_failed == 0' || fail "$3 failed"
}
measuring() { ask "/api/v1/sweeps/$1" && holds '.progress.phase == "measure"'; }
healthy() { curl -sf -m 2 -o /dev/null http://127.0.0.1:8464/healthz; }
target() { ask /api/v1/targets && jq -r ".items[] | select(.path == \"$1\") | $2" /tmp/body; }

start_daemon() {
  iobenchd -n >/tmp/log 2>&1 || fail "the configuration is refused"
  iobenchd -d >/tmp/log 2>&1 </dev/null &
  wait_for 30 "the daemon" healthy
}

# pulled_out ID PATH: waits until the sweep has failed because its disk is gone, while the daemon
# answers all the time.
pulled_out() {
  left=300
  until over "$1"; do
    healthy || fail "the daemon doesn't answer while a disk goes"
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "the sweep goes on without its disk"
    sleep 0.2
  done
  holds '.state == "failed"' || fail "the sweep on a pulled disk did not fail"
  holds ".error | startswith(\"$2 is gone: \")" || fail "the sweep doesn't say what happened"
  error=$(jq -r .error /tmp/body)
  ask "/api/v1/runs?sweep_id=$1&state=failed"
  holds '.items | length == 1' || fail "more than the one run was tried"
  [ ! -e "$2" ] || fail "$2 is still there"
  [ -z "$(target "$2" .path)" ] || fail "/targets still shows $2"
  healthy || fail "the daemon doesn't answer after a disk went"
}
