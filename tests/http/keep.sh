# The database as one file, and what an administrator does with it. Sourced by run.sh.

# says STATUS WHAT TEXT COMMAND...: its exit status, and what it prints.
says() {
  wanted=$1 what=$2 text=$3 got=0
  shift 3
  "$@" >"$home/said" 2>&1 || got=$?
  [ "$got" = "$wanted" ] || failed "$what: exit status $got: $(head -c 600 "$home/said")"
  grep -qF -- "$text" "$home/said" || failed "$what: nothing about \"$text\": $(head -c 600 "$home/said")"
}

calls_backup() {
  ask GET /api/v1/backup
  [ "$status" = 200 ] || failed "a backup: status $status: $(head -c 600 "$home/body")"
  [ "$(head -c 15 "$home/body")" = "SQLite format 3" ] || failed "a backup is no database"
  case $(header Content-Disposition) in
    'attachment; filename="iobenchd-20'*'.db"') ;;
    *) failed "a backup is called $(header Content-Disposition)" ;;
  esac
  [ "$(header Cache-Control)" = no-store ] || failed "a backup may be kept by caches"
  cp "$home/body" "$home/asked.db"
  says 0 "what was asked for" ": whole" "$BIN/iobench" check --database "$home/asked.db"
  ask HEAD /api/v1/backup -I
  [ "$status" = 200 ] || failed "HEAD of a backup: status $status"
  ask GET /api/v1/backup -H 'Sec-Fetch-Site: cross-site'
  expect 403 "a foreign page takes nothing along"
  ask GET '/api/v1/backup?colour=1'
  expect 400 "a parameter" colour
  [ -z "$(ls "$home/state" | grep backup)" ] || failed "a backup is left in $(ls "$home/state")"

  says 0 "iobench backup" "of the tables" "$BIN/iobench" backup --server "$base" "$home/kept.db"
  says 1 "over a file" "is there already" "$BIN/iobench" backup --server "$base" "$home/kept.db"
  says 1 "of nobody" "no iobenchd answers" \
    "$BIN/iobench" backup --server http://127.0.0.1:9 "$home/none.db"
  [ -z "$(ls "$home" | grep -e none -e partial)" ] || failed "a backup that failed left a file"
  says 2 "without a file" "needs a FILE" "$BIN/iobench" backup
  says 0 "check beside the daemon" ": whole" \
    "$BIN/iobench" check --database "$home/state/iobenchd.db"
  says 1 "check of nothing" "no database" "$BIN/iobench" check --database "$home/none.db"
  says 2 "an unknown option" "is no option" "$BIN/iobench" check --colour red

  says 1 "restore under a daemon" "another iobenchd" \
    "$BIN/iobench" restore --database "$home/state/iobenchd.db" "$home/kept.db"
  mkdir "$home/other"
  says 0 "restore" "restored from" \
    "$BIN/iobench" restore --database "$home/other/iobenchd.db" "$home/kept.db"
  says 0 "restore again" "is kept as" \
    "$BIN/iobench" restore --database "$home/other/iobenchd.db" "$home/kept.db"
  says 0 "what was restored" ": whole" "$BIN/iobench" check --database "$home/other/iobenchd.db"
  # Every page but the first becomes rubbish.
  size=$(($(wc -c <"$home/kept.db") / 4096))
  yes rubbish | dd of="$home/kept.db" bs=4096 seek=1 count=$((size - 1)) conv=notrunc \
    iflag=fullblock 2>/dev/null
  says 1 "check of a damaged one" "damaged" "$BIN/iobench" check --database "$home/kept.db"
  says 1 "restore of a damaged one" "damaged" \
    "$BIN/iobench" restore --database "$home/other/iobenchd.db" "$home/kept.db"
  says 1 "restore of something else" "is no database" \
    "$BIN/iobench" restore --database "$home/other/iobenchd.db" "$home/openapi.json"
  says 0 "what is still there" ": whole" "$BIN/iobench" check --database "$home/other/iobenchd.db"
}

# A daemon on a damaged database: reads are served, nothing is taken in, the file stays as it is.
bad_database() {
  mkdir "$home/damaged"
  cp "$home/asked.db" "$home/damaged/iobenchd.db"
  # It says of itself that it is a page longer (its length stands in bytes 28 to 31): cut off. Which
  # page a real cut takes depends on the tables; without one of the schema's nothing can be read.
  pages=$(($(wc -c <"$home/asked.db") / 4096 + 1))
  # shellcheck disable=SC2059 # four bytes, the highest first
  printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((pages >> 24 & 255)) $((pages >> 16 & 255)) \
    $((pages >> 8 & 255)) $((pages & 255)))" |
    dd of="$home/damaged/iobenchd.db" bs=1 seek=28 conv=notrunc 2>/dev/null
  cksum <"$home/damaged/iobenchd.db" >"$home/damaged.sum"
  [ "$(id -u)" != 0 ] || chown -R nobody "$home/damaged"
  (as_user "$BIN/iobenchd" -d -o listen=127.0.0.1:0 -o database="$home/damaged/iobenchd.db" \
    -o scratch_dir="$home/damaged") >"$home/damaged.log" 2>&1 </dev/null &
  damaged=$!
  until_says "$home/damaged.log" "listens on"
  whole=$base
  base=http://$(grep -o '127\.0\.0\.1:[1-9][0-9]*' "$home/damaged.log" | head -n 1)
  ask GET /readyz
  expect 503 "readyz of a damaged database" "is damaged" "iobench restore"
  json POST /api/v1/sweeps '{"ioengine": "null", "size": "16m"}'
  expect 503 "a sweep for a damaged database" "is damaged"
  ask GET /api/v1/sweeps
  expect 200 "the sweeps of a damaged database"
  holds "the sweeps of a damaged database" '.items | length > 0'
  says 0 "its status" "not ready: the database" "$BIN/iobench" status --server "$base"
  base=$whole
  kill "$damaged"
  wait "$damaged" || true
  [ "$(grep -c 'is damaged' "$home/damaged.log")" = 1 ] ||
    failed "not said once: $(grep 'is damaged' "$home/damaged.log")"
  cksum <"$home/damaged/iobenchd.db" | cmp -s - "$home/damaged.sum" ||
    failed "a damaged database was changed"
}
