#include "daemon/model/sweep.h"

#include <algorithm>
#include <array>
#include <span>

namespace iobenchd {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t day_ns = 86'400 * second_ns;
constexpr std::uint64_t runtime_least_ns =
    100'000'000;  // shorter is start and stop, no measurement
constexpr std::uint32_t most_repeats = 100;
constexpr std::uint64_t most_runs = 10'000;  // more is a typing error, and a page nobody can read
constexpr std::size_t most_listed = 256;
constexpr std::uint32_t least_block_bytes = 512;  // the smallest sector there is

template <typename T, std::size_t N>
std::optional<T> parse_any(const std::array<T, N>& all, std::string_view text) noexcept {
  for (const T value : all) {
    if (text == to_string(value)) return value;
  }
  return std::nullopt;
}

std::string element(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

bool printable(std::string_view text) noexcept {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// One wrong list gives one error for each wrong element, and one for the list as a whole.
template <typename T>
void check_list(std::vector<FieldError>& errors, std::string_view name, std::span<const T> list) {
  if (list.empty()) errors.push_back({std::string(name), "give at least one value"});
  if (list.size() > most_listed)
    errors.push_back({std::string(name), "at most " + std::to_string(most_listed) + " values"});
  for (std::size_t i = 1; i < list.size(); ++i) {
    if (std::find(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i), list[i]) !=
        list.begin() + static_cast<std::ptrdiff_t>(i))
      errors.push_back({element(name, i), "is there twice"});
  }
}

void check_range(std::vector<FieldError>& errors, std::string_view name,
                 std::span<const std::uint32_t> list, std::uint32_t most) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 1 || list[i] > most)
      errors.push_back({list.size() == 1 ? std::string(name) : element(name, i),
                        "must be 1.." + std::to_string(most) + ", not " + std::to_string(list[i])});
  }
}

void check_blocks(std::vector<FieldError>& errors, std::span<const std::uint32_t> list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string field = list.size() == 1 ? "bs" : element("bs", i);
    if (list[i] < least_block_bytes || list[i] > max_block_bytes)
      errors.push_back({field, "must be 512..16m, not " + std::to_string(list[i])});
    else if (list[i] % least_block_bytes != 0)
      errors.push_back(
          {field, "must be a multiple of the sector (512 bytes at least), and " +
                      std::to_string(list[i]) + " is not; try " +
                      std::to_string((list[i] / least_block_bytes + 1) * least_block_bytes)});
  }
}

void check_time(std::vector<FieldError>& errors, const char* name, std::uint64_t value,
                std::uint64_t least, const char* range) {
  if (value < least || value > day_ns) errors.push_back({name, range});
}

void check_texts(std::vector<FieldError>& errors, const SweepSpec& spec) {
  if (!preset_spec(spec.preset))
    errors.push_back({"preset", "must be quick, published or published-2017"});
  if (spec.label.size() > 200) errors.push_back({"label", "at most 200 bytes"});
  if (!printable(spec.label)) errors.push_back({"label", "must not hold control characters"});
  if (!spec.target.empty() && spec.target.front() != '/')
    errors.push_back({"target", "must be an absolute path, like /dev/sdb"});
  if (spec.target.size() > 1000) errors.push_back({"target", "at most 1000 bytes"});
  if (!printable(spec.target)) errors.push_back({"target", "must not hold control characters"});
  if (spec.confirm.size() > 255) errors.push_back({"confirm", "at most 255 bytes"});
}

void check_workload(std::vector<FieldError>& errors, const SweepSpec& spec) {
  const Workload& workload = spec.workload;
  for (FieldError& error : validate(workload)) errors.push_back(std::move(error));
  if (!spec.cpus_allowed.empty() && !parse_cpus(spec.cpus_allowed))
    errors.push_back({"cpus_allowed", "a list of CPUs below 1024 such as \"0-3,6\" is needed"});
  const bool writing = std::any_of(spec.rw.begin(), spec.rw.end(), writes);
  if (workload.fsync > 0 && !writing)
    errors.push_back({"fsync", "is for workloads that write; rw asks for reads alone"});
  if (workload.io_size_bytes != 0 && !spec.bs.empty() &&
      workload.io_size_bytes < *std::max_element(spec.bs.begin(), spec.bs.end()))
    errors.push_back({"io_size", "must hold at least one block"});
  if (workload.verify == 1 && !writing)
    errors.push_back({"verify", "reads back what a run has written; rw asks for reads alone"});
  if (workload.verify == 1 && spec.ioengine == IoEngine::null)
    errors.push_back({"verify", "the null engine stores nothing that could be read back"});
  if (workload.hipri == 1 && !spec.direct)
    errors.push_back({"hipri", "polling needs direct I/O: leave direct out or make it true"});
  if (workload.hipri == 1 && spec.ioengine != IoEngine::io_uring)
    errors.push_back({"hipri", "only io_uring can poll: say \"ioengine\": \"io_uring\""});
  if (workload.hipri == 1 && workload.fsync > 0)
    errors.push_back({"hipri", "a polled ring has no fsync: use one of them"});
}

void check_sizes(std::vector<FieldError>& errors, const SweepSpec& spec) {
  const std::uint32_t block =
      spec.bs.empty() ? 0 : *std::max_element(spec.bs.begin(), spec.bs.end());
  if (spec.size_bytes != 0 && spec.size_bytes < block)
    errors.push_back(
        {"size", "must hold at least one block of " + std::to_string(block) + " bytes"});
  if (spec.offset_bytes % least_block_bytes != 0)
    errors.push_back({"offset", "must be a multiple of the sector (512 bytes at least)"});
  if (spec.target.empty() && spec.offset_bytes != 0)
    errors.push_back({"offset", "is for a target of yours; a scratch file begins at 0"});
  if (!spec.target.empty() && spec.layout == Layout::per_job)
    errors.push_back({"layout", "per_job is for scratch files: leave target out"});
}

// 4096 threads are what one machine bears; io_uring needs none for depth.
void check_threads(std::vector<FieldError>& errors, const SweepSpec& spec) {
  if (spec.ioengine != IoEngine::threads || spec.iodepth.empty()) return;
  const std::uint64_t depth = *std::max_element(spec.iodepth.begin(), spec.iodepth.end());
  const std::uint64_t jobs =
      spec.numjobs.empty() ? 1 : *std::max_element(spec.numjobs.begin(), spec.numjobs.end());
  if (jobs * depth > max_engine_threads)
    errors.push_back({"numjobs", "with ioengine threads, numjobs x iodepth is at most " +
                                     std::to_string(max_engine_threads) + ", not " +
                                     std::to_string(jobs * depth)});
}

void check_count(std::vector<FieldError>& errors, const SweepSpec& spec) {
  if (spec.repeats < 1 || spec.repeats > most_repeats) {
    errors.push_back({"repeats", "must be 1.." + std::to_string(most_repeats)});
    return;
  }
  const std::uint64_t jobs = spec.numjobs_auto ? 16 : spec.numjobs.size();
  if (spec.repeats_auto && !spec.numjobs_auto && spec.numjobs.size() < 2)
    errors.push_back({"repeats", "auto decides along numjobs: give \"auto\" or several of them"});
  if (spec.repeats_auto && spec.steady_rounds > 0)
    errors.push_back({"repeats", "auto is for short runs: with steady_state give a number"});
  const std::uint64_t of_a_curve = std::max<std::uint64_t>(
      jobs * std::max(spec.repeats, spec.repeats_most), auto_runs_of_curve(spec));
  const std::uint64_t runs = static_cast<std::uint64_t>(spec.rw.size()) * spec.bs.size() *
                             spec.iodepth.size() * of_a_curve;
  if (runs > most_runs)
    errors.push_back({"", "that would be " + std::to_string(runs) + " runs; at most " +
                              std::to_string(most_runs)});
}

}  // namespace

std::string_view to_string(Order value) noexcept {
  return value == Order::shuffled ? "shuffled" : "given";
}

std::string_view to_string(Layout value) noexcept {
  return value == Layout::shared ? "shared" : "per_job";
}

std::string_view to_string(OnRestart value) noexcept {
  return value == OnRestart::resume ? "continue" : "fail";
}

std::string_view to_string(SweepState value) noexcept {
  switch (value) {
    case SweepState::queued:
      return "queued";
    case SweepState::running:
      return "running";
    case SweepState::done:
      return "done";
    case SweepState::failed:
      return "failed";
    case SweepState::cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string_view to_string(Origin value) noexcept {
  return value == Origin::local ? "local" : "imported";
}

std::optional<Order> parse_order(std::string_view text) noexcept {
  return parse_any(std::array{Order::shuffled, Order::given}, text);
}

std::optional<Layout> parse_layout(std::string_view text) noexcept {
  return parse_any(std::array{Layout::shared, Layout::per_job}, text);
}

std::optional<OnRestart> parse_on_restart(std::string_view text) noexcept {
  return parse_any(std::array{OnRestart::resume, OnRestart::fail}, text);
}

std::optional<SweepState> parse_sweep_state(std::string_view text) noexcept {
  return parse_any(std::array{SweepState::queued, SweepState::running, SweepState::done,
                              SweepState::failed, SweepState::cancelled},
                   text);
}

std::optional<Origin> parse_origin(std::string_view text) noexcept {
  return parse_any(std::array{Origin::local, Origin::imported}, text);
}

std::optional<SweepSpec> preset_spec(std::string_view name) {
  SweepSpec spec;  // its defaults are those of quick
  if (name == "quick") return spec;
  spec.preset = std::string(name);
  spec.numjobs_auto = false;
  spec.runtime_ns = 30 * second_ns;
  spec.ramp_time_ns = 10 * second_ns;
  if (name == "published") {
    spec.rw = {Rw::randread, Rw::randwrite};
    spec.iodepth = {32};
    spec.numjobs = {1, 2, 4, 8, 18, 32};
    spec.size_bytes = std::uint64_t{64} << 30;
    return spec;
  }
  if (name == "published-2017") {
    spec.rw = {Rw::read, Rw::randread};
    spec.bs = {4096, 16384, 32768, 65536};
    spec.numjobs = {1, 10, 20, 40};
    return spec;
  }
  return std::nullopt;
}

void settle_quick(SweepSpec& spec, const Asked& asked) noexcept {
  if (spec.preset != "quick" || !spec.numjobs_auto || spec.steady_rounds > 0) return;
  if (!asked.runtime) spec.runtime_ns = quick_runtime_ns;
  if (!asked.ramp_time) spec.ramp_time_ns = quick_ramp_time_ns;
  if (!asked.repeats) spec.repeats_auto = true;
}

std::uint32_t auto_runs_of_curve(const SweepSpec& spec) noexcept {
  if (!spec.repeats_auto) return 0;
  const std::uint64_t each = std::max<std::uint64_t>(1, spec.runtime_ns + spec.ramp_time_ns);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(auto_repeats_most_runs, auto_repeats_ns / each));
}

std::vector<FieldError> validate(const SweepSpec& spec) {
  std::vector<FieldError> errors;
  check_texts(errors, spec);
  check_list<Rw>(errors, "rw", spec.rw);
  check_workload(errors, spec);
  check_list<std::uint32_t>(errors, "bs", spec.bs);
  check_blocks(errors, spec.bs);
  check_list<std::uint32_t>(errors, "iodepth", spec.iodepth);
  check_range(errors, "iodepth", spec.iodepth, max_iodepth);
  if (!spec.numjobs_auto) {
    check_list<std::uint32_t>(errors, "numjobs", spec.numjobs);
    check_range(errors, "numjobs", spec.numjobs, max_numjobs);
  }
  check_sizes(errors, spec);
  check_threads(errors, spec);
  check_time(errors, "runtime", spec.runtime_ns, runtime_least_ns, "must be 100ms..24h");
  check_time(errors, "ramp_time", spec.ramp_time_ns, 0, "must be 0..24h");
  check_time(errors, "cooldown", spec.cooldown_ns, 0, "must be 0..24h");
  if (spec.batch_submit > max_iodepth) errors.push_back({"batch_submit", "must be 0..1024"});
  if (spec.batch_complete > max_iodepth) errors.push_back({"batch_complete", "must be 0..1024"});
  if (spec.latency_limit && spec.latency_limit->limit_ns == 0)
    errors.push_back(
        {"latency_limit." +
             std::string(spec.latency_limit->statistic == Statistic::p99 ? "p99" : "mean"),
         "must be more than 0"});
  check_count(errors, spec);
  return errors;
}

}  // namespace iobenchd
