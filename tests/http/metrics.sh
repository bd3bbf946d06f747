#!/bin/sh
# What /metrics tells, as Prometheus itself takes it: promtool judges the text and our rules, a real
# Prometheus scrapes a real daemon with our example configuration, and every query of our alerts and
# of our dashboard finds its series.
#
#   sh tests/http/metrics.sh BIN-DIRECTORY
set -eu
cd "$(dirname "$0")/../.."
for tool in promtool prometheus; do
  command -v "$tool" >/dev/null 2>&1 || { echo "skipped: $tool is not installed"; exit 77; }
done
BIN=$1
. tests/http/lib.sh
ours=rc.d/prometheus
scraper=

# promtool prints nothing worth reading where all is well.
check() {
  what=$1
  shift
  "$@" >"$home/check" 2>&1 || failed "$what: $(head -c 1500 "$home/check")"
}

stop_scraper() {
  [ -z "$scraper" ] || { kill "$scraper" 2>/dev/null || true; wait "$scraper" 2>/dev/null || true; }
  scraper=
}
trap 'stop_scraper; cleanup' EXIT
trap 'stop_scraper; cleanup; exit 130' INT TERM

# Something in every family: a curve that one processor bounds, bytes written, a schedule.
fill() {
  json POST /api/v1/schedules '{"every": "24h", "sweep": {"ioengine": "null", "size": "16m"}}'
  expect 201 "a schedule"
  json POST /api/v1/sweeps '{"rw": "randrw", "ioengine": "psync", "numjobs": [1, 2], "size": "4m",
    "runtime": "200ms", "ramp_time": 0}'
  expect 202 "a sweep that writes"
  until_over "$(value .id)"
  json POST /api/v1/sweeps '{"ioengine": "null", "numjobs": [1, 2, 4, 8], "size": "16m",
    "runtime": "300ms", "ramp_time": 0, "cpus_allowed": "0"}'
  expect 202 "a sweep on one processor"
  until_over "$(value .id)"
  holds "a curve that one processor bounds" '.state == "done" and .curves[0].sweet_spot != null'
}

start_scraper() {
  mkdir "$home/prometheus"
  cp "$ours/iobenchd.rules.yml" "$home/prometheus/"
  sed -e "s|127\.0\.0\.1:8464|${base#http://}|" -e 's/scrape_interval: 15s/scrape_interval: 1s/' \
    "$ours/prometheus.yml" >"$home/prometheus/prometheus.yml"
  [ "$(id -u)" != 0 ] || chown -R nobody "$home/prometheus"
  (as_user prometheus --config.file="$home/prometheus/prometheus.yml" \
    --storage.tsdb.path="$home/prometheus/data" --web.listen-address=127.0.0.1:0) \
    >"$home/scraper.log" 2>&1 </dev/null &
  scraper=$!
  waited=0
  until asks=$(sed -n 's/.*Listening on.*address=\(127\.0\.0\.1:[1-9][0-9]*\).*/\1/p' \
    "$home/scraper.log" | head -n 1) && [ -n "$asks" ]; do
    kill -0 "$scraper" 2>/dev/null || die "Prometheus ended: $(tail -n 3 "$home/scraper.log")"
    waited=$((waited + 1))
    [ "$waited" -lt 200 ] || die "Prometheus doesn't say where it listens"
    sleep 0.1
  done
}

# query EXPRESSION: Prometheus' answer in $home/answer.
query() {
  curl -sS -m 20 --data-urlencode "query=$1" "http://$asks/api/v1/query" >"$home/answer" ||
    failed "Prometheus doesn't answer"
}

found() { jq '.data.result | length' "$home/answer"; }

# The last scrape of a target that wasn't asked yet is unknown, not bad.
until_scraped() {
  waited=0
  until query 'up{job="iobenchd"} == 1' && [ "$(found)" = 1 ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 150 ] || die "no scrape: $(curl -sS "http://$asks/api/v1/targets")"
    sleep 0.2
  done
}

# The dashboard's variables as Grafana fills them in.
expressions() {
  jq -r '[.. | objects | .expr? | strings] | unique[]' "$ours/iobenchd.grafana.json" |
    sed -e 's/\$instance/.*/g' -e 's/\$__rate_interval/1m/g'
  sed -n 's/^ *expr: //p' "$ours/iobenchd.rules.yml"
}

check "the rules" promtool check rules "$ours/iobenchd.rules.yml"
check "what the rules make of series" promtool test rules tests/prometheus/rules_test.yml
check "the example configuration" promtool check config "$ours/prometheus.yml"

start
fill
ask GET /metrics
expect 200 metrics
if ! promtool check metrics <"$home/body" >"$home/check" 2>&1 || [ -s "$home/check" ]; then
  failed "the names: $(head -c 1500 "$home/check")"
fi
start_scraper
until_scraped

expressions >"$home/expressions"
while IFS= read -r expression; do
  query "$expression"
  [ "$(jq -r .status "$home/answer")" = success ] ||
    failed "$expression: $(jq -r .error "$home/answer")"
done <"$home/expressions"
# A schedule runs after a minute at the least; that family is known and has no series yet.
curl -sS -m 20 "http://$asks/api/v1/metadata" >"$home/metadata"
grep -oh 'iobenchd_[a-z0-9_]*' "$home/expressions" | sort -u >"$home/names"
[ "$(wc -l <"$home/names")" -ge 15 ] || failed "few names are asked for: $(cat "$home/names")"
while IFS= read -r name; do
  family=$(echo "$name" | sed 's/_bucket$//')
  jq -e ".data[\"$family\"][0].help | length > 10" "$home/metadata" >/dev/null ||
    failed "$name is asked for and not told"
  [ "$name" != iobenchd_schedule_last_run_timestamp_seconds ] || continue
  query "count($name)"
  [ "$(found)" = 1 ] || failed "$name has no series"
done <"$home/names"
query 'histogram_quantile(0.5, sum by (le) (iobenchd_io_latency_seconds_bucket))'
jq -e '.data.result[0].value[1] | tonumber > 0' "$home/answer" >/dev/null ||
  failed "the median of all I/Os: $(cat "$home/answer")"
curl -sS -m 20 "http://$asks/api/v1/rules" >"$home/answer"
jq -e '[.data.groups[].rules[] | .lastError // ""] | length >= 5 and all(. == "")' \
  "$home/answer" >/dev/null || failed "the rules: $(head -c 1000 "$home/answer")"

stop_scraper
if [ "$failures" != 0 ]; then
  die "$failures checks"
fi
echo "Prometheus scrapes, and every query finds its series"
