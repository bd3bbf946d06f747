// The answer as a sentence for people: "6 to 8 jobs. Beyond, up to 32, latency triples and IOPS
// fall by 5 %." Pure; safe from any thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "daemon/analysis/curves.h"
#include "daemon/analysis/figures.h"
#include "daemon/analysis/sweet_spot.h"
#include "daemon/model/curve.h"

namespace iobenchd::analysis {

// What happens behind the answer, from there to the largest n measured.
struct Beyond {
  std::uint32_t last = 0;
  double throughput_change = 0;          // -0.05: 5 % less
  std::optional<double> latency_factor;  // none where latency is unknown
};
[[nodiscard]] std::optional<Beyond> beyond(std::span<const Figure> figures, std::uint32_t at);

// Changes of throughput within `noise` are none. Of a curve whose jobs hold `iodepth` I/Os each, or
// one each whatever was asked (`one_per_job`).
[[nodiscard]] std::string sweet_spot_sentence(const Curve& curve, const SweetSpot& spot,
                                              const std::optional<Beyond>& after, bool one_per_job);

// Why there is none, and what to do. `figures` is how many usable points there are.
[[nodiscard]] Named no_sweet_spot(Outcome outcome, std::string_view axis, std::size_t figures,
                                  std::uint32_t largest);

// One curve of several: what it says, and what it says of the way beyond.
struct CurveAnswer {
  const Curve* curve = nullptr;
  std::optional<Beyond> after;
  bool one_per_job = false;
};

// The common advice of all curves. Bands that lie near each other are united, and named apart
// where they differ.
[[nodiscard]] std::string answer(std::span<const CurveAnswer> curves);

}  // namespace iobenchd::analysis
