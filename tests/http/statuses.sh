# Statuses, both ways: what is answered is described, and what is described is answered. Sourced by
# run.sh.

# Transfers as curl's configuration file has them; each writes its call, the status it wants and the
# one it gets.
front_wants() {
  jq -r --arg base "$base" --arg long "$(head -c 1100 /dev/zero | tr '\0' x)" '
    def transfer($method; $pattern; $status; $path; $lines):
      "url = \"\($base)\($path)\"", "request = \"\($method)\"", $lines[],
      "write-out = \"\($method) \($pattern) \($status) %{http_code}\\n\"", "output = \"/dev/null\"",
      "silent", "show-error", "max-time = 10", "next";
    .paths | to_entries[] | .key as $pattern | ($pattern | sub("{id}"; "999999")) as $path
    | .value | keys[] | ascii_upcase as $method
    | ($method == "GET" | not) as $changes
    | transfer($method; $pattern; 400; "\($path)?colour=1"; []),
      transfer($method; $pattern; 400; "\($path)?a=1&a=2"; []),
      transfer($method; $pattern; 411; $path; ["header = \"Transfer-Encoding: chunked\""]),
      transfer($method; $pattern; 414; "\($path)?\($long)"; []),
      transfer($method; $pattern; 415; $path; ["header = \"Content-Encoding: gzip\""]),
      transfer($method; $pattern; 417; $path; ["header = \"Expect: wonders\""]),
      transfer($method; $pattern; 421; $path; ["header = \"Host: evil.example\""]),
      transfer($method; $pattern; 431; $path; ["header = \"X-Long: \($long * 16)\""]),
      transfer("PUT"; $pattern; 405; $path; []),
      if $changes then
        transfer($method; $pattern; 403; $path; ["header = \"Origin: http://evil.example\""])
      else empty end,
      if $method == "POST" or $method == "PATCH" then
        transfer($method; $pattern; 413; $path;
                 ["header = \"Content-Length: 99999999999\"", "data = \"{}\""])
      else empty end' "$home/openapi.json"
}

# What stands before every handler answers alike, whatever the call.
statuses_of_front() {
  front_wants | sed '$d' >"$home/transfers"  # without the last "next"
  curl -K "$home/transfers" >"$home/transferred" 2>"$home/errors" || true
  awk '$3 != $4' "$home/transferred" >"$home/wrong"
  [ ! -s "$home/wrong" ] || failed "calls, the status they want and what they get:
$(head -n 20 "$home/wrong") $(head -n 3 "$home/errors")"
  [ "$(wc -l <"$home/transferred")" = "$(grep -c '^url' "$home/transfers")" ] ||
    failed "not every call was answered: $(head -n 3 "$home/errors")"
  awk '$1 != "PUT" { print $1, $2, $4 }' "$home/transferred" >>"$home/seen"
}

# What isn't there, of every call that names something.
statuses_of_nothing() {
  for call in 'GET sweeps' 'PATCH sweeps' 'DELETE sweeps' 'GET runs' 'GET schedules' \
    'PATCH schedules' 'DELETE schedules'; do
    json "${call% *}" "/api/v1/${call#* }/999999" '{"label": "x"}'
    case $call in
      GET* | DELETE*) ask "${call% *}" "/api/v1/${call#* }/999999" ;;
    esac
    expect 404 "$call of nothing" "GET /api/v1/"
  done
  for rest in events export; do
    ask GET "/api/v1/sweeps/999999/$rest"
    expect 404 "$rest of nothing"
  done
  ask POST /api/v1/sweeps/999999/cancel
  expect 404 "a cancel of nothing"
}

# What only what is there can answer: a copy that the client has, streams, wishes that ask too much.
statuses_of_known() {
  ask GET '/api/v1/runs?limit=1'
  for path in "runs/$(value '.items[0].id')" "sweeps/$id/export?format=csv" openapi.json; do
    ask GET "/api/v1/$path" -H 'If-None-Match: *'
    expect 304 "a copy of $path"
  done
  for path in events "sweeps/$id/events"; do
    curl -s -m 1 -o "$home/stream" -w "GET /api/v1/$path %{http_code}\n" "$base/api/v1/$path" \
      >>"$home/seen" || true
  done
  json PATCH "/api/v1/sweeps/$id" '{"state": "done"}'
  expect 422 "a state that is asked for" '"field":"state"'
  writes='{"rw": "randwrite", "numjobs": 1, "size": "16m", "runtime": "2h"}'
  json POST /api/v1/sweeps "$writes"
  expect 428 "more than write_budget" write_budget
  json POST /api/v1/schedules "{\"every\": \"24h\", \"sweep\": $writes}"
  expect 428 "more than write_budget, again and again" write_budget
  json POST /api/v1/schedules '{"every": "24h", "sweep": {"ioengine": "null", "size": "16m"}}'
  schedule=$(value .id)
  json PATCH "/api/v1/schedules/$schedule" "{\"sweep\": $writes}"
  expect 428 "the same, changed" write_budget
  json PATCH "/api/v1/schedules/$schedule" '{"every": "1s"}'
  expect 422 "a wrong change" '"field":"every"'
  ask DELETE "/api/v1/schedules/$schedule"
}

# What no client here can bring about, and the test that does.
explained='
  401 api_access_test, tests/browser/token.test.mjs
  403 api_access_table_test: a token without the scope; statuses_of_front: a foreign page
  405 statuses_of_front: PUT of every path
  408 api_front_attack_test: a slow head
  429 api_routes_test: a full queue; tests/http/proxy.sh: too many wrong tokens
  500 a bug is none that a test can wait for; api_respond_test has the answer itself
  503 api_front_attack_test: too many connections, too large bodies at once
  505 api_head_test
  507 api_respond_test, scheduler_full_linux_test: a full disk
'
explained_calls='
  POST /api/v1/schedules 409 api_schedules_test: 200 schedules
'

# At the end: $home/seen holds every answer that ask() got.
statuses_agree() {
  {
    echo "$explained" | awk 'NF { print $1 }'
    echo "$explained_calls" | awk 'NF { print $1, $2, $3 }'
  } >"$home/explained"
  sort -u "$home/seen" | jq -rRn --slurpfile document "$home/openapi.json" \
    --rawfile explained "$home/explained" '
    def pattern: sub("^(?<front>/api/v1/(sweeps|runs|schedules)/)[^/]+"; "\(.front){id}");
    ($document[0].paths | [to_entries[] | .key as $path | .value | to_entries[]
      | "\(.key | ascii_upcase) \($path) \(.value.responses | keys[])"]) as $described
    | ($described | map(split(" ")[:2] | join(" ")) | unique) as $calls
    | [inputs | split(" ") | [(if .[0] == "HEAD" then "GET" else .[0] end), (.[1] | pattern), .[2]]
        | select((.[:2] | join(" ")) as $call | $calls | index($call)) | join(" ")] as $seen
    | ($explained | split("\n")) as $known
    | (($seen | unique) - $described | .[] | "answered and not described: \(.)"),
      ($described - $seen | .[] | select(. as $one | $known | (index($one)
        // index($one | split(" ")[2])) | not) | "described and never answered: \(.)")' \
    >"$home/problems"
  [ ! -s "$home/problems" ] || failed "statuses:
$(cat "$home/problems")"
}
