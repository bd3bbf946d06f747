// One sentence for a doubt that many points, or curves, share.
#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "daemon/analysis/fold.h"

using namespace iobenchd;
using namespace iobenchd::analysis;

TEST_CASE("folding: everywhere alike, everywhere, somewhere, once") {
  const auto located = [](const char* where, const char* seen, double weight) {
    return LocatedDoubt{where, {"noisy", Severity::caution, seen, "Wait.", weight}};
  };
  const std::vector<LocatedDoubt> alike{located("1 job", "it swings", 1),
                                        located("2 jobs", "it swings", 1)};
  CHECK(fold(alike, 2, "point").sentence == "It swings. Wait.");
  CHECK(fold(alike, 3, "point").sentence == "At 2 of 3 points: it swings. Wait.");
  const std::vector<LocatedDoubt> varied{located("1 job", "21 %", 21),
                                         located("2 jobs", "40 %", 40)};
  CHECK(fold(varied, 2, "point").sentence == "At both points, most at 2 jobs: 40 %. Wait.");
  CHECK(fold(std::span(varied).first(1), 4, "point").sentence == "At 1 job: 21 %. Wait.");
}
