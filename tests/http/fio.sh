# Sourced by run.sh: what fio itself writes comes in, and its figures are fio's own.

# fio_sweep FILE OPTION...: one document, or line, for each number of jobs.
fio_sweep() {
  into=$1
  shift
  : >"$into"
  for jobs in 1 2 4 8; do
    fio --name="reads-$jobs" --filename="$home/fio.data" --size=8m --rw=randread --bs=4k \
      --ioengine=psync --invalidate=0 --runtime=400ms --time_based --numjobs="$jobs" "$@" \
      --output="$home/fio.one" >"$home/fio.log" 2>&1 ||
      failed "fio --numjobs=$jobs $*: $(tail -n 3 "$home/fio.log")"
    cat "$home/fio.one" >>"$into"
  done
}

# fio_same WHAT FILE HAS-PERCENTILES: the answer's points are what fio printed.
fio_same() {
  jq --slurp --arg want points -f tests/http/fio.jq "$2" >"$home/fio.points"
  jq -e --slurpfile fio "$home/fio.points" --argjson percentiles "$3" '
    def near($a; $b; $share): ($a - $b | fabs) <= $share * $b;
    (.points | length) == 4 and ([.points, $fio[0]] | transpose | all(.[];
      .[0] as $ours | .[1] as $theirs
      | $ours.numjobs == $theirs.numjobs
        and near($ours.iops; $theirs.iops; 0.000001)
        and near($ours.latency_mean_ns; $theirs.mean; 0.000001)
        and (if $percentiles then near($ours.latency_p50_ns; $theirs.p50; 0.016)
                              and near($ours.latency_p99_ns; $theirs.p99; 0.016)
             else true end)))' "$home/body" >/dev/null ||
    failed "$1: not fio's figures: $(jq -c '[.points[] | [.numjobs, .iops, .latency_mean_ns,
      .latency_p50_ns, .latency_p99_ns]]' "$home/body") against $(jq -c . "$home/fio.points")"
  holds "$1 has a curve and an answer" '(.curves | length) == 1 and .answer != null'
}

# fio_import TYPE FILE
fio_import() {
  ask POST "/api/v1/imports?label=fio" -H "Content-Type: $1" --data-binary "@$2"
}

calls_fio_files() {
  fio_import application/json tests/data/fio/three_jobs.json
  expect 201 "a job file's output" fio-3.33
  described Sweep "a job file's output"
  holds "a job file's output" '[.points[].numjobs] == [1, 2, 4] and .started_at != null'
  ask GET "/api/v1/runs/$(value '.points[1].run_ids[0]')"
  described Run "an imported run"
  holds "an imported run" '.read.ios == 80 and ([.read.histogram[][1]] | add) == 80'
  holds "what fio doesn't tell" '.in_flight_max == null and .wakeup_delay_p99_ns == null'
  fio_import application/json tests/data/fio/mixed.json
  expect 201 "a mix" rwmixread
  holds "a mix" '.points[0] | .read.latency_p50_ns == 123392 and .fsync.latency_p50_ns == 148480'
  fio_import application/json tests/data/fio/plain.json
  holds "percentiles that were printed" '.points[0].latency_p50_ns == 96768'
  ask GET "/api/v1/runs/$(value '.points[0].run_ids[0]')"
  described Run "an imported run without buckets"
  holds "its direction" '.read.latency_p50_ns == 96768 and .read.histogram == []'
  fio_import application/json tests/data/fio/plain_clones.json
  holds "percentiles that nobody knows" \
    '.points[0] | .latency_p50_ns == null and .latency_max_ns == 5037302'
  fio_import application/json tests/data/fio/failed.json
  holds "a failed job" '.state == "failed" and .runs_failed == 1 and .points[0].failed'
  fio_import text/plain tests/data/fio/clones.terse
  expect 201 "terse"
  described Sweep "terse"
  holds "terse" '.points[0] | .numjobs == 2 and .latency_p99_ns == null and .cpu_user_percent > 0'
}

calls_fio() {
  calls_fio_files
  if ! command -v fio >/dev/null 2>&1; then
    echo "left out: fio isn't installed, so its own output of today isn't tried"
    return 0
  fi
  fio_sweep "$home/group.json" --group_reporting --output-format=json+
  fio_import application/json "$home/group.json"
  expect 201 "fio's json+, groups"
  fio_same "fio's json+, groups" "$home/group.json" true
  fio_sweep "$home/plain.json" --group_reporting --output-format=json
  fio_import application/json "$home/plain.json"
  expect 201 "fio's json, groups"
  fio_same "fio's json, groups" "$home/plain.json" true
  fio_sweep "$home/clones.json" --output-format=json+
  fio_import application/json "$home/clones.json"
  expect 201 "fio's json+, clones"
  fio_same "fio's json+, clones" "$home/clones.json" true
  cp "$home/body" "$home/clones.answer"
  calls_fio_folded
  fio_sweep "$home/terse.txt" --group_reporting --output-format=terse
  fio_import text/plain "$home/terse.txt"
  expect 201 "fio's terse"
  awk -F';' '{print $8, $40}' "$home/terse.txt" | jq --slurp --raw-input '
    [split("\n")[] | select(. != "") | split(" ") | map(tonumber)]' >"$home/terse.json"
  jq -e --slurpfile lines "$home/terse.json" '[.points, $lines[0]] | transpose | all(.[];
    .[0] as $ours | .[1] as $theirs
    | ($ours.iops - $theirs[0] | fabs) <= 2 + $theirs[0] * 0.001
      and ($ours.latency_mean_ns / 1000 - $theirs[1] | fabs) < 0.001)' "$home/body" >/dev/null ||
    failed "fio's terse: $(jq -c '[.points[] | [.iops, .latency_mean_ns]]' "$home/body") against \
$(jq -c . "$home/terse.json")"
}

# The clones' own figures as group_reporting prints them: the same I/Os, latencies and buckets. It
# takes the time of the longest clone for all; on a busy machine they differ by some percent.
calls_fio_folded() {
  jq --arg want folded --slurp -f tests/http/fio.jq "$home/clones.json" >"$home/folded.json"
  fio_import application/json "$home/folded.json"
  expect 201 "clones, folded"
  fio_same "clones, folded" "$home/folded.json" false
  jq -e --slurpfile clones "$home/clones.answer" '
    def near($a; $b; $share): ($a - $b | fabs) <= $share * $b;
    [.points, $clones[0].points] | transpose | all(.[];
      .[0] as $group | .[1] as $clones
      | $group.numjobs == $clones.numjobs
        and near($group.iops; $clones.iops; 0.2)
        and near($group.latency_mean_ns; $clones.latency_mean_ns; 0.000001)
        and $group.latency_p50_ns == $clones.latency_p50_ns
        and $group.latency_p99_ns == $clones.latency_p99_ns
        and $group.latency_max_ns == $clones.latency_max_ns)' "$home/body" >/dev/null ||
    failed "a group and its clones differ: $(jq -c '[.points[] | [.iops, .latency_p50_ns]]' \
      "$home/body") against $(jq -c '[.points[] | [.iops, .latency_p50_ns]]' "$home/clones.answer")"
  folded_run=$(value '.points[3].run_ids[0]')
  ask GET "/api/v1/runs/$(jq '.points[3].run_ids[0]' "$home/clones.answer")"
  sums='[.numjobs, .read.ios, .read.bytes, .read.histogram]'
  jq -c "$sums" "$home/body" >"$home/clones.sums"
  ask GET "/api/v1/runs/$folded_run"
  jq -c "$sums" "$home/body" | cmp -s - "$home/clones.sums" ||
    failed "a group and its clones: other sums"
  holds "eight clones" '.numjobs == 8 and .read.ios > 0'
}
