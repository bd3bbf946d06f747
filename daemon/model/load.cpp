#include "daemon/model/load.h"

#include <array>
#include <limits>

#include "daemon/model/error.h"

namespace iobenchd {
namespace {

struct RwName {
  Rw value;
  std::string_view name;
};
constexpr std::array<RwName, 6> rw_names{{{Rw::read, "read"},
                                          {Rw::write, "write"},
                                          {Rw::randread, "randread"},
                                          {Rw::randwrite, "randwrite"},
                                          {Rw::rw, "rw"},
                                          {Rw::randrw, "randrw"}}};

struct IoEngineName {
  IoEngine value;
  std::string_view name;
};
constexpr std::array<IoEngineName, 6> ioengine_names{{{IoEngine::automatic, "auto"},
                                                      {IoEngine::io_uring, "io_uring"},
                                                      {IoEngine::psync, "psync"},
                                                      {IoEngine::threads, "threads"},
                                                      {IoEngine::mmap, "mmap"},
                                                      {IoEngine::null, "null"}}};

constexpr std::uint64_t day_ns = std::uint64_t{86'400} * 1'000'000'000;

void require(bool sound, const char* field, const char* message) {
  if (!sound) throw Error(ErrorCode::invalid, field, message);
}

void check_kind(const Load& load) {
  require(load.version == load_version, "version", "not the version of this engine");
  require(load.task <= Task::trial, "task", "measure, layout or trial");
  require(load.rw <= Rw::randrw, "rw", "not a workload");
  require(load.ioengine <= IoEngine::null, "ioengine", "not an engine");
  require(load.ioengine != IoEngine::automatic, "ioengine",
          "\"auto\" must be decided before a run starts");
  require(load.thread <= 1, "thread", "0 or 1");
}

void check_shape(const Load& load) {
  require(load.numjobs >= 1 && load.numjobs <= max_numjobs, "numjobs", "1..1024");
  require(load.iodepth >= 1 && load.iodepth <= max_iodepth, "iodepth", "1..1024");
  require(load.ioengine != IoEngine::threads || load.numjobs * load.iodepth <= max_engine_threads,
          "iodepth", "numjobs x iodepth is at most 4096 threads");
  require(load.files >= 1 && load.files <= max_numjobs, "files", "1..1024");
  require(load.batch_submit <= load.iodepth, "batch_submit", "at most iodepth");
  require(load.batch_complete <= load.iodepth, "batch_complete", "at most iodepth");
  require((load.engine_flags & ~engine_flag::all) == 0, "engine_flags", "unknown flag");
}

void check_region(const Load& load) {
  constexpr auto last = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  require(
      load.block_bytes >= 512 && load.block_bytes <= max_block_bytes && load.block_bytes % 512 == 0,
      "bs", "a multiple of 512, up to 16 MiB");
  require(load.offset_bytes % 512 == 0, "offset", "a multiple of 512");
  require(load.size_bytes >= load.block_bytes && load.size_bytes % load.block_bytes == 0, "size",
          "at least one block, and whole blocks");
  require(load.offset_bytes <= last && load.size_bytes <= (last - load.offset_bytes) / load.files,
          "size", "the region ends beyond 2^63 bytes");
}

void check_workload(const Workload& workload) {
  require(workload.rate_process <= RateProcess::poisson, "rate_process", "unknown");
  require(workload.sync <= Sync::dsync, "sync", "unknown");
  require(workload.norandommap <= 1, "norandommap", "0 or 1");
  require(workload.hipri <= 1, "hipri", "0 or 1");
  require(workload.verify <= 1, "verify", "0 or 1");
  const RandomDistribution& random = workload.random_distribution;
  require(random.kind <= Distribution::pareto, "random_distribution", "unknown");
  require(random.kind != Distribution::zipf ||
              (random.parameter > 0 && random.parameter <= 10 && random.parameter != 1),
          "random_distribution", "theta is above 0, at most 10, and not 1");
  require(random.kind != Distribution::pareto || (random.parameter > 0 && random.parameter < 1),
          "random_distribution", "h is between 0 and 1");
  const std::vector<FieldError> errors = validate(workload);
  if (!errors.empty()) throw Error(ErrorCode::invalid, errors[0].field, errors[0].message);
}

}  // namespace

std::string_view to_string(Rw value) noexcept {
  for (const RwName& entry : rw_names)
    if (entry.value == value) return entry.name;
  return "unknown";
}

std::string_view to_string(IoEngine value) noexcept {
  for (const IoEngineName& entry : ioengine_names)
    if (entry.value == value) return entry.name;
  return "unknown";
}

std::optional<Rw> parse_rw(std::string_view text) noexcept {
  for (const RwName& entry : rw_names)
    if (entry.name == text) return entry.value;
  return std::nullopt;
}

std::optional<IoEngine> parse_ioengine(std::string_view text) noexcept {
  for (const IoEngineName& entry : ioengine_names)
    if (entry.name == text) return entry.value;
  return std::nullopt;
}

void check_load(const Load& load) {
  check_kind(load);
  check_shape(load);
  check_region(load);
  check_workload(load.workload);
  require(load.ramp_ns <= day_ns, "ramp_time", "at most a day");
  require(load.runtime_ns <= 30 * day_ns, "runtime", "at most 30 days");
  require(load.task != Task::measure || load.runtime_ns >= 1'000'000, "runtime",
          "at least a millisecond");
}

}  // namespace iobenchd
