#include "api/fio_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <system_error>

#include "api/parse_fields.h"
#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

constexpr std::int64_t same_moment_ns = 100'000'000;

std::string failure_text(std::uint32_t error) {
  return "fio ended with error " + std::to_string(error) + ": " +
         std::error_code(static_cast<int>(error), std::generic_category()).message();
}

bool alike(const Run& a, const Run& b) {
  const Measurement& x = a.measurement;
  const Measurement& y = b.measurement;
  return x.read.ios == y.read.ios && x.write.ios == y.write.ios && x.measured_ns == y.measured_ns &&
         a.imported.latency_mean_ns == b.imported.latency_mean_ns;
}

// Two documents of one fio: its ends differ by what its runtimes do.
bool began_together(const Run& a, const Run& b) {
  if (a.finished_at_ns == 0 || b.finished_at_ns == 0) return false;
  const std::int64_t first =
      a.finished_at_ns - static_cast<std::int64_t>(a.measurement.measured_ns);
  const std::int64_t second =
      b.finished_at_ns - static_cast<std::int64_t>(b.measurement.measured_ns);
  return std::abs(first - second) < same_moment_ns;
}

void clear_percentiles(DirectionFigures& figures) {
  figures.latency_p50_ns = figures.latency_p90_ns = figures.latency_p99_ns = 0;
  figures.latency_p99_9_ns = figures.latency_p99_99_ns = 0;
}

}  // namespace

void FioRuns::note(const std::string& line) {
  append_note(notes_, line);
}

FioRuns::Group& FioRuns::group_of(const FioEntry& entry) {
  const auto [found, is_new] = by_key_.try_emplace({entry.process, entry.key}, groups_.size());
  if (!is_new) return groups_[found->second];
  if (groups_.size() == import_runs_most) {
    problems_.add(entry.place, "jobs",
                  "more than " + std::to_string(import_runs_most) + " runs; split the file");
    throw_if_wrong(problems_.take());
  }
  Group& group = groups_.emplace_back();
  group.place = entry.place;
  group.key = entry.key;
  group.name = entry.name;
  group.process = entry.process;
  group.groupid = entry.groupid;
  group.job = entry.job;
  group.jobs = entry.jobs;
  Run& run = group.run;
  run.setting = entry.job.setting;
  run.state = RunState::done;
  run.measurement.ioengine = entry.job.ioengine;
  run.measurement.direct = entry.job.direct;
  run.circumstances.host = entry.host;
  run.circumstances.program_version = entry.program_version;
  return group;
}

// Adds one clone: sums, extremes, buckets, and latencies by their number.
void FioRuns::merge(const FioDirection& from, Part& part, Traffic& traffic,
                    DirectionFigures& figures) {
  if (from.traffic.ios == 0) return;
  const bool has_latencies = from.latencies > 0;
  const bool first = part.latencies == 0;
  ++part.entries;
  part.all_have_latencies = part.all_have_latencies && has_latencies;
  part.all_have_buckets = part.all_have_buckets && from.traffic.latency.count > 0;
  part.latency_sum_ns += from.figures.latency_mean_ns * static_cast<double>(from.latencies);
  part.latencies += from.latencies;
  traffic.ios += from.traffic.ios;
  traffic.bytes += from.traffic.bytes;
  traffic.errors += from.traffic.errors;
  if (part.all_have_buckets) traffic.latency.merge(from.traffic.latency);
  const double iops = figures.iops + from.figures.iops;
  const double bandwidth = figures.bandwidth_bytes_per_s + from.figures.bandwidth_bytes_per_s;
  const std::uint64_t least = figures.latency_min_ns, most = figures.latency_max_ns;
  figures = from.figures;
  figures.iops = iops;
  figures.bandwidth_bytes_per_s = bandwidth;
  if (first) return;
  figures.latency_min_ns = has_latencies ? std::min(least, from.figures.latency_min_ns) : least;
  figures.latency_max_ns = std::max(most, from.figures.latency_max_ns);
}

// Percentiles of several clones: of their merged buckets, or none at all.
void FioRuns::settle(const Part& part, Traffic& traffic, DirectionFigures& figures) {
  if (!part.all_have_buckets) traffic.latency = Histogram{};
  if (part.entries > 1) clear_percentiles(figures);
  figures.latency_mean_ns = part.all_have_latencies && part.latencies > 0
                                ? part.latency_sum_ns / static_cast<double>(part.latencies)
                                : 0;
}

void FioRuns::check_directions(const FioEntry& entry) {
  const Rw rw = entry.job.setting.rw;
  const std::string word(to_string(rw));
  const bool read = entry.read.traffic.ios > 0, written = entry.write.traffic.ios > 0;
  constexpr const char* why =
      "; group_reporting folds all jobs of a group, and verify reads: put stonewall between jobs "
      "that differ";
  if (read && !reads(rw)) {
    problems_.add(entry.place, "read", "rw is " + word + ", but there are reads" + why);
  }
  if (written && !writes(rw)) {
    problems_.add(entry.place, "write", "rw is " + word + ", but there are writes" + why);
  }
  if (!read && !written) {
    problems_.add(entry.place, "read",
                  "there is no I/O, neither reads nor writes (of --status-interval keep the last "
                  "document alone)");
  }
}

void FioRuns::remark_latencies(const FioEntry& entry) {
  for (const FioDirection* direction : {&entry.read, &entry.write}) {
    if (direction->percentiles_of == LatencyKind::clat) {
      remark(
          "percentiles and extremes are of fio's clat, which begins behind the "
          "submission (lat: --lat_percentiles=1)",
          entry.name);
    }
    if (direction->mean_of == LatencyKind::clat) {
      remark("mean latency is of fio's clat, no lat was kept", entry.name);
    }
  }
}

void FioRuns::add(const FioEntry& entry) {
  Group& group = group_of(entry);
  Run& run = group.run;
  ++group.clones;
  if (entry.error != 0) {
    run.state = RunState::failed;
    run.error = failure_text(entry.error);
  } else {
    check_directions(entry);
    remark_latencies(entry);
  }
  Measurement& m = run.measurement;
  merge(entry.read, group.read, m.read, run.imported.read);
  merge(entry.write, group.write, m.write, run.imported.write);
  merge(entry.fsync, group.fsync, m.fsync, run.imported.fsync);
  m.measured_ns = std::max({m.measured_ns, entry.read.runtime_ns, entry.write.runtime_ns});
  m.cpu_user_ns += entry.cpu_user_ns;
  m.cpu_system_ns += entry.cpu_system_ns;
  if (run.started_at_ns == 0 ||
      (entry.started_at_ns != 0 && entry.started_at_ns < run.started_at_ns))
    run.started_at_ns = entry.started_at_ns;
  run.finished_at_ns = std::max(run.finished_at_ns, entry.finished_at_ns);
}

void FioRuns::check_conditions(const Group& group) {
  const auto first = std::find_if(groups_.begin(), groups_.end(), [&](const Group& other) {
    return other.job.setting.rw == group.job.setting.rw;
  });
  for (std::size_t i = 0; i < group.job.conditions.size(); ++i) {
    const auto& [name, value] = group.job.conditions[i];
    const std::string& other = first->job.conditions[i].second;
    const bool is_place = name == "filename" || name == "directory";
    if (value == other || (is_place && !facts_.target.empty())) continue;
    problems_.add(group.place, name,
                  refusal(value, shown(other) + ", as in " + first->place + ",") +
                      (is_place ? "; import them apart, or name the one disk as ?target="
                                : "; import them apart"));
  }
}

// As many entries as numjobs, or one for all of them (group_reporting).
void FioRuns::check_clones(Group& group) {
  std::uint32_t& numjobs = group.run.setting.numjobs;
  if (numjobs == 0 && group.clones > 1) numjobs = std::min(group.clones, max_numjobs);
  if (numjobs == 0) {
    problems_.add(group.place, "numjobs",
                  "one line doesn't tell how many jobs it stands for: give ?numjobs=, or name the "
                  "jobs after it (\"randread-8\")");
  } else if (group.clones != 1 && group.clones != numjobs) {
    problems_.add(group.place, "numjobs",
                  std::to_string(numjobs) + ", but there are " + std::to_string(group.clones) +
                      " entries of this job: one for each of its clones, or one for all "
                      "(group_reporting), is what fio writes");
  } else if (group.clones == 1 && numjobs > 1 && group.jobs > 0 && group.jobs < 1.05) {
    problems_.add(group.place, "job_runtime",
                  "is that of one job, and numjobs says " + std::to_string(numjobs) +
                      ": the entries of its other clones are missing");
  }
}

// What --status-interval prints is one run, several times.
void FioRuns::check_once(const Group& group) {
  if (group.run.state == RunState::failed) return;
  for (const Group& other : groups_) {
    if (&other == &group) return;
    if (other.key != group.key || other.run.state == RunState::failed) continue;
    if (!alike(other.run, group.run) && !began_together(other.run, group.run)) continue;
    problems_.add(group.place, "total_ios",
                  "this is the run of " + other.place +
                      " once more, not a repeat: of what --status-interval printed keep the last "
                      "document alone");
    return;
  }
}

void FioRuns::settle_figures(Group& group) {
  Run& run = group.run;
  Measurement& m = run.measurement;
  Run::Imported& imported = run.imported;
  if (run.state == RunState::failed) {
    const IoEngine ioengine = m.ioengine;
    const bool direct = m.direct;
    m = Measurement{};
    m.ioengine = ioengine;
    m.direct = direct;
    imported = {};
    return;
  }
  if (group.read.latency_sum_ns + group.write.latency_sum_ns > 9e18) {
    problems_.add(group.place, "lat_ns.mean", "mean x N of all clones is more than 292 years");
    return;
  }
  settle(group.read, m.read, imported.read);
  settle(group.write, m.write, imported.write);
  settle(group.fsync, m.fsync, imported.fsync);
  const bool buckets = (group.read.entries == 0 || group.read.all_have_buckets) &&
                       (group.write.entries == 0 || group.write.all_have_buckets);
  if (!buckets) m.read.latency = m.write.latency = Histogram{};
  if (!buckets && (group.clones > 1 || (group.read.entries > 0 && group.write.entries > 0))) {
    remark(
        "no percentiles of several jobs, or of reads and writes together, for "
        "they come from buckets (--output-format=json+)",
        group.name);
  }
  imported.iops = imported.read.iops + imported.write.iops;
  imported.bandwidth_bytes_per_s =
      imported.read.bandwidth_bytes_per_s + imported.write.bandwidth_bytes_per_s;
  const bool all = (group.read.entries == 0 || imported.read.latency_mean_ns > 0) &&
                   (group.write.entries == 0 || imported.write.latency_mean_ns > 0);
  const auto latencies = static_cast<double>(group.read.latencies + group.write.latencies);
  if (all && latencies > 0) {
    imported.latency_mean_ns = (group.read.latency_sum_ns + group.write.latency_sum_ns) / latencies;
  }
}

// Without stonewall the jobs of a group run at the same time, and each is a part of one load.
void FioRuns::note_company() {
  std::map<std::pair<std::string, std::uint32_t>, std::set<std::string>> companies;
  for (const Group& group : groups_) {
    companies[{group.process, group.groupid}].insert(group.name + " (" + group.place + ")");
  }
  for (const auto& [unused, names] : companies) {
    if (names.size() < 2) continue;
    std::string line = "these ran at the same time, for no stonewall stands between them:";
    for (const std::string& name : names) line += " " + name;
    note(line.substr(0, 500));
  }
}

std::string FioRuns::common_target() const {
  if (!facts_.target.empty()) return facts_.target;
  for (const Group& group : groups_) {
    if (group.job.target != groups_.front().job.target) return "";
  }
  const std::string& target = groups_.front().job.target;
  return target.size() <= import_text_most && is_plain_text(target) ? target : "";
}

ImportedTable FioRuns::finish() {
  throw_if_wrong(problems_.take());
  if (groups_.empty()) throw Error(ErrorCode::invalid, "there is no job of fio in it");
  for (Group& group : groups_) {
    check_conditions(group);
    check_clones(group);
    settle_figures(group);
  }
  for (const Group& group : groups_) check_once(group);
  throw_if_wrong(problems_.take());
  for (const auto& [remark, name] : remarks_) {
    note(std::string(name).append(": ").append(remark));
  }
  note_company();
  ImportFacts facts = facts_;
  facts.target = common_target();
  Workload workload = groups_.front().job.workload;
  const bool direct = groups_.front().job.direct;
  std::vector<Run> runs;
  for (Group& group : groups_) {
    workload.fsync = std::max(workload.fsync, group.job.workload.fsync);
    if (mixed(group.run.setting.rw)) workload.rwmixread = group.job.workload.rwmixread;
    runs.push_back(std::move(group.run));
  }
  ImportedTable table = finish_import(std::move(runs), facts, notes_);
  table.sweep.spec.workload = workload;
  table.sweep.spec.direct = direct;
  return table;
}

}  // namespace iobenchd::api
