#include <algorithm>
#include <map>
#include <utility>

#include "api/imports.h"

namespace iobenchd::api {

namespace {

constexpr std::size_t notes_kept_bytes = std::size_t{16} * 1024;

template <typename T>
void sort_distinct(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

SweepSpec spec_of(const ImportFacts& facts, const std::vector<Run>& runs) {
  SweepSpec spec;
  spec.label = facts.label;
  spec.target = facts.target;
  spec.bs.clear();
  spec.iodepth.clear();
  spec.numjobs_auto = false;
  spec.rw.clear();
  spec.runtime_ns = spec.ramp_time_ns = 0;  // not in the file
  spec.ioengine = runs.front().measurement.ioengine;
  for (const Run& run : runs) {
    if (std::find(spec.rw.begin(), spec.rw.end(), run.setting.rw) == spec.rw.end()) {
      spec.rw.push_back(run.setting.rw);
    }
    spec.bs.push_back(run.setting.block_bytes);
    spec.iodepth.push_back(run.setting.iodepth);
    spec.numjobs.push_back(run.setting.numjobs);
    spec.repeats = std::max(spec.repeats, run.repeat + 1);
    if (run.measurement.ioengine != spec.ioengine) spec.ioengine = IoEngine::automatic;
  }
  sort_distinct(spec.bs);
  sort_distinct(spec.iodepth);
  sort_distinct(spec.numjobs);
  return spec;
}

void complete(Run& run, const ImportFacts& facts) {
  run.imported_figures = true;
  run.circumstances.os = facts.os;
  run.circumstances.model = facts.model;
  run.circumstances.serial = facts.serial;
  if (!facts.host.empty()) run.circumstances.host = facts.host;
  if (run.circumstances.target.empty()) run.circumstances.target = facts.target;
}

// A sweep is as old as its runs, where they tell.
void take_times(Sweep& sweep, const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const std::int64_t start_ns = run.started_at_ns;
    if (start_ns != 0 && (sweep.started_at_ns == 0 || start_ns < sweep.started_at_ns)) {
      sweep.started_at_ns = start_ns;
    }
    sweep.finished_at_ns = std::max(sweep.finished_at_ns, run.finished_at_ns);
  }
  sweep.created_at_ns = sweep.started_at_ns;
}

}  // namespace

void append_note(std::string& notes, const std::string& line) {
  if (notes.size() + line.size() < notes_kept_bytes) notes += line + "\n";
}

ImportedTable finish_import(std::vector<Run> runs, const ImportFacts& facts, std::string notes) {
  ImportedTable result;
  std::map<Setting, std::uint32_t> repeats;
  Sweep& sweep = result.sweep;
  for (Run& run : runs) {
    run.repeat = repeats[run.setting]++;
    complete(run, facts);
    if (run.state == RunState::failed) ++sweep.runs_failed;
    sweep.plan.settings.push_back(run.setting);
  }
  sweep.origin = Origin::imported;
  sweep.host = runs.front().circumstances.host;
  sweep.spec = spec_of(facts, runs);
  sweep.runs_done = static_cast<std::uint32_t>(runs.size());
  sweep.plan.runs = sweep.runs_done;
  sweep.plan.target = facts.target;
  sweep.notes = std::move(notes);
  sweep.state = SweepState::done;
  if (sweep.runs_failed == sweep.runs_done) {
    sweep.state = SweepState::failed;
    sweep.error = runs.front().error;
  }
  take_times(sweep, runs);
  result.runs = std::move(runs);
  return result;
}

}  // namespace iobenchd::api
