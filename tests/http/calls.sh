# The calls that work. Sourced by run.sh.

# No disk is needed for most of them: the engine "null" does no I/O.
small='{"ioengine": "null", "numjobs": [1, 2, 4, 8], "size": "16m", "runtime": "300ms",
        "ramp_time": 0, "label": "small"}'

calls_machine() {
  ask GET /healthz
  expect 200 healthz '"status"'
  described Health healthz
  ask GET /readyz
  expect 200 readyz
  described Ready readyz
  ask GET /api/v1/system
  expect 200 system
  described System system
  holds system '.cpus > 0 and (.host | length) > 0'
  ask GET /api/v1/targets
  expect 200 targets
  described TargetPage targets
  holds targets '[.items[] | select(.scratch)] | length == 1'
}

calls_sweep() {
  ask GET /api/v1/sweeps
  holds "a new database has no sweeps" '.items == [] and .next_cursor == null'
  json POST '/api/v1/sweeps?dry_run=true' "$small"
  expect 200 "a dry run"
  described Plan "a dry run"
  ask POST '/api/v1/sweeps?dry_run=true'
  expect 200 "a dry run without a body" '"ioengine"'
  ask GET /api/v1/sweeps
  holds "a dry run queues nothing" '.items == []'

  curl -sN -m 60 "$base/api/v1/events" >"$home/events" &
  listener=$!
  json POST /api/v1/sweeps "$small" -H 'Idempotency-Key: first'
  expect 202 "a sweep"
  described SweepItem "a sweep"
  id=$(value .id)
  [ "$(header Location)" = "/api/v1/sweeps/$id" ] || failed "Location is $(header Location)"
  json POST /api/v1/sweeps "$small" -H 'Idempotency-Key: first'
  expect 202 "the same again"
  holds "one key makes one sweep" ".id == $id"

  until_over "$id"
  expect 200 "the sweep"
  described Sweep "the sweep"
  holds "the sweep" '.state == "done" and (.points | length) == 4 and .runs_failed == 0'
  holds "its answer" '(.answer | length) > 0 and (.curves | length) == 1'
  etag=$(header ETag)
  [ -n "$etag" ] || failed "a finished sweep has no ETag"
  ask GET "/api/v1/sweeps/$id" -H "If-None-Match: $etag"
  expect 304 "a known ETag"

  until_says "$home/events" 'event: state'
  until_says "$home/events" 'event: run'
  kill "$listener" 2>/dev/null || true
  wait "$listener" 2>/dev/null || true
  sed -n '/^event: run/,/^$/s/^data: //p' "$home/events" | head -n 1 >"$home/body"
  described RunEvent "an event run"
  sed -n '/^event: state/,/^$/s/^data: //p' "$home/events" | head -n 1 >"$home/body"
  described StateEvent "an event state"
  sed -n '/^event: progress/,/^$/s/^data: //p' "$home/events" | head -n 1 >"$home/body"
  [ ! -s "$home/body" ] || described ProgressEvent "an event progress"

  ask GET '/api/v1/sweeps?label=small&state=done'
  described SweepPage "the list"
  holds "the list" '.items | length == 1'
  json PATCH "/api/v1/sweeps/$id" '{"notes": "quiet night", "pinned": true}'
  expect 200 "a patch"
  holds "a patch" '.notes == "quiet night" and .pinned and .label == "small"'
}

# Everything a workload may be, on a scratch file, for as short as it can be.
calls_workloads() {
  json POST /api/v1/sweeps '{"rw": ["randrw", "randwrite"], "rwmixread": 70, "ioengine": "psync",
    "fsync": 8, "sync": "dsync", "buffer_compress_percentage": 50, "io_size": "1g",
    "rate_iops": 2000, "rate_process": "poisson", "random_distribution": "zipf:1.2",
    "cpus_allowed": "0", "repeats": {"min": 2, "max": 3, "ci_percent": 50},
    "numjobs": 2, "size": "4m", "runtime": "300ms", "ramp_time": 0}'
  expect 202 "a sweep of mixes"
  described SweepItem "a sweep of mixes"
  holds "what was asked" '.spec | .rwmixread == 70 and .fsync == 8 and .repeats.max == 3'
  mixed=$(value .id)
  until_over "$mixed"
  described Sweep "a sweep of mixes"
  holds "both directions of a mix" '.state == "done" and (.points[] | select(.rw == "randrw")
    | .read.iops > .write.iops and .write.iops > 0)'
  holds "one direction of a write" '.points[] | select(.rw == "randwrite") | .read == null'
  run=$(value '.points[] | select(.rw == "randwrite") | .run_ids[0]')
  ask GET "/api/v1/runs/$run"
  described Run "a run with fsyncs"
  holds "its fsyncs" '.fsync.ios > 0 and .fsync.bytes == 0 and .write.ios >= 8 * (.fsync.ios - 2)'

  json POST /api/v1/sweeps '{"rw": "randrw", "verify": true, "ioengine": "psync", "numjobs": 2,
    "size": "4m", "runtime": "300ms", "ramp_time": 0}'
  until_over "$(value .id)"
  described Sweep "a sweep that verifies"
  holds "a sweep that verifies" '.state == "done" and .spec.verify'
  ask GET "/api/v1/runs/$(value '.points[0].run_ids[0]')"
  holds "what was verified" '.verified_bytes >= .write.latency.count and .verified_bytes > 0'

  json POST '/api/v1/sweeps?dry_run=true' '{"steady_state": {"rounds": 5, "round_s": 2},
    "precondition": true, "numjobs": 1, "ramp_time": 0, "size": "4m"}'
  expect 200 "a plan of rounds"
  holds "a plan of rounds" '.seconds >= 10 and .runs == 1'
  json POST /api/v1/sweeps '{"ioengine": "mmap", "norandommap": false, "numjobs": 1,
    "size": "4m", "runtime": "200ms", "ramp_time": 0}'
  until_over "$(value .id)"
  holds "a mapping is page cache, and is doubted" '.state == "done" and
    ([.points[0].verdicts[].name] | index("cached")) != null'
}

calls_text_and_wait() {
  ask GET "/api/v1/sweeps/$id" -H 'Accept: text/plain'
  expect 200 "a sweep as text" numjobs MiB/s IOPS 'p99 µs' note
  ask POST '/api/v1/sweeps?wait=true' -H 'Content-Type: application/json' \
    -d '{"numjobs": "1-8*2", "size": "16m", "runtime": "300ms", "ramp_time": "100ms"}'
  expect 200 "waiting for a sweep on a scratch file" "at most" numjobs IOPS
  set -- "$home/scratch/"*
  [ ! -e "$1" ] || failed "the scratch file is still there: $1"
}

calls_cancel_and_delete() {
  json POST /api/v1/sweeps '{"ioengine": "null", "numjobs": 1, "runtime": "60s", "size": "16m"}'
  expect 202 "a long sweep"
  long=$(value .id)
  ask DELETE "/api/v1/sweeps/$long"
  expect 409 "deleting an active sweep" cancel
  ask POST "/api/v1/sweeps/$long/cancel"
  expect 202 "a cancel"
  until_over "$long"
  holds "a cancelled sweep" '.state == "cancelled"'
  ask POST "/api/v1/sweeps/$long/cancel"
  expect 409 "cancelling twice"
  ask DELETE "/api/v1/sweeps/$long"
  expect 204 "a delete"
  ask GET "/api/v1/sweeps/$long"
  expect 404 "what was deleted" "GET /api/v1/sweeps"
  ask GET "/api/v1/runs?sweep_id=$long"
  holds "its runs are gone too" '.items == []'
  ask GET '/api/v1/audit?kind=deleted'
  expect 200 "the audit trail"
  described AuditPage "the audit trail"
  holds "what was deleted, and by whom" \
    ".items[0] | .path == \"/api/v1/sweeps/$long\" and .peer == \"127.0.0.1\" and .status == 204"
}

calls_history() {
  ask GET "/api/v1/runs?sweep_id=$id&limit=3"
  expect 200 runs
  described RunPage runs
  holds runs '.items | length == 3'
  next=$(header Link | sed 's/^<\(.*\)>.*/\1/')
  run=$(value '.items[0].id')
  ask GET "$next"
  expect 200 "the next page"
  holds "the next page" ".items[0].id < $run"
  ask GET "/api/v1/runs/$run"
  expect 200 "a run"
  described Run "a run"
  holds "a run" '.read.ios > 0 and ([.read.histogram[][1]] | add) == .read.ios'
  holds "its jobs" '(.jobs | length) == .numjobs'
  ask GET "/api/v1/runs?numjobs=4&ioengine=null&format=csv"
  expect 200 "runs as CSV" "id,sweep_id,state"
  ask GET /api/v1/runs -H 'Accept: application/x-ndjson'
  expect 200 "runs line by line"
  curl -sS -m 60 -I "$base/api/v1/runs?format=csv" >"$home/head"
  grep -q '^Content-Type: text/csv' "$home/head" || failed "HEAD of a streamed list"
}

# The small sweep once more: two points a series, judged by the first, which is pinned.
calls_over_time() {
  json POST /api/v1/sweeps "$small"
  again=$(value .id)
  until_over "$again"
  ask GET '/api/v1/history?ioengine=null&numjobs=4&bs=4k&rw=randread'
  expect 200 "a history"
  described SeriesPage "a history"
  holds "a history" '(.items | length) == 1 and .next_cursor == null'
  holds "its points" "[.items[0].points[].sweep_id] == [$id, $again]"
  holds "its baseline" ".items[0].baseline | .kind == \"pinned\" and .sweep_ids == [$id]"
  holds "its verdict" ".items[0].newest | .sweep_id == $again and .ratio > 0 and .ci95 == null
    and (.sentence | contains(\"the pinned sweep $id\"))"
  holds "too few for a change" '.items[0].no_change_points.name == "too_few_points"'
  holds "nothing else changed" '.items[0].marks == []'
  ask GET '/api/v1/history?ioengine=null&limit=1'
  holds "a page" '(.items | length) == 1'
  next=$(header Link | sed 's/^<\(.*\)>.*/\1/')
  jobs=$(value '.items[0].numjobs')
  ask GET "$next"
  expect 200 "the next series"
  holds "the next series" ".items[0].numjobs != $jobs"
  ask GET '/api/v1/history?ioengine=null&numjobs=4' -H 'Accept: text/plain'
  expect 200 "a history as text" "randread 4k, 4 jobs, null" Pinned. "the pinned sweep $id"
  ask GET '/api/v1/history?ioengine=null&format=csv'
  expect 200 "a history as CSV" "serial,target,host,rw" "change_ratio,marks,change"
  [ "$(grep -c randread "$home/body")" = 8 ] || failed "not a line a point: $(cat "$home/body")"
  ask GET '/api/v1/history?ioengine=null&numjobs=4&format=ndjson'
  tail -n 1 "$home/body" >"$home/line" && mv "$home/line" "$home/body"
  described HistoryLine "a history line by line"
  ask GET '/api/v1/history?since=2100-01-01'
  holds "nothing is that new" '.items == []'
  ask GET '/api/v1/history?size_class=64&direct=maybe'
  expect 400 "wrong filters" "from 0 to 63" "true or false"
}

calls_import() {
  ask POST '/api/v1/imports?os=OpenBSD%207.7&target=nvme&label=published' \
    -H 'Content-Type: text/csv' --data-binary @storage/baselines/openbsd77-2025.csv
  expect 201 "the published table"
  described Sweep "the published table"
  holds "the published table" '.origin == "imported" and (.points | length) == 12'
  holds "its reads are worth 8 jobs" \
    '[.curves[] | select(.rw == "randread") | .sweet_spot | .at, .low, .high] == [8, 6, 8]'
  holds "its depth is in its notes" '.spec.iodepth == [32]'
  ask GET "$(header Location)?format=text"
  expect 200 "it as text" "8 jobs" randread "439 728" "near peak" regression
  ask POST /api/v1/imports -H 'Content-Type: text/csv' --data-binary 'rw,numjobs,iops
read,0,100
read,2,fast
'
  expect 422 "a broken table" "line 2, numjobs" "line 3, iops" "from 1 to 1024"
  ask POST '/api/v1/imports?bs=64k' \
    -H 'Content-Type: text/csv' --data-binary @storage/baselines/openbsd77-2025.csv
  expect 422 "a table of another block size" "?bs="
}

# After calls_import, whose table is in the database then.
calls_compare() {
  ask GET /api/v1/baselines
  expect 200 "the shipped tables"
  described BaselinePage "the shipped tables"
  holds "the shipped tables" '[.items[].id] == ["baseline:openbsd77-2025",
    "baseline:openbsd60-2017-raw", "baseline:openbsd60-2017-block"]'
  holds "their doubts" '[.items[0].warnings[].name] | contains(["exceeds_sync_bound",
    "depth_not_attained"])'

  ask GET '/api/v1/compare?base=baseline:openbsd60-2017-block&with=baseline:openbsd60-2017-raw'
  expect 200 "raw against block" "4.0 × the IOPS" "1.8 × at 64 KiB" "3.1 × at 64 KiB"
  described Comparison "raw against block"
  holds "raw against block" '(.points | length) == 7 and (.only_in_base == [])'
  holds "what a table doesn't print" 'all(.points[]; .latency_mean_ns == null and .iops.p == null)'

  ask GET '/api/v1/sweeps?origin=imported&limit=1'
  table=$(value '.items[0].id') uuid=$(value '.items[0].uuid')
  ask GET "/api/v1/compare?base=baseline:openbsd77-2025&with=$uuid"
  expect 200 "a table with itself"
  described Comparison "a table with itself"
  holds "a table with itself" 'all(.points[]; .iops.ratio == 1 and .latency_mean_ns.ratio == 1)
    and (.points | length) == 12 and (.curves | length) == 2 and .mismatches == []'
  ask GET "/api/v1/compare?base=baseline:openbsd77-2025&with=$id" -H 'Accept: text/plain'
  expect 200 "a comparison as text" "Base: baseline:openbsd77-2025" "With: sweep $id, \"small\""
  ask GET "/api/v1/compare?base=$table&with=$id"
  described Comparison "two sweeps"
  holds "two sweeps" '.nearest_along == "iodepth" and (.points | length) == 4 and
    ([.mismatches[].field] | contains(["iodepth", "ioengine", "rw"]))'

  ask GET "/api/v1/compare?base=model&with=$id"
  expect 200 "among its like"
  described ModelComparison "among its like"
  holds "among its like" '(.standing | length) == 4 and (.summary | length) == 1'
  ask GET "/api/v1/compare?base=model&with=$id&format=text"
  expect 200 "it as text" "faster than"

  ask GET "/api/v1/compare?base=$id"
  expect 400 "a comparison with nothing" "with"
  ask GET "/api/v1/compare?base=$id&with=model"
  expect 400 "model on the wrong side" "base"
  ask GET "/api/v1/compare?base=baseline:none&with=$id"
  expect 404 "no such baseline" "GET /api/v1/baselines"
  ask GET "/api/v1/compare?base=$id&with=999999"
  expect 404 "no such sweep" "GET /api/v1/sweeps"
}

# Everything a sweep can be taken away as, and the way back into a second daemon's empty store.
calls_export() {
  for format in json csv fio job md html; do
    ask GET "/api/v1/sweeps/$id/export?format=$format"
    expect 200 "an export as $format"
    case $(header Content-Disposition) in
      'attachment; filename="iobenchd-sweep-'"$id".*) ;;
      *) failed "$format: Content-Disposition is $(header Content-Disposition)" ;;
    esac
    cp "$home/body" "$home/export.$format"
  done
  cp "$home/export.json" "$home/body"
  described SweepExport "an export"
  holds "an export" '.iobenchd_export == 1 and (.runs | length) >= 4 and
    all(.runs[] | select(.state == "done") | .measurement.read.latency;
        ([.histogram[][1]] | add) == .count)'
  cp "$home/export.fio" "$home/body"
  holds "fio's JSON" '([.jobs[].read | ([.lat_ns.bins[]] | add) == .lat_ns.N] | all) and
    (.jobs | length) == 4'
  grep -q '^rw,numjobs,bandwidth_mib_per_s,iops,latency_mean_us,note,' "$home/export.csv" ||
    failed "the columns of a CSV export"
  grep -q '^| rw | bs ' "$home/export.md" || failed "the table of a Markdown export"
  grep -q '<svg role="img"' "$home/export.html" || failed "the charts of a report"
  if grep -qE '<script|https?:|src=|href=' "$home/export.html"; then failed "a report's way out"; fi
  if command -v xmllint >/dev/null 2>&1; then
    xmllint --noout "$home/export.html" || failed "a report isn't well-formed"
  fi
  if command -v fio >/dev/null 2>&1; then
    (cd "$home" && fio --parse-only export.job >"$home/parsed" 2>&1) ||
      failed "fio doesn't take its job file: $(head -c 600 "$home/parsed")"
  fi
  if command -v fio_jsonplus_clat2csv >/dev/null 2>&1; then
    (cd "$home" && fio_jsonplus_clat2csv export.fio clat.csv &&
      fio_jsonplus_clat2csv export.fio clat.csv --validate) >"$home/parsed" 2>&1 ||
      failed "fio_jsonplus_clat2csv: $(tail -n 3 "$home/parsed")"
  fi
  ask GET "/api/v1/sweeps/$id/export?format=xlsx"
  expect 422 "an unknown format" "json, csv, fio, job, md or html" '"#/format"'
  ask GET /api/v1/sweeps/999999/export
  expect 404 "the export of nothing"
  long_sweep='{"ioengine": "null", "numjobs": 1, "runtime": "60s", "size": "16m"}'
  json POST /api/v1/sweeps "$long_sweep"
  long=$(value .id)
  ask GET "/api/v1/sweeps/$long/export"
  expect 409 "the export of what isn't over" events
  ask POST "/api/v1/sweeps/$long/cancel"
  until_over "$long"

  ask POST /api/v1/imports -H 'Content-Type: application/json' --data-binary "@$home/export.json"
  expect 409 "the same sweep twice" "/api/v1/sweeps/$id"
  ask DELETE "/api/v1/sweeps/$long"
  ask GET "/api/v1/sweeps/$id"
  cp "$home/body" "$home/before"
  ask DELETE "/api/v1/sweeps/$id"
  expect 204 "making room for an import"
  ask POST /api/v1/imports -H 'Content-Type: application/json' --data-binary "@$home/export.json"
  expect 201 "our own export"
  described Sweep "our own export"
  holds "our own export" '.origin == "imported"'
  holds "the same sweep" "[.uuid, .answer, .spec, .created_at, .points[0].latency_p99_ns] ==
    $(jq -c '[.uuid, .answer, .spec, .created_at, .points[0].latency_p99_ns]' "$home/before")"
  id=$(value .id)
  ask GET "/api/v1/sweeps/$id/export"
  ids='del(.sweep.id, .runs[].id, .result.points[].run_ids)'
  [ "$(jq -S "$ids" "$home/body")" = "$(jq -S "$ids" "$home/export.json")" ] ||
    failed "an export that was imported and exported differs"
  jq '.sweep.uuid = "x" | .runs[0].numjobs = 0' "$home/export.json" >"$home/edited"
  ask POST /api/v1/imports -H 'Content-Type: application/json' --data-binary "@$home/edited"
  expect 422 "an edited export" '"#/sweep/uuid"' '"#/runs/0/numjobs"'
}
