#include "daemon/scheduler/plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/analysis/auto_numjobs.h"
#include "daemon/model/error.h"
#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/schedule.h"

namespace iobenchd::scheduler {
namespace {

// Guesses, on the slow side; progress corrects them as soon as there is something to measure.
constexpr double layout_bytes_per_s = 250e6;
constexpr double write_bytes_per_s = 500e6;
constexpr double read_back_bytes_per_s = 500e6;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

std::uint32_t largest(const std::vector<std::uint32_t>& list, std::uint32_t otherwise) {
  return list.empty() ? otherwise : *std::max_element(list.begin(), list.end());
}

IoEngine decide_ioengine(const SweepSpec& spec, const TargetFacts& facts, const Ability& ability,
                         std::vector<FieldError>& errors) {
  if (spec.ioengine == IoEngine::io_uring && !ability.io_uring)
    errors.push_back({"ioengine", "io_uring can't be used here: " + ability.why_no_io_uring +
                                      "; \"threads\" holds the same depth without it"});
  if (spec.ioengine == IoEngine::mmap && facts.kind == TargetKind::raw_device)
    errors.push_back(
        {"ioengine",
         "mmap needs the page cache, which a raw device hasn't: name the block device, "
         "or use psync"});
  if (spec.ioengine != IoEngine::automatic) return spec.ioengine;
  if (ability.io_uring) return IoEngine::io_uring;
  return largest(spec.iodepth, 1) > 1 ? IoEngine::threads : IoEngine::psync;
}

bool holds_depth(IoEngine ioengine) {
  return ioengine == IoEngine::io_uring || ioengine == IoEngine::threads;
}

// Each I/O in flight has a block of memory of its own, and every page of it is touched. A mapping's
// are the page cache.
std::uint64_t block_memory_of_a_job(const SweepSpec& spec, IoEngine ioengine) {
  constexpr std::uint64_t page_bytes = 4096;
  if (ioengine == IoEngine::mmap) return 0;
  const std::uint64_t depth = holds_depth(ioengine) ? largest(spec.iodepth, 1) : 1;
  return (largest(spec.bs, 512) + page_bytes - 1) / page_bytes * page_bytes * depth;
}

// As many jobs as half of the memory bears: more would make the machine swap, and itself the limit.
std::uint32_t jobs_in_memory(const SweepSpec& spec, IoEngine ioengine, const Ability& ability) {
  const std::uint64_t each = block_memory_of_a_job(spec, ioengine);
  if (ability.memory_bytes == 0 || each == 0) return max_numjobs;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(ability.memory_bytes / 2 / each, max_numjobs));
}

FieldError memory_error(const SweepSpec& spec, std::uint32_t jobs, std::uint64_t each,
                        std::uint32_t limit, std::uint64_t memory_bytes) {
  const std::string fits =
      limit == 0 ? "" : "at most " + std::to_string(limit) + " jobs would fit; ";
  return {spec.numjobs_auto ? "bs" : "numjobs",
          "the blocks in flight of " + std::to_string(jobs) + (jobs == 1 ? " job" : " jobs") +
              " take " + std::to_string(jobs * each) + " bytes, and half of the memory here is " +
              std::to_string(memory_bytes / 2) + ": " + fits +
              "ask for less depth or smaller blocks"};
}

// The most jobs of any point: of the list, or as far as auto may go.
std::uint32_t most_jobs_of(const SweepSpec& spec, IoEngine ioengine, const Ability& ability,
                           std::vector<FieldError>& errors) {
  const std::uint32_t depth = std::max(1U, largest(spec.iodepth, 1));
  const std::uint32_t limit =
      ioengine == IoEngine::threads ? std::max(1U, max_engine_threads / depth) : max_numjobs;
  const std::uint32_t in_memory = jobs_in_memory(spec, ioengine, ability);
  if (spec.numjobs_auto && in_memory > 0) return std::min({auto_numjobs_limit, limit, in_memory});
  const std::uint32_t jobs = largest(spec.numjobs, 1);
  if (jobs > limit && spec.ioengine == IoEngine::automatic)
    errors.push_back(
        {"numjobs", "without io_uring (" + ability.why_no_io_uring +
                        ") depth takes threads, and numjobs x iodepth is at most 4096: at depth " +
                        std::to_string(depth) + " at most " + std::to_string(limit) + " jobs"});
  if (jobs > in_memory)
    errors.push_back(memory_error(spec, jobs, block_memory_of_a_job(spec, ioengine), in_memory,
                                  ability.memory_bytes));
  return std::clamp(jobs, 1U, limit);
}

void judge_sector(const SweepSpec& spec, const TargetFacts& facts,
                  std::vector<FieldError>& errors) {
  const std::uint32_t sector = facts.logical_sector_bytes;
  if (sector <= 512) return;  // validate() has asked for that
  for (std::size_t i = 0; i < spec.bs.size(); ++i) {
    if (spec.bs[i] % sector != 0 && spec.bs[i] % 512 == 0)
      errors.push_back({spec.bs.size() == 1 ? "bs" : "bs[" + std::to_string(i) + "]",
                        std::to_string(spec.bs[i]) + " is no multiple of the sector of " +
                            std::to_string(sector) + " bytes that this disk has"});
  }
  if (spec.offset_bytes % sector != 0)
    errors.push_back({"offset", "must be a multiple of the sector of " + std::to_string(sector) +
                                    " bytes that this disk has"});
}

std::uint64_t size_on_target(const SweepSpec& spec, const TargetFacts& facts,
                             std::vector<FieldError>& errors) {
  const std::uint32_t block = largest(spec.bs, 512);
  if (facts.size_bytes < spec.offset_bytes + block) {
    errors.push_back({spec.offset_bytes == 0 ? "target" : "offset",
                      "leaves no block of " + std::to_string(block) + " bytes: " + spec.target +
                          " has " + std::to_string(facts.size_bytes)});
    return 0;
  }
  const std::uint64_t room = facts.size_bytes - spec.offset_bytes;
  if (spec.size_bytes > room)
    errors.push_back({"size", std::to_string(spec.size_bytes) + " bytes don't fit: " + spec.target +
                                  " has " + std::to_string(room) +
                                  (spec.offset_bytes == 0 ? "" : " behind the offset") +
                                  "; give at most \"" + size_text(room) + "\" or leave size out"});
  return spec.size_bytes == 0 ? room : spec.size_bytes;
}

// 5 % of a filesystem stay free, whoever else writes to it.
std::uint64_t size_of_scratch(const SweepSpec& spec, const TargetFacts& facts,
                              const Settings& settings, std::vector<FieldError>& errors) {
  const std::uint64_t wanted = spec.size_bytes == 0 ? scratch_default_bytes : spec.size_bytes;
  const std::uint64_t kept = facts.size_bytes / 20;
  const std::uint64_t room = facts.free_bytes > kept ? facts.free_bytes - kept : 0;
  const std::uint64_t fits = std::min(room, settings.scratch_limit_bytes) / mebibyte * mebibyte;
  if (wanted <= std::min(room, settings.scratch_limit_bytes)) return wanted;
  const std::string why =
      wanted > room ? text_of(settings.scratch_dir) + " has " + std::to_string(facts.free_bytes) +
                          " bytes free, and 5 % of its filesystem (" + std::to_string(kept) +
                          " bytes) stay free"
                    : "scratch_limit is " + size_text(settings.scratch_limit_bytes);
  const std::string cure = fits < mebibyte
                               ? "free some space, or set \"scratch_dir\" to another filesystem"
                               : "\"" + size_text(fits) + "\" would fit";
  errors.push_back({"size", size_text(wanted) + (spec.size_bytes == 0 ? " (the default)" : "") +
                                " doesn't fit: " + why + "; " + cure});
  return wanted;
}

void lay_out(const SweepSpec& spec, const Ability& ability, Judgement& judgement,
             std::vector<FieldError>& errors) {
  const Layout layout =
      spec.layout.value_or(ability.layout_per_job ? Layout::per_job : Layout::shared);
  const std::uint64_t block = std::max(512U, largest(spec.bs, 512));
  judgement.files = layout == Layout::per_job ? judgement.most_jobs : 1;
  const std::uint64_t share = judgement.plan.size_bytes / judgement.files;
  judgement.file_bytes = share / block * block;
  if (judgement.file_bytes == 0)
    errors.push_back({"size", "must hold a block of " + std::to_string(block) +
                                  " bytes for each of " + std::to_string(judgement.files) +
                                  " files: at least \"" + size_text(block * judgement.files) +
                                  "\""});
}

// Every worker has blocks of its own, two at least for each I/O that it keeps in flight.
void judge_verify(const SweepSpec& spec, const Judgement& judgement,
                  std::vector<FieldError>& errors) {
  if (spec.workload.verify == 0) return;
  const std::uint64_t depth = std::max(1U, largest(spec.iodepth, 1));
  const std::uint64_t jobs = (judgement.most_jobs + judgement.files - 1) / judgement.files;
  const std::uint64_t of_a_file =
      jobs * (holds_depth(judgement.ioengine) ? depth : 1) * 2 * largest(spec.bs, 512);
  const std::uint64_t have = judgement.scratch ? judgement.file_bytes : judgement.plan.size_bytes;
  if (have < of_a_file)
    errors.push_back({"size",
                      "verify needs two blocks for each I/O in flight, of its own for every "
                      "job: at least \"" +
                          size_text(of_a_file * judgement.files) + "\" for " +
                          std::to_string(judgement.most_jobs) + " jobs"});
}

// Why others' I/O can't be told from ours on this target; empty: it can.
std::string why_blind(const SweepSpec& spec, const TargetFacts& facts, const Ability& ability,
                      IoEngine ioengine) {
  if (!ability.counts) return "this system tells what a disk does only between runs";
  const std::vector<std::string> leaves = leaves_of(facts);
  if (leaves.empty()) return "which disk is under this target isn't known";
  for (const std::string& leaf : leaves)
    if (!ability.counts(leaf)) return "the counters of " + leaf + " can't be read";
  if (ioengine == IoEngine::null) return "the engine null asks no disk";
  if (!spec.direct || ioengine == IoEngine::mmap)
    return "what goes through the page cache is not what the disk does; it needs direct I/O";
  if (leaves.size() > 1 && writes_any(spec))
    return "over several disks one write becomes more than one";
  return "";
}

// Asked for it must be had; what the configuration says is for those that can.
void judge_yielding(const SweepSpec& spec, const TargetFacts& facts, const Settings& settings,
                    const Ability& ability, Judgement& judgement, std::vector<FieldError>& errors) {
  if (!spec.yield_to_other_io.value_or(settings.yield_to_other_io != 0)) return;
  const std::string why = why_blind(spec, facts, ability, judgement.ioengine);
  judgement.yields = why.empty();
  if (!why.empty() && spec.yield_to_other_io)
    errors.push_back({"yield_to_other_io", "can't be had here: " + why + "; leave it out"});
}

void fill_plan(const SweepSpec& spec, Judgement& judgement) {
  Plan& plan = judgement.plan;
  const std::vector<std::uint32_t> jobs =
      spec.numjobs_auto ? analysis::doublings(judgement.most_jobs) : spec.numjobs;
  for (const Rw rw : spec.rw)
    for (const std::uint32_t block : spec.bs)
      for (const std::uint32_t depth : spec.iodepth)
        for (const std::uint32_t n : jobs) plan.settings.push_back({rw, block, depth, n});
  std::sort(plan.settings.begin(), plan.settings.end());
  const auto per_rw = static_cast<std::uint32_t>(spec.bs.size() * spec.iodepth.size());
  const auto grid = static_cast<std::uint32_t>(jobs.size());
  const std::uint32_t refined = spec.numjobs_auto || spec.refine ? most_refinements : 0;
  const std::uint32_t repeats = std::max(spec.repeats, spec.repeats_most);
  const auto rws = static_cast<std::uint32_t>(spec.rw.size());
  const std::uint32_t drift_checks = drift_checks_of(spec, grid) / rws;
  const std::uint32_t runs_of_rw = std::max((grid + refined) * repeats * per_rw + drift_checks,
                                            auto_runs_of_curve(spec) * per_rw);
  plan.runs = runs_of_rw * rws;
  const double span = asked_seconds(spec);
  const double cooldown = static_cast<double>(spec.cooldown_ns) / 1e9;
  const double measuring = plan.runs * (span + cooldown + run_overhead_seconds);
  plan.layout_bytes = judgement.scratch && judgement.ioengine != IoEngine::null
                          ? judgement.file_bytes * judgement.files
                          : 0;
  const double layout = static_cast<double>(plan.layout_bytes) / layout_bytes_per_s;
  // A scratch file's layout is a pass already.
  const bool passes = spec.precondition && !judgement.scratch;
  const std::uint64_t pass_bytes = passes ? judgement.facts.size_bytes : 0;
  plan.seconds = measuring + layout + static_cast<double>(pass_bytes) / layout_bytes_per_s;
  if (overwrites_device(spec, judgement.facts)) plan.seconds += grace_seconds;
  plan.seconds += plan.seconds < short_sweep_seconds ? short_reference_seconds : reference_seconds;
  const auto writing = static_cast<double>(std::count_if(spec.rw.begin(), spec.rw.end(), writes));
  const double written_by_a_run = span * write_bytes_per_s;
  const double written = writing * runs_of_rw * written_by_a_run;
  if (spec.workload.verify == 1)
    plan.seconds += writing * runs_of_rw *
                    std::min(written_by_a_run, static_cast<double>(plan.size_bytes)) /
                    read_back_bytes_per_s;
  plan.write_bytes =
      plan.layout_bytes + pass_bytes +
      (judgement.ioengine == IoEngine::null ? 0 : static_cast<std::uint64_t>(written));
  plan.ioengine = std::string(to_string(judgement.ioengine));
}

}  // namespace

double asked_seconds(const SweepSpec& spec) noexcept {
  const std::uint64_t measured_ns =
      spec.steady_rounds > 0 ? spec.steady_rounds * spec.steady_round_ns : spec.runtime_ns;
  return static_cast<double>(spec.ramp_time_ns + measured_ns) / 1e9;
}

Judgement judge(const SweepSpec& spec, const TargetFacts& facts, const Settings& settings,
                const Ability& ability) {
  std::vector<FieldError> errors = validate(spec);
  Judgement judgement;
  judgement.facts = facts;
  judgement.scratch = spec.target.empty();
  judge_target(spec, facts, errors);
  const bool target_is_wrong = std::any_of(
      errors.begin(), errors.end(), [](const auto& error) { return error.field == "target"; });
  // Permission before the facts of the disk: who may not use it learns nothing about it.
  if (!target_is_wrong) judge_permission(spec, facts, settings, ability);
  judgement.ioengine = decide_ioengine(spec, facts, ability, errors);
  judgement.most_jobs = most_jobs_of(spec, judgement.ioengine, ability, errors);
  if (!target_is_wrong) {
    judge_sector(spec, facts, errors);
    judgement.plan.size_bytes = judgement.scratch ? size_of_scratch(spec, facts, settings, errors)
                                                  : size_on_target(spec, facts, errors);
    if (judgement.scratch) lay_out(spec, ability, judgement, errors);
    judge_verify(spec, judgement, errors);
    judge_yielding(spec, facts, settings, ability, judgement, errors);
  }
  if (!errors.empty()) {
    const std::string first =
        (errors[0].field.empty() ? "" : errors[0].field + ": ") + errors[0].message;
    throw Error(first, std::move(errors));
  }
  judge_confirmation(spec, facts);
  judgement.leaves = lease_names(facts);
  judgement.plan.target = judgement.scratch ? text_of(settings.scratch_dir) : spec.target;
  fill_plan(spec, judgement);
  return judgement;
}

std::vector<std::string> lease_names(const TargetFacts& facts) {
  std::vector<std::string> leaves = leaves_of(facts);
  if (leaves.empty()) leaves.push_back("device " + std::to_string(facts.device));
  return leaves;
}

std::string size_text(std::uint64_t bytes) {
  struct Unit {
    unsigned shift;
    const char* letter;
  };
  constexpr std::array<Unit, 3> units{{{30, "g"}, {20, "m"}, {10, "k"}}};
  for (const Unit& unit : units) {
    if (bytes != 0 && bytes % (std::uint64_t{1} << unit.shift) == 0)
      return std::to_string(bytes >> unit.shift) + unit.letter;
  }
  return std::to_string(bytes);
}

}  // namespace iobenchd::scheduler
