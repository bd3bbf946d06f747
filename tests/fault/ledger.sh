# Sourced after daemon.sh: what the daemon has promised (a 202, a run told of as done) and whether
# it keeps it. Everything is asked of the API; the file itself is judged by sqlite3.

command -v sqlite3 >/dev/null || { echo "skipped: no sqlite3"; exit 77; }
: >"$home/acknowledged"
: >"$home/events"
listener=
worst_recovery_ms=0
kills=0

# promise BODY: a sweep. It is in the ledger once the daemon has said 202, and not before.
promise() {
  code=$(curl -sS -m 20 -o "$home/posted" -w '%{http_code}' -X POST "$base/api/v1/sweeps" \
    -H 'Content-Type: application/json' -d "$1" 2>/dev/null) || return 0
  [ "$code" = 202 ] || fail "a sweep was refused with $code: $(cat "$home/posted")"
  jq -r '[.id, .uuid] | @tsv' "$home/posted" >>"$home/acknowledged"
}

# hear: writes down what the daemon tells of, until it dies.
hear() {
  curl -sN "$base/api/v1/events" >>"$home/events" 2>/dev/null &
  listener=$!
}
told_runs() {
  sed -n 's/^data: //p' "$home/events" |
    jq -rR 'fromjson? | select(.run.state? == "done") | .run.id' | sort -u
}

ndjson() { curl -sS -m 30 -H 'Accept: application/x-ndjson' "$base/api/v1/$1"; }

# Nothing that was promised may be missing.
check_ledger() {
  ndjson sweeps | jq -r '[.id, .uuid] | @tsv' | sort >"$home/kept"
  sort "$home/acknowledged" | comm -23 - "$home/kept" >"$home/lost"
  [ ! -s "$home/lost" ] || {
    figure sweeps_lost "$(wc -l <"$home/lost")"
    fail "acknowledged sweeps were lost: $(cat "$home/lost")"
  }
  told_runs >"$home/told"  # before it is asked: the next one may end meanwhile
  ndjson 'runs?state=done' | jq -r .id | sort -u >"$home/kept"
  comm -23 "$home/told" "$home/kept" >"$home/lost"
  [ ! -s "$home/lost" ] || {
    figure runs_lost "$(wc -l <"$home/lost")"
    fail "runs that were told of as done were lost: $(cat "$home/lost")"
  }
}

# check_file: of a database that nobody has open. A copy is judged: opening would repair.
check_file() {
  rm -rf "$home/copy"
  mkdir "$home/copy"
  cp "$home/state/iobenchd.db" "$home/copy/"
  [ ! -e "$home/state/iobenchd.db-wal" ] || cp "$home/state/iobenchd.db-wal" "$home/copy/"
  verdict=$(sqlite3 "$home/copy/iobenchd.db" 'PRAGMA integrity_check; PRAGMA foreign_key_check;')
  [ "$verdict" = ok ] || fail "the database is damaged: $verdict"
}

# kill_them VICTIM: service, launcher, engine or all; whoever is left, stopped or not, goes on.
# Returns once everybody who should be gone is.
kill_them() {
  doomed=$(family)
  case $1 in
    service) struck=$(service) ;;
    engine) struck=$(engines) ;;
    launcher) struck=$launcher ;;
    all) struck="$launcher $doomed" ;;
  esac
  struck_ms=$(now_ms)
  kills=$((kills + 1))
  kill -9 $struck 2>/dev/null || true  # some go with their parents
  kill -CONT $doomed 2>/dev/null || true
  case $1 in
    launcher | all)
      wait "$launcher" 2>/dev/null || true
      wait_for 15 "the end of the orphans" gone_all $doomed
      check_file
      ;;
    service) wait_for 15 "the end of the service" gone_all $struck ;;
  esac
}
gone_all() {
  for pid in "$@"; do ended "$pid" || return 1; done
}

# recover VICTIM: starts again what doesn't by itself, and looks what is left.
recover() {
  case $1 in
    launcher | all) start ;;
    *) wait_for 30 "the service's return" ready ;;
  esac
  took_ms=$(($(now_ms) - struck_ms))
  [ "$1" = engine ] || [ "$took_ms" -le "$worst_recovery_ms" ] || worst_recovery_ms=$took_ms
  [ "$1" = engine ] || hear
  check_ledger
}

# close_ledger: the last look; ends the daemon.
close_ledger() {
  check_ledger
  figure kills "$kills"
  figure sweeps_acknowledged "$(wc -l <"$home/acknowledged")"
  figure runs_told "$(told_runs | wc -l)"
  figure sweeps_lost 0
  figure runs_lost 0
  figure WORST_recovery_ms "$worst_recovery_ms"
  stop TERM
  check_file
}
