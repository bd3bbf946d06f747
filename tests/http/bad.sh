# Bad input: each a clear error that names the field or the path and the cure; nothing started,
# nothing lost. Sourced by run.sh.

# refused STATUS BODY TEXT...
refused() {
  wanted=$1 body=$2
  shift 2
  json POST /api/v1/sweeps "$body"
  expect "$wanted" "$(printf %.60s "$body")" "$@"
  case $(header Content-Type) in
    application/problem+json*) ;;
    *) failed "$body: the error is $(header Content-Type)" ;;
  esac
}

bad_fields() {
  refused 422 '{"numjobs": 0}' '"field":"numjobs"' "got 0" "from 1 to 1024"
  refused 422 '{"numjobs": 3.7}' "got 3.7" "a whole number"
  refused 422 '{"numjobs": true}' "got true" "a whole number"
  refused 422 '{"numjobs": "abc"}' 'got \"abc\"' "a whole number"
  refused 422 '{"bs": 1000}' '"field":"bs"' "1000" "1024"
  refused 422 '{"iodpeth": 4}' 'did you mean \"iodepth\"'
  refused 422 '{"yield_to_other_io": true, "ioengine": "null"}' '"field":"yield_to_other_io"' \
    "can't be had here"
  refused 422 '{"numjobs": 0, "bs": [4096, 1], "runtime": "soon", "colour": 1}' \
    '"numjobs"' '"bs[1]"' '"#/bs/1"' '"runtime"' '"colour"'
  described Problem "a problem"
  holds "every wrong field" '.errors | length == 4'
}

bad_targets() {
  refused 403 '{"target": "/etc/hostname"}' /etc/hostname '\"targets\"'
  refused 422 "{\"target\": \"$home/scratch\"}" '"field":"target"' "directory"
  echo "mine" >"$home/scratch/mine"
  refused 422 "{\"target\": \"$home/scratch/mine\", \"rw\": \"randwrite\"}" \
    '"field":"target"' "never written"
  [ "$(cat "$home/scratch/mine")" = mine ] || failed "somebody's file was written"
  rm "$home/scratch/mine"
  refused 422 '{"target": "disk"}' "absolute"
  refused 422 '{"size": "500t"}' '"field":"size"' "would fit"
  # A little less, because others fill and free the disk meanwhile.
  fitting=$(value '.errors[0].message' | sed -n 's/.*"\([0-9]*\)\([kmgt]*\)" would fit.*/\1 \2/p')
  fitting=$((${fitting% *} * 9 / 10))${fitting#* }
  json POST '/api/v1/sweeps?dry_run=true' "{\"size\": \"$fitting\"}"
  case $status in
    200 | 428) ;; # it fits; writing that much may need a budget
    *) failed "the size that would fit ($fitting) doesn't: $(head -c 600 "$home/body")" ;;
  esac
}

bad_bodies() {
  refused 400 '{' "line 1"
  refused 400 '{"bs": 4096, "bs": 8192}' bs
  refused 400 '[1]' "a list"
  head -c 2097152 /dev/zero | tr '\0' ' ' >"$home/large"
  ask POST /api/v1/sweeps -H 'Content-Type: application/json' --data-binary "@$home/large"
  expect 413 "2 MiB of JSON"
  ask POST /api/v1/sweeps -d 'numjobs=4'
  expect 415 "a form" curl application/json
  ask POST /api/v1/imports -H 'Content-Type: application/xml' -d '<fio/>'
  expect 415 "an import of an unknown type" text/csv application/json text/plain
  ask POST /api/v1/imports -H 'Content-Type: application/json' -d '{}'
  expect 422 "JSON that isn't fio's" "isn't fio's JSON"
  ask POST /api/v1/imports -H 'Content-Type: application/json' -d '{"fio version": "fio-3.33", '
  expect 400 "fio's JSON, cut off" "document 1" "line 1"
  sed 's/"bw" : 20000,/"bw" : 20480,/' tests/data/fio/group.json >"$home/kb.json"
  ask POST /api/v1/imports -H 'Content-Type: application/json' --data-binary "@$home/kb.json"
  expect 422 "kB in place of KiB" "document 1, jobs[0] (reads)" "read.bw" "kB (of 1000)"
  ask POST '/api/v1/imports?numjobs=4' -H 'Content-Type: application/json' \
    --data-binary @tests/data/fio/group.json
  expect 422 "numjobs that isn't the document's" "numjobs" "the document says 2"
  head -c 67108865 /dev/zero >"$home/large"
  ask POST /api/v1/imports -H 'Content-Type: application/json' --data-binary "@$home/large"
  expect 413 "an import of more than 64 MiB"
  ask POST '/api/v1/imports?numjobs=4' -H 'Content-Type: text/csv' \
    --data-binary @storage/baselines/openbsd77-2025.csv
  expect 422 "numjobs of a table" "a table has a column for it"
  sed 's/reads-2/reads/' tests/data/fio/group.terse >"$home/unnamed.terse"
  ask POST /api/v1/imports -H 'Content-Type: text/plain' --data-binary "@$home/unnamed.terse"
  expect 422 "terse without a number of jobs" "line 1" numjobs "?numjobs="
  ask POST '/api/v1/imports?rw=sideways&numjobs=0' -H 'Content-Type: text/plain' -d '3;'
  expect 400 "wrong parameters of an import" rw numjobs "from 1 to 1024"
}

bad_requests() {
  ask GET '/api/v1/sweeps?stat=done&limit=501'
  expect 400 "wrong parameters" stat "known are" "from 1 to 500"
  ask GET /api/v1/nothing
  expect 404 "an unknown path" openapi.json
  for path in /../../../../etc/passwd /%2e%2e/%2e%2e/etc/passwd //etc/passwd /./; do
    ask GET "$path" --path-as-is
    expect 404 "a way out of the dashboard: $path"
  done
  ask PUT /api/v1/sweeps
  expect 405 "an unknown method"
  [ -n "$(header Allow)" ] || failed "405 without Allow"
  ask GET /api/v1/sweeps -H 'Host: evil.example'
  expect 421 "a foreign host" allowed_hosts
  ask POST /api/v1/sweeps -H 'Origin: http://evil.example'
  expect 403 "a foreign origin"
  ask GET '/api/v1/sweeps?limit=500'
  holds "nothing was started by all this" '[.items[] | select(.state == "queued" or
                                            .state == "running")] == []'
  holds "nothing was lost by all this" ".items | map(.id) | index($id) != null"
}

# refuses_to_start WHAT TEXT OPTION...
refuses_to_start() {
  what=$1 text=$2
  shift 2
  if run_daemon "$home/second.log" -o listen=127.0.0.1:0 "$@"; then
    failed "$what: the daemon started"
  fi
  grep -qF -- "$text" "$home/second.log" || failed "$what: $(cat "$home/second.log")"
}

bad_starts() {
  refuses_to_start "a second daemon on one database" "$home/state/iobenchd.db" \
    -o database="$home/state/iobenchd.db" -o scratch_dir="$home/scratch"
  mkdir -p "$home/locked"
  chmod 0555 "$home/locked"
  if [ "$(id -u)" = 0 ]; then chown root "$home/locked"; fi
  refuses_to_start "an unwritable state directory" "$home/locked" \
    -o database="$home/locked/iobenchd.db" -o scratch_dir="$home/locked/scratch"
  refuses_to_start "a taken port" "${base#http://}" -o listen="${base#http://}" \
    -o database="$home/state/other.db" -o scratch_dir="$home/scratch"
  ask GET /healthz
  expect 200 "the first daemon goes on"
}
