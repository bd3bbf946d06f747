#include "daemon/model/workload.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace iobenchd {
namespace {

constexpr double zipf_most = 10;

std::optional<double> parse_parameter(std::string_view text) {
  // strtod: from_chars of doubles is missing where libc++ is OpenBSD's. The first character keeps
  // out what strtod would take besides numbers: spaces, signs, "inf", "nan".
  if (text.empty() || text.size() > 20 || text.find_first_not_of("0123456789.") != text.npos)
    return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

std::optional<std::uint32_t> parse_cpu(std::string_view text) noexcept {
  std::uint32_t cpu = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (code != std::errc() || end != text.data() + text.size() || cpu >= cpus_most)
    return std::nullopt;
  return cpu;
}

}  // namespace

std::string_view to_string(RateProcess value) noexcept {
  return value == RateProcess::poisson ? "poisson" : "linear";
}

std::string_view to_string(Sync value) noexcept {
  switch (value) {
    case Sync::none:
      return "none";
    case Sync::sync:
      return "sync";
    case Sync::dsync:
      return "dsync";
  }
  return "unknown";
}

std::optional<RateProcess> parse_rate_process(std::string_view text) noexcept {
  if (text == "linear") return RateProcess::linear;
  if (text == "poisson") return RateProcess::poisson;
  return std::nullopt;
}

std::optional<Sync> parse_sync(std::string_view text) noexcept {
  if (text == "none") return Sync::none;
  if (text == "sync") return Sync::sync;
  if (text == "dsync") return Sync::dsync;
  return std::nullopt;
}

std::string to_string(const RandomDistribution& value) {
  if (value.kind == Distribution::random) return "random";
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%.10g", value.parameter);
  return (value.kind == Distribution::zipf ? "zipf:" : "pareto:") + std::string(number.data());
}

std::optional<RandomDistribution> parse_random_distribution(std::string_view text) noexcept {
  if (text == "random") return RandomDistribution{};
  constexpr std::string_view zipf = "zipf:", pareto = "pareto:";
  if (text.substr(0, zipf.size()) == zipf) {
    const auto theta = parse_parameter(text.substr(zipf.size()));
    if (theta && *theta > 0 && *theta <= zipf_most && *theta != 1)
      return RandomDistribution{Distribution::zipf, *theta};
  } else if (text.substr(0, pareto.size()) == pareto) {
    const auto h = parse_parameter(text.substr(pareto.size()));
    if (h && *h > 0 && *h < 1) return RandomDistribution{Distribution::pareto, *h};
  }
  return std::nullopt;
}

std::vector<FieldError> validate(const Workload& workload) {
  std::vector<FieldError> errors;
  const auto need = [&errors](bool sound, const char* field, const char* message) {
    if (!sound) errors.push_back({field, message});
  };
  need(workload.rwmixread <= 100, "rwmixread", "must be 0..100");
  need(workload.rate_iops <= rate_iops_most, "rate_iops", "must be 0..100000000");
  need(workload.buffer_compress_percentage <= 100, "buffer_compress_percentage", "must be 0..100");
  need(workload.norandommap == 1 || workload.random_distribution.kind == Distribution::random,
       "norandommap", "false goes with random_distribution \"random\" alone: the others repeat");
  return errors;
}

std::optional<CpuSet> parse_cpus(std::string_view text) noexcept {
  CpuSet cpus{};
  if (text.empty()) return std::nullopt;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    const std::size_t dash = item.find('-');
    const auto first = parse_cpu(item.substr(0, dash));
    const auto last = dash == item.npos ? first : parse_cpu(item.substr(dash + 1));
    if (!first || !last || *first > *last) return std::nullopt;
    for (std::uint32_t cpu = *first; cpu <= *last; ++cpu)
      cpus[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    at = comma + 1;
  }
  return cpus;
}

}  // namespace iobenchd
