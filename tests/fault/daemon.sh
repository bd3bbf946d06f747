# Sourced by the fault tests: a daemon of their own in a directory of its own, on a port of its own.
# Needs BIN (the folder of the programs). Leaves nothing behind.

home=$(mktemp -d "${TMPDIR:-/var/tmp}/iobenchd-fault.XXXXXX")
launcher=
port=$((20000 + $$ % 20000))
base=http://127.0.0.1:$port

fail() {
  echo "FAILED: $*" >&2
  echo "--- the end of the daemon's log" >&2
  tail -n 40 "$home/log" >&2
  exit 1
}

passed() { echo "ok: $*"; }

engines() { pgrep -P "$launcher" -f iobenchd-engine || true; }
service() { pgrep -P "$launcher" -f 'iobenchd: service' || true; }

# The family of the launcher, oldest first: what kill -9 of everything means.
family() {
  for child in $(pgrep -P "$launcher"); do
    echo "$child"
    pgrep -P "$child" || true
  done
}

end_launcher() {
  [ -n "$launcher" ] || return 0
  kill -9 "$launcher" $(family) 2>/dev/null || true
  wait "$launcher" 2>/dev/null || true
  launcher=
}
cleanup() {
  trap - EXIT INT TERM
  end_launcher
  rm -rf "$home"
}
trap cleanup EXIT
trap 'cleanup; exit 130' INT TERM

# Started by root the daemon runs as nobody, who may have no way to the programs: root's home is
# closed. From a copy that everybody can reach and only root can change.
if [ "$(id -u)" = 0 ]; then
  mkdir "$home/bin"
  cp "$BIN/iobenchd" "$BIN/iobenchd-engine" "$BIN/iobench" "$home/bin/"
  chmod 0755 "$home" "$home/bin"
  BIN=$home/bin
fi

# Root's daemon would want a user of its own; the tests' one runs as whoever starts them where that
# is not root, else as nobody.
as_user() {
  if [ "$(id -u)" = 0 ]; then
    exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
  fi
  exec "$@"
}

# launch OPTION...: without waiting. Its log goes where $log says, $environment (words A=B) comes
# with it.
environment=
log=$home/log
: >"$log"
launch() {
  [ "$(id -u)" != 0 ] || chown nobody "$home"
  chmod 0755 "$home"
  (as_user env IOBENCHD_FAILPOINTS="$home/state" $environment "$BIN/iobenchd" -d \
    -o listen="127.0.0.1:$port" -o database="$home/state/iobenchd.db" \
    -o scratch_dir="$home/scratch" "$@") >>"$log" 2>&1 </dev/null &
  launcher=$!
}

ready() { curl -sf -m 1 -o /dev/null "$base/readyz"; }
start() {
  launch "$@"
  wait_for 30 "readyz" ready
}

# stop SIGNAL: ends it in order.
stop() {
  kill -"$1" "$launcher"
  wait_for 10 "the end after SIG$1" ended "$launcher"
  wait "$launcher" || fail "SIG$1 ended it with status $?"
  launcher=
}

# figure NAME VALUE: a line of the table that run.sh prints; WORST_... is the largest of all, the
# others are added up.
figure() { echo "$1 $2" >>"${FIGURES:-/dev/null}"; }

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  left=$(($1 * 10)) what=$2
  shift 2
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "waited in vain for $what"
    sleep 0.1
  done
}

queue_is_empty() {
  curl -sf -m 5 "$base/metrics" | awk '
    /^iobenchd_(queue_length|sweeps_running) / { seen++; busy += $2 }
    END { exit !(seen == 2 && busy == 0) }'
}
post() { curl -sS -X POST "$base/api/v1/sweeps" -H 'Content-Type: application/json' -d "$1" | jq -r .id; }
sweep() { curl -sS "$base/api/v1/sweeps/$1"; }
state() { sweep "$1" | jq -r .state; }
state_is() { [ "$(state "$1")" = "$2" ]; }
runs_are_at_least() { [ "$(sweep "$1" | jq .progress.runs_done)" -ge "$2" ]; }
measuring() { [ "$(sweep "$1" | jq -r .progress.phase)" = measure ] && [ -n "$(engines)" ]; }
alive() { kill -0 "$1" 2>/dev/null; }
gone() { ! alive "$1"; }
ended() { ! alive "$1" || [ "$(ps -o stat= -p "$1" | cut -c1)" = Z ]; }
healthy() { curl -sf -m 1 -o /dev/null "$base/healthz"; }
