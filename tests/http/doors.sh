# The doors: HEAD and OPTIONS, IPv6, the Unix socket, and whatever port a tunnel or a container put
# into Host. Sourced by run.sh.

doors_methods() {
  for path in /api/v1/sweeps /healthz /metrics /api/v1/openapi.json; do
    ask GET "$path"
    get_type=$(header Content-Type)
    curl -sS -m 60 -I "$base$path" >"$home/head" 2>"$home/errors" || failed "HEAD of $path"
    grep -q '^HTTP/1.1 200 ' "$home/head" || failed "HEAD of $path: $(head -n 1 "$home/head")"
    [ "$(header Content-Type)" = "$get_type" ] || failed "HEAD of $path is $(header Content-Type)"
    [ "$(header Content-Length)" -gt 0 ] || failed "HEAD of $path tells no length"
  done
  # Every path of the document, with the methods that it describes and no others.
  jq -r '.paths | to_entries[] | "\(.key) \(.value | keys | map(ascii_upcase)
    | . + (if index("GET") then ["HEAD"] else [] end) + ["OPTIONS"] | sort | join(","))"' \
    "$home/openapi.json" >"$home/paths"
  while read -r path methods; do
    ask OPTIONS "$(echo "$path" | sed 's/{id}/1/')"
    expect 204 "OPTIONS of $path"
    allowed=$(header Allow | tr -d ' ' | tr ',' '\n' | sort | paste -sd, -)
    [ "$allowed" = "$methods" ] || failed "OPTIONS of $path allows $allowed instead of $methods"
    [ -z "$(header Access-Control-Allow-Origin)" ] || failed "OPTIONS of $path opens to other pages"
  done <"$home/paths"
}

# ssh -L 9000:127.0.0.1:8464 and docker run -p 80:8464 leave their own port in Host, or none.
doors_hosts() {
  for host in localhost localhost:9000 127.0.0.1 127.0.0.1:80 '[::1]:65535' LOCALHOST:1; do
    ask GET /api/v1/sweeps -H "Host: $host"
    expect 200 "Host: $host"
    ask POST "/api/v1/sweeps?dry_run=true" -H "Host: $host" -H "Origin: http://$host"
    expect 200 "a page at $host"
  done
  ask GET /api/v1/sweeps -H 'Host: evil.example:8464'
  expect 421 "a foreign host on our own port" allowed_hosts
}

# A second daemon, for the doors that the first one doesn't have.
doors_others() {
  mkdir "$home/doors" "$home/doors/state" "$home/doors/scratch"
  chmod 0755 "$home/doors"
  [ "$(id -u)" != 0 ] || chown -R nobody "$home/doors"
  listen="\"unix:$home/doors/state/sock\""
  grep -qs '^0*1 ' /proc/net/if_inet6 && listen="$listen, \"[::1]:0\""
  (as_user "$BIN/iobenchd" -d -o listen="[$listen]" -o database="$home/doors/state/iobenchd.db" \
    -o scratch_dir="$home/doors/scratch") >"$home/doors/log" 2>&1 </dev/null &
  second=$!
  until_says "$home/doors/log" "listening on unix:"
  over_unix=$(curl -sS -m 20 --unix-socket "$home/doors/state/sock" http://localhost/readyz) || true
  [ "$over_unix" = '{"status":"ready"}' ] || failed "the Unix socket says $over_unix"
  port=$(sed -n 's/.*listening on \(\[::1\]:[1-9][0-9]*\).*/\1/p' "$home/doors/log" | head -n 1)
  if [ -n "$port" ]; then
    over_v6=$(curl -sS -g -m 20 "http://$port/readyz") || true
    [ "$over_v6" = '{"status":"ready"}' ] || failed "IPv6 says $over_v6"
    ask GET /api/v1/sweeps -H "Host: $port"
    expect 200 "an IPv6 address as Host"
  else
    echo "left out: IPv6 isn't there"
  fi
  kill "$second" 2>/dev/null || true
  wait "$second" 2>/dev/null || failed "the daemon of the other doors ended with $?"
}
