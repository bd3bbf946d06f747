#!/bin/sh
# From a bare machine to the answer: installs what is missing, builds, starts a daemon of its own as
# a plain user, asks it how many jobs this disk is worth, and prints what it says.
#
#   sh daemon/demo.sh [-y] [--once] [--small] [--write]
#
# -y       install missing packages without asking (without a terminal it never asks)
# --once   end after the answer (as it does without a terminal); else it stays until Ctrl-C
# --small  a 256 MiB file and short runs, for a machine with little room or time
# --write  measure random writes too (to the daemon's own scratch file)
#
# Nothing outside its own directory (IOBENCHD_DEMO_DIR, by default below /var/tmp) is written but the
# build folder.
set -eu
cd "$(dirname "$0")/.."
. daemon/packages.sh

answer=ask once=no small=no write=no
[ -t 1 ] || once=yes
for argument in "$@"; do
  case $argument in
    -y) answer=yes ;;
    --once) once=yes ;;
    --small) small=yes ;;
    --write) write=yes ;;
    -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "demo: unknown option $argument (known: -y --once --small --write)" >&2; exit 2 ;;
  esac
done

die() {
  echo "demo: $*" >&2
  exit 1
}

build() {
  jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || getconf NPROCESSORS_ONLN)
  mkdir -p build
  [ -f build/release/build.ninja ] || echo "Building (a few minutes the first time) ..."
  if ! { cmake --preset release && cmake --build --preset release -j "$jobs"; } \
    >build/demo.log 2>&1; then
    tail -n 40 build/demo.log >&2
    die "the build failed; all of it is in build/demo.log"
  fi
}

# Root's demo runs as nobody, from a copy that nobody can reach and only root can change.
prepare() {
  user=$(id -un)
  [ "$(id -u)" != 0 ] || user=nobody
  home=${IOBENCHD_DEMO_DIR:-/var/tmp/iobenchd-demo-$user}
  [ -d "$home" ] || mkdir -m 0755 "$home" || die "can't make $home; set IOBENCHD_DEMO_DIR"
  [ -O "$home" ] || die "$home belongs to somebody else; set IOBENCHD_DEMO_DIR"
  program=$(pwd)/build/release/bin/iobenchd
  [ -d "$home/state" ] || mkdir -m 0700 "$home/state"
  if [ "$(id -u)" = 0 ]; then
    cmake --install build/release --prefix "$home/install" >>build/demo.log 2>&1 ||
      die "the install failed; see build/demo.log"
    program=$home/install/sbin/iobenchd
    chown nobody "$home/state"
  fi
}

as_user() {
  if [ "$(id -u)" != 0 ]; then
    exec "$@"
  elif command -v setpriv >/dev/null 2>&1; then
    exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
  else
    exec su -s /bin/sh nobody -c 'exec "$0" "$@"' "$@"
  fi
}

alive() { kill -0 "$daemon" 2>/dev/null; }

start() {
  port=8464
  while :; do
    : >"$home/log"
    (as_user "$program" -d -o listen="127.0.0.1:$port" -o database="$home/state/iobenchd.db" \
      -o scratch_dir="$home/state/scratch") >"$home/log" 2>&1 </dev/null &
    daemon=$!
    base=http://127.0.0.1:$port
    # Its own word, not an answer on the port: somebody else's daemon may answer there.
    until grep -q "iobenchd listens on" "$home/log"; do
      alive || break
      sleep 0.1
    done
    alive && return 0
    if ! grep -q "another program listens there already" "$home/log"; then
      cat "$home/log" >&2
      die "the daemon did not start"
    fi
    echo "Port $port is taken; trying $((port + 1))."
    port=$((port + 1))
    [ "$port" -lt 8484 ] || die "ports 8464 to 8483 are all taken"
  done
}

stop() {
  trap - EXIT INT TERM
  if [ -n "${daemon:-}" ] && alive; then
    kill "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
}

# first FIELD: its first value in the JSON that stands in $reply.
first() {
  printf '%s' "$reply" | grep -o "\"$1\": *\"\{0,1\}[^\",}]*" | head -n 1 | sed 's/.*: *"\{0,1\}//'
}

request() {
  body='"preset":"quick"'
  [ "$small" = no ] ||
    body="$body,\"size\":\"256m\",\"runtime\":\"1s\",\"ramp_time\":\"250ms\",\"repeats\":1"
  [ "$write" = no ] || body="$body,\"rw\":[\"randread\",\"randwrite\"]"
  # Two curves take twice the runs: once each, so that it stays within two minutes.
  [ "$write$small" != yesno ] ||
    body="$body,\"runtime\":\"2s\",\"ramp_time\":\"500ms\",\"repeats\":1"
  body="{$body}"
}

show_progress() {
  line="$(first phase): run $(($(first runs_done) + 1)) of at most $(first runs_total),"
  line="$line $(first eta_s | sed 's/\..*//') s left"
  if [ -t 1 ]; then
    printf '\r\033[K%s' "$line"
  elif [ "$(first phase)" != "${shown:-}" ] && [ $((waited % 15)) = 0 ]; then
    echo "$line"
  fi
}

measure() {
  request
  reply=$(curl -sS -X POST "$base/api/v1/sweeps" -H 'Content-Type: application/json' -d "$body")
  id=$(first id)
  case $id in
    '' | *[!0-9]*) die "the daemon refused the sweep: $reply" ;;
  esac
  echo "Sweep $id is on its way: $(first seconds | sed 's/\..*//') s at most. $base/#/sweeps/$id"
  waited=0
  while :; do
    reply=$(curl -sS "$base/api/v1/sweeps/$id")
    state=$(first state)
    case $state in
      queued | running) show_progress ;;
      *) break ;;
    esac
    sleep 1
    waited=$((waited + 1))
  done
  [ ! -t 1 ] || printf '\r\033[K'
  echo
  curl -sS "$base/api/v1/sweeps/$id?format=text"
  [ "$state" = done ] || die "the sweep ended as $state"
}

packages_install demo "$answer" build web
build
prepare
trap 'stop; exit 130' INT TERM
trap stop EXIT
start
measure
echo
echo "Dashboard:  $base/"
echo "Ask again:  curl -X POST '$base/api/v1/sweeps?wait=true'"
if [ "$once" = no ]; then
  echo "The daemon stays until Ctrl-C."
  wait "$daemon" || true
fi
