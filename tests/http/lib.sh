# Sourced by the HTTP tests: a daemon of their own in a directory of its own, on a port that the
# system chose. Needs BIN (the folder of the programs). Leaves nothing behind.

for tool in curl jq; do
  command -v "$tool" >/dev/null 2>&1 || { echo "skipped: $tool is not installed"; exit 77; }
done
home=$(mktemp -d "${TMPDIR:-/var/tmp}/iobenchd-http.XXXXXX")
daemon= base=
failures=0

failed() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

die() {
  echo "FAILED: $*" >&2
  echo "--- the end of the daemon's log" >&2
  tail -n 40 "$home/log" >&2
  exit 1
}

cleanup() {
  trap - EXIT INT TERM
  if [ -n "$daemon" ]; then
    kill "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
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

# Root's daemon would want a user of its own; the tests' one runs as nobody then.
as_user() {
  if [ "$(id -u)" = 0 ]; then
    exec setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
  fi
  exec "$@"
}

# run_daemon LOG OPTION...: in the foreground.
run_daemon() {
  log=$1
  shift
  (as_user "$BIN/iobenchd" -d "$@") >"$log" 2>&1 </dev/null
}

# start [OPTION...]
start() {
  mkdir "$home/state" "$home/scratch"
  chmod 0755 "$home"
  [ "$(id -u)" != 0 ] || chown nobody "$home/state" "$home/scratch"
  (as_user "$BIN/iobenchd" -d -o listen=127.0.0.1:0 -o database="$home/state/iobenchd.db" \
    -o scratch_dir="$home/scratch" "$@") >"$home/log" 2>&1 </dev/null &
  daemon=$!
  waited=0
  until port=$(grep -o '127\.0\.0\.1:[1-9][0-9]*' "$home/log" | head -n 1) && [ -n "$port" ]; do
    kill -0 "$daemon" 2>/dev/null || die "the daemon ended at once"
    waited=$((waited + 1))
    [ "$waited" -lt 100 ] || die "the daemon doesn't say where it listens"
    sleep 0.1
  done
  base=http://$port
}

# ask METHOD PATH [CURL OPTION...]: the answer in $status, $home/head and $home/body; $home/seen has
# the status of each.
ask() {
  method=$1 path=$2
  shift 2
  status=$(curl -sS -m 60 -X "$method" -D "$home/head" -o "$home/body" -w '%{http_code}' "$@" \
    "$base$path") || status="no answer"
  echo "$method ${path%%\?*} $status" >>"$home/seen"
}

# json METHOD PATH BODY [CURL OPTION...]
json() {
  method=$1 path=$2 body=$3
  shift 3
  ask "$method" "$path" -H 'Content-Type: application/json' -d "$body" "$@"
}

# expect STATUS WHAT [TEXT...]: the last answer's status, and what its body says.
expect() {
  wanted=$1 what=$2
  shift 2
  if [ "$status" != "$wanted" ]; then
    failed "$what: status $status instead of $wanted: $(head -c 600 "$home/body")"
    return 0
  fi
  for text in "$@"; do
    grep -qF -- "$text" "$home/body" ||
      failed "$what: nothing about \"$text\" in: $(head -c 600 "$home/body")"
  done
  if [ -s "$home/body" ] && [ "$(tail -c 1 "$home/body" | wc -l)" -ne 1 ]; then
    failed "$what: no newline ends the body"
  fi
}

# holds WHAT JQ-CONDITION: about the last answer.
holds() {
  jq -e "$2" "$home/body" >/dev/null || failed "$1: $2 isn't so: $(head -c 600 "$home/body")"
}

value() { jq -r "$1" "$home/body"; }
header() { sed -n "s/^$1: *\(.*[^[:space:]]\)[[:space:]]*\$/\1/Ip" "$home/head"; }

# described SCHEMA WHAT: the last answer has exactly the fields that the document describes.
described() {
  jq -r --slurpfile document "$home/openapi.json" --arg name "$1" \
    -f tests/http/described.jq "$home/body" >"$home/problems" 2>&1
  [ ! -s "$home/problems" ] || failed "$2: $(head -n 10 "$home/problems")"
}

# until_over ID: waits for a sweep.
until_over() {
  waited=0
  while :; do
    ask GET "/api/v1/sweeps/$1"
    case $(value .state) in
      queued | running) ;;
      *) return 0 ;;
    esac
    waited=$((waited + 1))
    [ "$waited" -lt 600 ] || die "sweep $1 isn't over after a minute"
    sleep 0.1
  done
}

# until_says FILE TEXT: waits for a line.
until_says() {
  waited=0
  until grep -qF -- "$2" "$1"; do
    waited=$((waited + 1))
    [ "$waited" -lt 300 ] || { failed "nothing about \"$2\" in $1"; return 0; }
    sleep 0.1
  done
}
