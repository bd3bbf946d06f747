# Schedules and metrics. A schedule can't be waited for here, a minute being the least: that it runs
# when it is due is for the unit tests. Sourced by run.sh.

calls_schedules() {
  ask GET /api/v1/schedules
  expect 200 "no schedules"
  holds "no schedules" '.items == [] and .next_cursor == null'
  json POST /api/v1/schedules '{"label": "nightly", "daily": "03:30", "jitter": "10m",
    "max_load": 2.5, "sweep": {"ioengine": "null", "size": "16m", "numjobs": [1, 2]}}'
  expect 201 "a schedule"
  described Schedule "a schedule"
  schedule=$(value .id)
  [ "$(header Location)" = "/api/v1/schedules/$schedule" ] || failed "Location is $(header Location)"
  holds "a schedule" '.daily == "03:30" and .every == null and .jitter == 600 and .max_load == 2.5
    and .sweep.numjobs == [1, 2] and .waits_for == null and .missed == 0'
  holds "its next run is within a day and ten minutes" \
    '(.next_at | sub("\\.[0-9]+Z$"; "Z") | fromdate) - now | . > 0 and . <= 90600'
  ask GET "/api/v1/schedules/$schedule"
  expect 200 "it alone" nightly
  described Schedule "it alone"
  ask GET /api/v1/schedules
  described SchedulePage "the list of schedules"
  holds "the list of schedules" '.items | length == 1'
  json PATCH "/api/v1/schedules/$schedule" '{"every": "24h", "label": "daily"}'
  expect 200 "a schedule changed"
  described Schedule "a schedule changed"
  holds "a schedule changed" '.every == 86400 and .daily == null and .label == "daily"
    and .sweep.numjobs == [1, 2]'
  json PATCH "/api/v1/schedules/$schedule" '{"paused": true}'
  holds "a pause" '.paused and .next_at == null'
  json PATCH "/api/v1/schedules/$schedule" '{"paused": false}'
  holds "its end" '.next_at != null'
  ask GET "/api/v1/sweeps?schedule=$schedule"
  expect 200 "its sweeps"
  holds "its sweeps" '.items == []'

  ask GET /metrics
  expect 200 metrics "iobenchd_schedule_regression{schedule=\"$schedule\"} 0" \
    '# TYPE iobenchd_queue_length gauge' 'iobenchd_sweeps_running 0' 'iobenchd_build_info{version='
  case $(header Content-Type) in
    'text/plain; version=0.0.4; charset=utf-8') ;;
    *) failed "metrics are $(header Content-Type)" ;;
  esac
  # A line is a comment or a name with labels and a number.
  wrong=$(grep -Ev '^(# (HELP|TYPE) [a-z0-9_]+ .+|[a-z0-9_]+(\{[^{}]*\})? -?[0-9.]+(e[-+][0-9]+)?)$' \
    "$home/body" || true)
  [ -z "$wrong" ] || failed "no metrics: $wrong"

  ask DELETE "/api/v1/schedules/$schedule"
  expect 204 "a schedule deleted"
  ask GET "/api/v1/schedules/$schedule"
  expect 404 "what was deleted" "GET /api/v1/schedules"
}

bad_schedules() {
  json POST /api/v1/schedules '{"every": "30s", "daily": 3, "jitter": "x", "max_load": -1,
    "colour": 1, "sweep": {"numjobs": 0, "iodpeth": 4}}'
  expect 422 "a schedule with nothing right" '"max_load"' '"colour"' '"jitter"' '"sweep.numjobs"' \
    '"#/sweep/numjobs"' 'did you mean \"iodepth\"'
  described Problem "a schedule with nothing right"
  json POST /api/v1/schedules '{"sweep": {}}'
  expect 422 "a schedule without a time" '"every"' "exactly one"
  json POST /api/v1/schedules '{"every": "30s"}'
  expect 422 "every 30 s" '"field":"every"' 'got \"30s\"' "1 min"
  json POST /api/v1/schedules '{"daily": "25:00"}'
  expect 422 "25 o'clock" '"field":"daily"' "23:59"
  json POST /api/v1/schedules '{"every": "1h", "sweep": {"size": "500t"}}'
  expect 422 "a scheduled sweep that doesn't fit" '"field":"sweep.size"' "would fit"
  json POST /api/v1/schedules '{"every": "1h", "sweep": {"target": "/etc/hostname"}}'
  expect 403 "a scheduled sweep of what isn't allowed" /etc/hostname
  json PATCH /api/v1/schedules/12345 '{"paused": true}'
  expect 404 "no such schedule"
  ask PUT /api/v1/schedules
  expect 405 "PUT"
  ask GET '/api/v1/schedules?colour=1'
  expect 400 "an unknown parameter" colour
  ask GET /api/v1/schedules
  holds "none was made" '.items == []'
}
