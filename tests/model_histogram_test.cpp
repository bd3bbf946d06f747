#include <doctest/doctest.h>

#include <utility>

#include "daemon/model/histogram.h"

using namespace iobenchd;

namespace {

struct Row {
  std::uint64_t latency_ns;
  std::uint32_t index;
  std::uint64_t midpoint_ns;
};

}  // namespace

TEST_CASE("a latency goes to fio's bucket and comes back as its midpoint") {
  const Row rows[] = {{0, 0, 0},
                      {127, 127, 127},
                      {128, 128, 129},
                      {130, 129, 131},
                      {255, 191, 255},
                      {1000, 317, 1004},
                      {26'410, 615, 26'496},
                      {58'220, 689, 58'112},
                      {117'120, 754, 117'248},
                      {180'560, 792, 181'248},
                      {1'000'000, 954, 1'003'520},
                      {1'000'000'000, 1591, 1'002'438'656}};
  for (const Row& row : rows) {
    CAPTURE(row.latency_ns);
    CHECK(bucket_index(row.latency_ns) == row.index);
    CHECK(bucket_midpoint_ns(row.index) == row.midpoint_ns);
  }
}

TEST_CASE("the last bucket holds everything from 17 s on, and reports the exact maximum") {
  CHECK(bucket_index(17'045'651'455) == 1854);
  CHECK(bucket_index(17'045'651'456) == 1855);  // 2^33 + 63 * 2^27
  CHECK(bucket_index(17'112'760'320) == 1855);
  CHECK(bucket_index(~std::uint64_t{0}) == 1855);
  Histogram histogram;
  histogram.add(60'000'000'000);  // a minute
  CHECK(histogram.percentile_ns(50'000) == 60'000'000'000);
}

TEST_CASE("no midpoint is more than 1/128 away from what fell into its bucket") {
  for (std::uint64_t ns = 1; ns < 17'000'000'000; ns += 1 + ns / 257) {
    const auto midpoint = static_cast<double>(bucket_midpoint_ns(bucket_index(ns)));
    const double error = midpoint / static_cast<double>(ns) - 1;
    if (error > 1.0 / 128 || error < -1.0 / 128) FAIL("at " << ns << " ns: " << error);
  }
  for (std::uint32_t i = 0; i + 1 < histogram_buckets; ++i) {
    if (bucket_index(bucket_midpoint_ns(i)) != i)
      FAIL("bucket " << i << " is left by its midpoint");
  }
}

TEST_CASE("minimum, maximum and mean are exact, and no percentile exceeds the maximum") {
  Histogram histogram;
  for (const std::uint64_t ns : {1000U, 1001U, 58'221U, 180'000U}) histogram.add(ns);
  CHECK(histogram.count == 4);
  CHECK(histogram.min_ns == 1000);
  CHECK(histogram.max_ns == 180'000);
  CHECK(histogram.mean_ns() == doctest::Approx(60055.5));
  CHECK(bucket_midpoint_ns(bucket_index(180'000)) == 179'200);
  CHECK(histogram.percentile_ns(100'000) == 179'200);
  CHECK(histogram.percentile_ns(1) == 1004);

  Histogram one;
  one.add(180'300);  // its bucket's midpoint, 181 248, is above it
  CHECK(one.percentile_ns(99'000) == 180'300);
  Histogram low;
  low.add(181'900);
  CHECK(low.percentile_ns(50'000) == 181'900);  // and none is below the minimum
}

TEST_CASE("p99.9 of a thousand latencies is the 999th, not the 1000th") {
  // 99.9 / 100 * 1000 is 999.0000000000001 in floating point, whose ceiling is the wrong rank.
  Histogram histogram;
  for (int i = 0; i < 999; ++i) histogram.add(100);
  histogram.add(1'000'000);
  CHECK(histogram.percentile_ns(99'900) == 100);
  CHECK(histogram.percentile_ns(99'990) == 1'000'000);
  CHECK(histogram.percentile_ns(50'000) == 100);
}

TEST_CASE("ranks are right where count times percentile would overflow 64 bits") {
  Histogram histogram;
  const std::uint64_t many = std::uint64_t{1} << 62;
  histogram.buckets[10] = many;
  histogram.buckets[20] = many;
  histogram.count = 2 * many;
  histogram.min_ns = 10;
  histogram.max_ns = 20;
  CHECK(histogram.percentile_ns(50'000) == 10);
  CHECK(histogram.percentile_ns(50'001) == 20);
}

TEST_CASE("an empty histogram answers zero") {
  const Histogram histogram;
  CHECK(histogram.mean_ns() == 0);
  CHECK(histogram.percentile_ns(99'000) == 0);
}

TEST_CASE("percentiles of two jobs come from merged buckets, not from averaged percentiles") {
  Histogram fast;
  Histogram slow;
  for (int i = 0; i < 900; ++i) fast.add(100);
  for (int i = 0; i < 100; ++i) slow.add(10'000);
  Histogram both = fast;
  both.merge(slow);
  CHECK(both.count == 1000);
  CHECK(both.percentile_ns(50'000) == 100);  // the average of the medians would be 5 050
  CHECK(both.percentile_ns(90'000) == 100);
  CHECK(both.percentile_ns(90'100) == 10'000);
  CHECK(both.mean_ns() == doctest::Approx(1090));
  both.merge(Histogram{});
  CHECK(both.min_ns == 100);
}

TEST_CASE("a second is what came between two states of a growing histogram") {
  Histogram earlier;
  earlier.add(100);
  earlier.add(5000);
  Histogram later = earlier;
  later.add(110);
  later.add(120);
  const Histogram second = difference(later, earlier);
  CHECK(second.count == 2);
  CHECK(second.sum_ns == 230);
  CHECK(second.min_ns == 110);
  CHECK(second.max_ns == 120);
  CHECK(second.percentile_ns(50'000) == 110);

  const Histogram nothing = difference(later, later);
  CHECK(nothing.count == 0);
  CHECK(nothing.max_ns == 0);
  CHECK(nothing.percentile_ns(99'000) == 0);
}
