// The fio job file that asks the same: one job a point, one after the other.
#include <algorithm>

#include "api/export_fio.h"
#include "api/exports.h"
#include "api/text_table.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000, microsecond_ns = 1'000;

// fio reads a time without a unit as seconds.
std::string fio_time(std::uint64_t ns) {
  if (ns % second_ns == 0) return std::to_string(ns / second_ns);
  return std::to_string(ns / microsecond_ns) + "us";
}

IoEngine engine_of(const Sweep& sweep, const Run* run) {
  if (run != nullptr) return run->measurement.ioengine;
  const auto planned = parse_ioengine(sweep.plan.ioengine);
  return planned.value_or(sweep.spec.ioengine);
}

bool is_scratch(const Sweep& sweep) {
  return sweep.spec.target.empty();
}

// A colon parts files from one another, and ${} is a variable's value.
bool fio_can_name(const std::string& path) {
  return !path.empty() && path.find("${") == std::string::npos &&
         std::none_of(path.begin(), path.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

std::string fio_path(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ':') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void add_target(std::vector<FioOption>& options, const Sweep& sweep) {
  std::string path = is_scratch(sweep) ? sweep.plan.target : sweep.spec.target;
  if (fio_can_name(path)) {
    if (is_scratch(sweep)) path += "/iobenchd-fio.scratch";
    options.emplace_back("filename", fio_path(path));
  }
  if (sweep.plan.size_bytes != 0) {
    options.emplace_back("size", std::to_string(sweep.plan.size_bytes));
  }
  if (sweep.spec.offset_bytes != 0) {
    options.emplace_back("offset", std::to_string(sweep.spec.offset_bytes));
  }
}

void add_engine(std::vector<FioOption>& options, const Sweep& sweep, const Run* run) {
  const IoEngine engine = engine_of(sweep, run);
  const bool as_threads = engine == IoEngine::threads;
  if (as_threads) {
    options.emplace_back("ioengine", "psync");
  } else if (engine != IoEngine::automatic) {
    options.emplace_back("ioengine", std::string(to_string(engine)));
  }
  options.emplace_back("direct", sweep.spec.direct ? "1" : "0");
  if (sweep.spec.thread || as_threads) options.emplace_back("thread", "1");
  if (engine != IoEngine::io_uring) return;
  const std::uint32_t flags = run != nullptr ? run->measurement.engine_flags : 0;
  if ((flags & engine_flag::fixed_buffers) != 0) options.emplace_back("fixedbufs", "1");
  if ((flags & engine_flag::fixed_files) != 0) options.emplace_back("registerfiles", "1");
  if (sweep.spec.workload.hipri == 1) options.emplace_back("hipri", "1");
}

void add_workload(std::vector<FioOption>& options, const Sweep& sweep) {
  const SweepSpec& spec = sweep.spec;
  const Workload& workload = spec.workload;
  if (workload.norandommap == 1) options.emplace_back("norandommap", "1");
  if (workload.random_distribution.kind != Distribution::random) {
    options.emplace_back("random_distribution", to_string(workload.random_distribution));
  }
  if (workload.io_size_bytes != 0) {
    options.emplace_back("io_size", std::to_string(workload.io_size_bytes));
  }
  if (workload.fsync != 0) options.emplace_back("fsync", std::to_string(workload.fsync));
  if (workload.sync != Sync::none) {
    options.emplace_back("sync", std::string(to_string(workload.sync)));
  }
  if (workload.buffer_compress_percentage != 0) {
    options.emplace_back("buffer_compress_percentage",
                         std::to_string(workload.buffer_compress_percentage));
  }
  if (workload.rate_iops != 0) {
    options.emplace_back("rate_process", std::string(to_string(workload.rate_process)));
  }
  if (!spec.cpus_allowed.empty()) options.emplace_back("cpus_allowed", spec.cpus_allowed);
}

// Ours is one rate of a job's reads and writes together; fio's is of each direction.
std::string fio_rate(const Workload& workload, Rw rw) {
  if (!mixed(rw)) return std::to_string(workload.rate_iops);
  const std::uint64_t read_iops = workload.rate_iops * workload.rwmixread / 100;
  return std::to_string(read_iops) + "," + std::to_string(workload.rate_iops - read_iops);
}

std::vector<Setting> settings_of(const Exported& exported) {
  std::vector<Setting> settings;
  settings.reserve(exported.result.points.size());
  for (const Point& point : exported.result.points) settings.push_back(point.setting);
  if (settings.empty()) settings = exported.sweep.plan.settings;
  return settings;
}

// A comment is a line, whatever is in it.
void add_comment(std::string& text, const std::string& comment) {
  text += "# ";
  for (const char c : comment) text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  text += '\n';
}

void add_options(std::string& text, const std::vector<FioOption>& options) {
  for (const auto& [name, value] : options) {
    text.append(name).append("=").append(value).append("\n");
  }
}

std::string preface(const Exported& exported, const Run* run) {
  const Sweep& sweep = exported.sweep;
  std::string text;
  add_comment(text, title_of(sweep) +
                        ", as fio would be asked for it: one job a point, one after "
                        "the other.");
  add_comment(text, "Command: fio --output-format=json+ --lat_percentiles=1 iobenchd-sweep-" +
                        std::to_string(sweep.id) + ".fio");
  const bool writing = std::any_of(sweep.spec.rw.begin(), sweep.spec.rw.end(), writes);
  if (writing && !is_scratch(sweep)) {
    add_comment(text, "WARNING: it writes to " + sweep.spec.target + "; what is there is lost.");
  }
  for (const std::string& sentence : without_fio_equivalent(sweep, run)) {
    add_comment(text, "Without equivalent: " + sentence);
  }
  return text;
}

}  // namespace

std::string fio_job_name(const Setting& setting) {
  return std::string(to_string(setting.rw)) + "-bs" + block_text(setting.block_bytes) + "-iodepth" +
         std::to_string(setting.iodepth) + "-numjobs" + std::to_string(setting.numjobs);
}

std::vector<FioOption> fio_common_options(const Sweep& sweep, const Run* run) {
  std::vector<FioOption> options;
  add_target(options, sweep);
  add_engine(options, sweep, run);
  const std::uint64_t runtime_ns =
      sweep.spec.steady_rounds != 0 ? sweep.spec.steady_round_ns : sweep.spec.runtime_ns;
  if (runtime_ns != 0) {
    options.emplace_back("time_based", "1");
    options.emplace_back("runtime", fio_time(runtime_ns));
  }
  if (sweep.spec.ramp_time_ns != 0) {
    options.emplace_back("ramp_time", fio_time(sweep.spec.ramp_time_ns));
  }
  options.emplace_back("group_reporting", "1");
  add_workload(options, sweep);
  if (sweep.spec.seed) {
    options.emplace_back("randrepeat", "1");
    options.emplace_back("randseed", std::to_string(*sweep.spec.seed));
  }
  return options;
}

std::vector<FioOption> fio_point_options(const Sweep& sweep, const Setting& setting,
                                         const Run* run) {
  const Workload& workload = sweep.spec.workload;
  const IoEngine engine = engine_of(sweep, run);
  const bool as_threads = engine == IoEngine::threads;  // one thread of psync for each I/O
  std::vector<FioOption> options;
  options.emplace_back("rw", std::string(to_string(setting.rw)));
  options.emplace_back("bs", std::to_string(setting.block_bytes));
  options.emplace_back("iodepth", std::to_string(as_threads ? 1 : setting.iodepth));
  options.emplace_back(
      "numjobs", std::to_string(as_threads ? setting.numjobs * setting.iodepth : setting.numjobs));
  if (mixed(setting.rw)) options.emplace_back("rwmixread", std::to_string(workload.rwmixread));
  if (workload.rate_iops != 0) options.emplace_back("rate_iops", fio_rate(workload, setting.rw));
  if (workload.verify == 1 && writes(setting.rw)) options.emplace_back("verify", "crc32c");
  if (engine == IoEngine::io_uring && run != nullptr && run->measurement.batch_submit != 0) {
    options.emplace_back("iodepth_batch_submit", std::to_string(run->measurement.batch_submit));
    options.emplace_back("iodepth_batch_complete_min",
                         std::to_string(run->measurement.batch_complete));
  }
  return options;
}

std::vector<std::string> without_fio_equivalent(const Sweep& sweep, const Run* run) {
  const SweepSpec& spec = sweep.spec;
  std::vector<std::string> sentences;
  const std::string path = is_scratch(sweep) ? sweep.plan.target : spec.target;
  if (!fio_can_name(path)) sentences.emplace_back("the target, which has no name that fio reads");
  if (engine_of(sweep, run) == IoEngine::automatic) {
    sentences.emplace_back("ioengine, which isn't known");
  }
  if (engine_of(sweep, run) == IoEngine::threads) {
    sentences.emplace_back("ioengine=threads is psync with numjobs x iodepth threads");
  }
  if (spec.runtime_ns == 0) sentences.emplace_back("runtime, which isn't known");
  if (spec.repeats > 1 || spec.repeats_most > 1) {
    sentences.push_back("repeats: run this file " + std::to_string(spec.repeats) +
                        (spec.repeats_most > 1 ? " to " + std::to_string(spec.repeats_most) : "") +
                        " times");
  }
  if (spec.repeats_auto) {
    sentences.emplace_back("repeats=auto: as many runs of each point as helped the answer");
  }
  if (spec.steady_rounds != 0) {
    sentences.push_back("steady_state: " + std::to_string(spec.steady_rounds) +
                        " rounds at most, until five are steady; runtime is one round");
  }
  if (spec.order == Order::shuffled) {
    sentences.emplace_back("order=shuffled: fio runs the jobs as they stand here");
  }
  if (spec.layout == Layout::per_job) {
    sentences.emplace_back("layout=per_job: here all jobs share one file");
  }
  if (spec.precondition) {
    sentences.emplace_back("precondition: write all of it once before, with rw=write bs=1m");
  }
  if (spec.cooldown_ns != 0) {
    sentences.push_back("cooldown of " + time_text(static_cast<double>(spec.cooldown_ns) / 1e9) +
                        " between runs");
  }
  if (spec.latency_limit) sentences.emplace_back("latency_limit: it chooses, and limits no I/O");
  if (spec.refine) sentences.emplace_back("refine: the points it added are among the jobs");
  if (spec.numjobs_auto) {
    sentences.emplace_back("numjobs=auto: the points it chose are the jobs here");
  }
  if (spec.workload.verify == 1) {
    sentences.emplace_back("verify finds lost and older blocks too; fio's crc32c changed ones");
  }
  return sentences;
}

std::string export_fio_job(const Exported& exported) {
  const Sweep& sweep = exported.sweep;
  const auto done = std::find_if(exported.runs.begin(), exported.runs.end(),
                                 [](const Run& run) { return run.state == RunState::done; });
  const Run* any = done == exported.runs.end() ? nullptr : &*done;
  std::string text = preface(exported, any) + "\n[global]\n";
  add_options(text, fio_common_options(sweep, any));
  for (const Setting& setting : settings_of(exported)) {
    text += "\n[" + fio_job_name(setting) + "]\nstonewall\n";
    add_options(text, fio_point_options(sweep, setting, run_of(exported.runs, setting)));
  }
  return text;
}

}  // namespace iobenchd::api
