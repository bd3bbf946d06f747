#include <doctest/doctest.h>

#include <string>

#include "api/parse.h"
#include "api/render.h"

using namespace iobenchd;
using api::parse_sweep;

TEST_CASE("quick with numjobs auto is many short runs; a grid that is given is measured once") {
  const SweepSpec spec = parse_sweep("", "");
  CHECK(spec.repeats_auto);
  CHECK(spec.runtime_ns == 1'000'000'000);
  CHECK(spec.ramp_time_ns == 200'000'000);
  const SweepSpec grid = parse_sweep(R"({"numjobs": [1, 2, 4, 8]})", "");
  CHECK_FALSE(grid.repeats_auto);
  CHECK(grid.repeats == 1);
  CHECK(grid.runtime_ns == 3'000'000'000);
  const SweepSpec asked = parse_sweep(R"({"runtime": "10s", "repeats": 2})", "");
  CHECK_FALSE(asked.repeats_auto);
  CHECK(asked.repeats == 2);
  CHECK(asked.runtime_ns == 10'000'000'000);
  CHECK(asked.ramp_time_ns == 200'000'000);
  // What the configuration's defaults say is asked for, too.
  CHECK(parse_sweep("", R"({"runtime": "2s"})").runtime_ns == 2'000'000'000);
  CHECK_FALSE(parse_sweep("", R"({"repeats": 3})").repeats_auto);
  CHECK_FALSE(parse_sweep(R"({"steady_state": {"rounds": 5}})", "").repeats_auto);
  CHECK_FALSE(parse_sweep(R"({"preset": "published", "numjobs": "auto"})", "").repeats_auto);
}

TEST_CASE("repeats auto can be asked for wherever jobs are the axis") {
  const SweepSpec spec = parse_sweep(R"({"repeats": "auto", "numjobs": [1, 2, 4, 8]})", "");
  CHECK(spec.repeats_auto);
  CHECK(api::render_spec(spec)["repeats"] == "auto");
  const auto wrong = [](const char* body) {
    try {
      static_cast<void>(parse_sweep(body, ""));
    } catch (const Error& error) {
      return error.fields().at(0).field;
    }
    return std::string();
  };
  CHECK(wrong(R"({"repeats": "auto", "numjobs": 4})") == "repeats");
  CHECK(wrong(R"({"repeats": "auto", "steady_state": {"rounds": 5}})") == "repeats");
  CHECK(wrong(R"({"repeats": "often"})") == "repeats");
}
