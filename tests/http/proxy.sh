#!/bin/sh
# A real nginx with rc.d/examples/nginx.conf before a real daemon: the page, calls with and without a
# token, events that come at once, and the names.
#
#   sh tests/http/proxy.sh BIN-DIRECTORY
set -eu
cd "$(dirname "$0")/../.."
BIN=$1
PATH=$PATH:/usr/sbin:/usr/local/sbin
for tool in nginx openssl; do
  command -v "$tool" >/dev/null 2>&1 || { echo "skipped: $tool is not installed"; exit 77; }
done
. tests/http/lib.sh
trap 'stop_proxy; cleanup' EXIT
trap 'stop_proxy; cleanup; exit 130' INT TERM

name=bench.example.org
proxy= listener=

stop_proxy() {
  for process in $listener $proxy; do
    kill "$process" 2>/dev/null || true
    wait "$process" 2>/dev/null || true
  done
  proxy= listener=
}

# The example as it is, but for the addresses and the places of this test. server PORT NAME: one.
server() {
  sed -e "s/listen 443 ssl/listen 127.0.0.1:$1 ssl/" -e '/listen \[::\]/d' -e "s/$name/$2/" \
    -e "s|/etc/ssl/certs/[^;]*|$home/proxy/cert.pem|" \
    -e "s|/etc/ssl/private/[^;]*|$home/proxy/key.pem|" \
    -e "s|http://127.0.0.1:8464|$daemon_url|" rc.d/examples/nginx.conf
}

configure_proxy() {
  server "$port" "$name" >"$home/proxy/iobenchd.conf"
  server "$((port + 1))" unknown.example.org >"$home/proxy/unknown.conf"
  {
    echo "daemon off; pid $home/proxy/pid; error_log stderr; events {}"
    echo "http { access_log off;"
    for kind in client_body proxy fastcgi uwsgi scgi; do
      echo "  ${kind}_temp_path $home/proxy/$kind;"
    done
    echo "  include $home/proxy/iobenchd.conf; include $home/proxy/unknown.conf; }"
  } >"$home/proxy/nginx.conf"
}

# nginx takes no port that the system chooses: some are tried.
start_proxy() {
  mkdir "$home/proxy"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj "/CN=$name" -addext "subjectAltName=DNS:$name" \
    -keyout "$home/proxy/key.pem" -out "$home/proxy/cert.pem" 2>"$home/proxy/openssl.log"
  chmod 0644 "$home/proxy/key.pem" # nobody's nginx reads it; gone with the test
  [ "$(id -u)" != 0 ] || chown -R nobody "$home/proxy"
  for try in 1 2 3 4 5 6 7 8; do
    port=$((20000 + ($$ * 7 + try * 1009) % 20000))
    configure_proxy
    (as_user "$(command -v nginx)" -e stderr -c "$home/proxy/nginx.conf") \
      >"$home/proxy/log" 2>&1 </dev/null &
    proxy=$!
    waited=0
    while kill -0 "$proxy" 2>/dev/null && [ "$waited" -lt 50 ]; do
      ! curl -s -o /dev/null --cacert "$home/proxy/cert.pem" \
        --resolve "$name:$port:127.0.0.1" "https://$name:$port/healthz" || return 0
      waited=$((waited + 1))
      sleep 0.1
    done
    stop_proxy
  done
  cat "$home/proxy/log" >&2
  die "nginx doesn't start"
}

# Whatever is asked from here on goes through the proxy.
through_proxy() {
  base=https://$name:$port
  printf 'cacert = "%s"\nresolve = "%s:%s:127.0.0.1"\n' "$home/proxy/cert.pem" "$name" "$port" \
    >"$home/.curlrc"
  export CURL_HOME="$home"
}

make_token() { # NAME SCOPE: the token
  as_user "$BIN/iobench" token --name="$1" --scope="$2" --append="$home/keys/tokens" 2>/dev/null
}

proxied_calls() {
  ask GET /
  expect 200 "the page"
  [ -n "$(header Content-Security-Policy)" ] || failed "the page has no policy"
  ask GET /healthz
  expect 200 "healthz"
  ask GET /api/v1/sweeps
  expect 401 "a list without a token" token_file
  ask GET /api/v1/sweeps -H 'Host: localhost'
  expect 401 "a client that calls itself localhost"
  ask GET /api/v1/sweeps --oauth2-bearer "$looks"
  expect 200 "a list with a token"
  json POST /api/v1/sweeps "$small" --oauth2-bearer "$looks"
  expect 403 "a sweep with a token that may only read" "the token looker has the scope read" run
  json POST /api/v1/sweeps "$small" --oauth2-bearer "$runs" -H 'Origin: https://evil.example'
  expect 403 "a foreign page" origin
}

proxied_events() {
  curl -sN -m 60 --oauth2-bearer "$looks" "$base/api/v1/events" >"$home/events" &
  listener=$!
  json POST /api/v1/sweeps "$small" --oauth2-bearer "$runs" -H "Origin: https://$name"
  expect 202 "a sweep"
  id=$(value .id)
  until_says "$home/events" 'event: state'
  kill -0 "$listener" 2>/dev/null || failed "the events ended before the first was seen"
  waited=0
  until ask GET "/api/v1/sweeps/$id" --oauth2-bearer "$looks" && [ "$(value .state)" = done ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 300 ] || die "the sweep isn't over after 30 s"
    sleep 0.1
  done
  ask DELETE "/api/v1/sweeps/$id" --oauth2-bearer "$runs"
  expect 403 "a delete with a token that may only run" "needs destroy"
}

names_and_guesses() {
  status=$(curl -sS -k -o "$home/body" -w '%{http_code}' --resolve \
    "unknown.example.org:$((port + 1)):127.0.0.1" "https://unknown.example.org:$((port + 1))/")
  expect 421 "a name that allowed_hosts doesn't have" allowed_hosts
  guess=0
  while [ "$guess" -lt 12 ]; do
    guess=$((guess + 1))
    ask GET /api/v1/sweeps --oauth2-bearer "wrong-wrong-wrong-$guess"
    [ "$status" = 401 ] || break
  done
  expect 429 "one wrong token too many" "try again in"
  [ "$guess" -gt 5 ] || failed "only $((guess - 1)) wrong tokens were free"
  [ -n "$(header Retry-After)" ] || failed "429 without Retry-After"
  ask GET /api/v1/sweeps --oauth2-bearer "$looks"
  expect 200 "the others behind the proxy aren't locked out"
}

what_was_refused() {
  waited=0
  until ask GET '/api/v1/audit?kind=refused' --oauth2-bearer "$looks" && [ "$(
    value '[.items[] | select(.status == 401 and .peer == "127.0.0.1")] | length'
  )" = 1 ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 50 ] || { failed "the audit trail: $(head -c 600 "$home/body")"; return 0; }
    sleep 0.1
  done
}

# A line more in the file, and SIGHUP.
tokens_are_read_again() {
  late=$(make_token late read)
  kill -HUP "$daemon"
  waited=0
  until ask GET /api/v1/sweeps --oauth2-bearer "$late" && [ "$status" = 200 ]; do
    waited=$((waited + 1))
    [ "$waited" -lt 50 ] || { failed "SIGHUP brings no new token: $status"; return 0; }
    sleep 0.1
  done
}

mkdir "$home/keys"
chmod 0755 "$home"
[ "$(id -u)" != 0 ] || chown nobody "$home/keys"
looks=$(make_token looker read)
runs=$(make_token runner read,run)
. tests/http/calls.sh
start -o allowed_hosts="[\"$name\"]" -o token_file="$home/keys/tokens"
daemon_url=$base
start_proxy
through_proxy
proxied_calls
proxied_events
what_was_refused
names_and_guesses
tokens_are_read_again

if [ "$failures" != 0 ]; then
  die "$failures checks"
fi
echo "behind nginx every call answers as described"
