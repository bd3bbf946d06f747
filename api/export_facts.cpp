#include <algorithm>

#include "api/exports.h"
#include "daemon/model/clock.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

void add_part(std::string& text, const std::string& part) {
  if (part.empty()) return;
  text += (text.empty() ? "" : ", ") + part;
}

void add_fact(Facts& facts, const char* name, const std::string& text) {
  if (!text.empty()) facts.emplace_back(name, text);
}

std::string seconds_text(std::uint64_t ns) {
  return time_text(static_cast<double>(ns) / 1e9);
}

std::string disk_text(const Circumstances& c) {
  std::string text;
  add_part(text, c.model);
  if (!c.serial.empty()) add_part(text, "serial " + c.serial);
  if (!c.firmware.empty()) add_part(text, "firmware " + c.firmware);
  // The size of a file is no disk's.
  const bool is_device = c.target_kind.find("device") != std::string::npos;
  if (is_device && c.target_bytes != 0) add_part(text, size_text(c.target_bytes));
  if (c.logical_sector_bytes != 0) {
    add_part(text, "sectors of " + std::to_string(c.logical_sector_bytes) + " bytes");
  }
  if (!c.io_scheduler.empty()) add_part(text, "scheduler " + c.io_scheduler);
  return text;
}

std::string target_text(const Sweep& sweep, const Circumstances& c) {
  std::string text;
  add_part(text, c.target.empty() ? sweep.plan.target : c.target);
  if (!c.filesystem.empty()) {
    add_part(text, c.filesystem + (c.mount_options.empty() ? "" : " (" + c.mount_options + ")"));
  }
  if (c.in_use) add_part(text, "in use");
  return text;
}

std::string machine_text(const Sweep& sweep, const Circumstances& c) {
  std::string text;
  add_part(text, c.host.empty() ? sweep.host : c.host);
  add_part(text, c.cpu);
  if (c.cpus != 0) add_part(text, std::to_string(c.cpus) + (c.cpus == 1 ? " CPU" : " CPUs"));
  if (c.memory_bytes != 0) add_part(text, size_text(c.memory_bytes) + " of memory");
  if (c.virtual_machine) add_part(text, "a virtual machine");
  return text;
}

std::string engine_text(const Sweep& sweep, const Run* run) {
  std::string text;
  if (run == nullptr) return text;
  if (run->measurement.ioengine != IoEngine::automatic) {
    add_part(text, std::string(to_string(run->measurement.ioengine)));
  }
  if (!run->imported_figures) {
    add_part(text, run->measurement.direct ? "direct I/O" : "through the page cache");
  }
  if (sweep.plan.size_bytes != 0) {
    add_part(text, size_text(sweep.plan.size_bytes) + " of working set");
  }
  return text;
}

std::string time_of(const Sweep& sweep) {
  std::string text;
  const SweepSpec& spec = sweep.spec;
  if (spec.runtime_ns == 0) return text;
  if (spec.steady_rounds != 0) {
    add_part(text, "rounds of " + seconds_text(spec.steady_round_ns) + " until five are steady, " +
                       std::to_string(spec.steady_rounds) + " at most");
  } else {
    add_part(text, seconds_text(spec.runtime_ns) + " a run");
  }
  if (spec.ramp_time_ns != 0) add_part(text, seconds_text(spec.ramp_time_ns) + " of ramp before");
  if (spec.repeats_auto) {
    add_part(text, "as many runs of each point as help the answer");
  } else if (spec.repeats_most != 0) {
    add_part(text, std::to_string(spec.repeats) + " to " + std::to_string(spec.repeats_most) +
                       " runs a point");
  } else if (spec.repeats > 1) {
    add_part(text, std::to_string(spec.repeats) + " runs a point");
  }
  if (spec.order == Order::shuffled) add_part(text, "in shuffled order");
  return text;
}

std::string workload_text(const Workload& workload) {
  std::string text;
  if (workload.rate_iops != 0) {
    add_part(text, "an open loop of " + count_text(workload.rate_iops) +
                       " I/Os a second and job (" + std::string(to_string(workload.rate_process)) +
                       ")");
  }
  if (workload.random_distribution.kind != Distribution::random) {
    add_part(text, "offsets " + to_string(workload.random_distribution));
  }
  if (workload.fsync != 0) {
    add_part(text, "fsync after " + std::to_string(workload.fsync) + " writes");
  }
  if (workload.sync != Sync::none) {
    add_part(text, "O_" + std::string(workload.sync == Sync::sync ? "SYNC" : "DSYNC"));
  }
  if (workload.io_size_bytes != 0) {
    add_part(text, size_text(workload.io_size_bytes) + " a job at most");
  }
  if (workload.hipri == 1) add_part(text, "completions polled for");
  if (workload.verify == 1) add_part(text, "what was written was read back");
  return text;
}

std::string program_text(const Circumstances& c) {
  if (c.program_version.empty()) return "";
  std::string text = "iobenchd " + c.program_version;
  if (!c.build_type.empty()) text += " (" + c.build_type + ", " + c.compiler + ")";
  return text;
}

std::string when_text(const Sweep& sweep) {
  const std::string from = rfc3339(sweep.started_at_ns), to = rfc3339(sweep.finished_at_ns);
  if (!from.empty() && !to.empty()) return from + " to " + to;
  return rfc3339(sweep.created_at_ns);
}

std::string count_of_runs(const Sweep& sweep) {
  std::string text = count_text(sweep.runs_done);
  if (sweep.runs_failed != 0) text += ", of which " + count_text(sweep.runs_failed) + " failed";
  return text;
}

}  // namespace

Facts facts_of(const Exported& exported) {
  const Sweep& sweep = exported.sweep;
  const auto found = std::find_if(exported.runs.begin(), exported.runs.end(),
                                  [](const Run& run) { return run.state == RunState::done; });
  const Run* run = found == exported.runs.end() ? nullptr : &*found;
  const Circumstances c = run != nullptr ? run->circumstances : Circumstances{};
  Facts facts;
  add_fact(facts, "Disk", disk_text(c));
  add_fact(facts, "Target", target_text(sweep, c));
  add_fact(facts, "Machine", machine_text(sweep, c));
  add_fact(facts, "System", c.os);
  add_fact(facts, "Engine", engine_text(sweep, run));
  add_fact(facts, "Workload", workload_text(sweep.spec.workload));
  add_fact(facts, "Time", time_of(sweep));
  add_fact(facts, "Runs", count_of_runs(sweep));
  add_fact(facts, "Measured", when_text(sweep));
  add_fact(facts, "Program", program_text(c));
  add_fact(facts, "Sweep", sweep.uuid);
  if (sweep.origin == Origin::imported) add_fact(facts, "Origin", "imported");
  add_fact(facts, "Notes", sweep.notes);
  return facts;
}

std::string title_of(const Sweep& sweep) {
  std::string text = "Sweep " + std::to_string(sweep.id);
  if (!sweep.spec.label.empty()) text += ", " + sweep.spec.label;
  if (sweep.state != SweepState::done) text += " (" + std::string(to_string(sweep.state)) + ")";
  return text;
}

std::string answer_of(const Exported& exported) {
  if (!exported.sweep.answer.empty()) return exported.sweep.answer;
  return exported.result.answer.empty() ? "No point was measured to its end."
                                        : exported.result.answer;
}

std::string curve_sentence(const Curve& curve) {
  if (curve.sweet_spot) return curve.sweet_spot->sentence;
  return curve.no_sweet_spot ? curve.no_sweet_spot->sentence : "";
}

const Run* run_of(std::span<const Run> runs, const Setting& setting) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&](const Run& run) {
    return run.state == RunState::done && run.setting == setting;
  });
  return found == runs.end() ? nullptr : &*found;
}

}  // namespace iobenchd::api
