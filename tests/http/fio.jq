# What fio printed of a sweep, one document a point (read with --slurp), as our points name it. The
# clones of a job are added up: IOPS and I/Os, latencies by their number, percentiles from buckets.

def percentile($p):  # of {"bucket": count, ...}, the nearest rank
  to_entries | map({at: (.key | tonumber), count: .value}) | sort_by(.at)
  | (map(.count) | add) as $all
  | reduce .[] as $bin ({seen: 0, at: null};
      if .at == null and .seen + $bin.count >= $all * $p
      then {seen: (.seen + $bin.count), at: $bin.at}
      else .seen += $bin.count end)
  | .at;

def bins: reduce (.[] | .read.clat_ns.bins // {} | to_entries[]) as $bin
  ({}; .[$bin.key] += $bin.value);

# What group_reporting would have printed of these clones.
def folded:
  (map(.read.total_ios) | add) as $ios
  | (map(.read.io_bytes) | add) as $bytes
  | (map(.read.runtime) | max) as $runtime
  | (map(.read.lat_ns.mean * .read.lat_ns.N) | add) as $sum
  | (map(.read.clat_ns.mean * .read.clat_ns.N) | add) as $clat_sum
  | bins as $bins
  | (map(.read.lat_ns.min) | min) as $min | (map(.read.lat_ns.max) | max) as $max
  | (map(.read.clat_ns.min) | min) as $clat_min | (map(.read.clat_ns.max) | max) as $clat_max
  | (map(.job_runtime) | add) as $job_runtime
  | .[0]
  | .job_runtime = $job_runtime
  | .read += {total_ios: $ios, io_bytes: $bytes, io_kbytes: ($bytes / 1024 | floor),
              runtime: $runtime, iops: ($ios * 1000 / $runtime),
              bw_bytes: ($bytes * 1000 / $runtime | floor),
              bw: ($bytes * 1000 / $runtime / 1024 | floor),
              lat_ns: {min: $min, max: $max, mean: ($sum / $ios), N: $ios},
              clat_ns: {min: $clat_min, max: $clat_max, mean: ($clat_sum / $ios), N: $ios,
                        bins: $bins}};

def points: map(.jobs | {
  numjobs: (.[0]["job options"].numjobs | tonumber),
  iops: (map(.read.iops) | add),
  mean: ((map(.read.lat_ns.mean * .read.lat_ns.N) | add) / (map(.read.lat_ns.N) | add)),
  p50: (if length == 1 then .[0].read.clat_ns.percentile["50.000000"]
        else bins | percentile(0.5) end),
  p99: (if length == 1 then .[0].read.clat_ns.percentile["99.000000"]
        else bins | percentile(0.99) end)
});

if $want == "points" then points
else .[] | .jobs |= [folded] end
