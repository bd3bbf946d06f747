#include <doctest/doctest.h>

#include "daemon/model/load.h"
#include "daemon/model/workload.h"

namespace iobenchd {
namespace {

TEST_CASE("a distribution is read as fio's, and written back the same") {
  for (const char* text : {"random", "zipf:1.2", "zipf:0.5", "pareto:0.3"}) {
    const auto read = parse_random_distribution(text);
    REQUIRE(read);
    CHECK(to_string(*read) == text);
  }
  CHECK(parse_random_distribution("zipf:1.2")->parameter == doctest::Approx(1.2));
}

TEST_CASE("distributions that no sequence follows are refused") {
  // At theta = 1 the generator's formula divides by zero.
  for (const char* text :
       {"", "zipf", "zipf:", "zipf:0", "zipf:1", "zipf:1.0", "zipf:10.1", "zipf:-1", "zipf:1e1",
        "zipf:nan", "pareto:0", "pareto:1", "pareto:1.5", "normal:3", "random:1", "zipf:1.2 "}) {
    CAPTURE(text);
    CHECK_FALSE(parse_random_distribution(text));
  }
}

TEST_CASE("CPUs are a list of numbers and ranges below 1024") {
  const auto cpus = parse_cpus("0-3,6,64");
  REQUIRE(cpus);
  CHECK((*cpus)[0] == 0b1001111);
  CHECK((*cpus)[1] == 1);
  for (const char* text : {"", ",", "1,", "3-1", "a", "1024", "0-1024", "-1", "1--2", " 1"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_cpus(text));
  }
}

TEST_CASE("a workload says every field that is wrong") {
  Workload workload;
  CHECK(validate(workload).empty());
  workload.rwmixread = 101;
  workload.rate_iops = rate_iops_most + 1;
  workload.buffer_compress_percentage = 101;
  workload.norandommap = 0;
  workload.random_distribution = {Distribution::zipf, 1.2};
  CHECK(validate(workload).size() == 4);
}

TEST_CASE("a load with a workload of another build is refused by name") {
  Load load;
  load.size_bytes = 4096;
  load.runtime_ns = 1'000'000'000;
  CHECK_NOTHROW(check_load(load));
  Load strange = load;
  strange.workload.norandommap = 2;
  CHECK_THROWS_AS(check_load(strange), Error);
  strange = load;
  strange.workload.random_distribution = {Distribution::zipf, 1};
  CHECK_THROWS_AS(check_load(strange), Error);
}

}  // namespace
}  // namespace iobenchd
