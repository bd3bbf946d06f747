#include <doctest/doctest.h>

#include <limits>

#include "daemon/model/quantity.h"

using namespace iobenchd;

TEST_CASE("sizes are powers of 1024, in either case, and plain numbers are bytes") {
  CHECK(parse_size_bytes("4096") == 4096);
  CHECK(parse_size_bytes("4k") == 4096);
  CHECK(parse_size_bytes("4K") == 4096);
  CHECK(parse_size_bytes("4KiB") == 4096);
  CHECK(parse_size_bytes("4kb") == 4096);
  CHECK(parse_size_bytes("512b") == 512);
  CHECK(parse_size_bytes("64g") == 68'719'476'736);
  CHECK(parse_size_bytes("1.5m") == 1'572'864);
  CHECK(parse_size_bytes("0") == 0);
  CHECK(parse_size_bytes("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(parse_size_bytes("16383p") == 16'383 * (std::uint64_t{1} << 50));
}

TEST_CASE("what is no size is refused, not guessed") {
  for (const char* text :
       {"", "k", "-4k", "+4k", " 4k", "4 k", "4k ", "4x", "4kk", "0x10", "1e3", ".5k", "4.",
        "1..5k", "1.3k", "0.5", "18446744073709551616", "16384p", "nan"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_size_bytes(text).has_value());
  }
}

TEST_CASE("times are nanoseconds, and plain numbers are seconds") {
  CHECK(parse_time_ns("30") == 30'000'000'000);
  CHECK(parse_time_ns("30s") == 30'000'000'000);
  CHECK(parse_time_ns("0.5") == 500'000'000);
  CHECK(parse_time_ns("500us") == 500'000);
  CHECK(parse_time_ns("500µs") == 500'000);
  CHECK(parse_time_ns("1.5ms") == 1'500'000);
  CHECK(parse_time_ns("7ns") == 7);
  CHECK(parse_time_ns("2m") == 120'000'000'000);
  CHECK(parse_time_ns("2min") == 120'000'000'000);
  CHECK(parse_time_ns("1h") == 3'600'000'000'000);
  CHECK(parse_time_ns("1d") == 86'400'000'000'000);
  CHECK_FALSE(parse_time_ns("0.5ns").has_value());
  CHECK_FALSE(parse_time_ns("30 s").has_value());
  CHECK_FALSE(parse_time_ns("213504d").has_value());  // over 2^64 ns
}

TEST_CASE("sizes are printed in the largest unit that leaves at least one") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(4096) == "4 KiB");
  CHECK(size_text(1'572'864) == "1.5 MiB");
  CHECK(size_text(std::uint64_t{4} << 30) == "4 GiB");
  CHECK(size_text((std::uint64_t{1} << 30) - 1) == "1.0 GiB");  // not "1024.0 MiB"
  CHECK(size_text(std::numeric_limits<std::uint64_t>::max()) == "16 EiB");
}

TEST_CASE("times are printed in two units at most") {
  CHECK(time_text(0) == "0 s");
  CHECK(time_text(-1) == "0 s");
  CHECK(time_text(0.5) == "0.5 s");
  CHECK(time_text(0.05) == "0.1 s");
  CHECK(time_text(0.04) == "40.0 ms");
  CHECK(time_text(1e-9) == "1 ns");
  CHECK(time_text(3) == "3 s");
  CHECK(time_text(9.97) == "10 s");
  CHECK(time_text(59.4) == "59 s");
  CHECK(time_text(59.6) == "1 min");
  CHECK(time_text(72) == "1 min 12 s");
  CHECK(time_text(3599.7) == "1 h");
  CHECK(time_text(7500) == "2 h 5 min");
  CHECK(time_text(273'600) == "3 d 4 h");
}

TEST_CASE("latencies are printed with three digits") {
  CHECK(latency_text(0) == "0 ns");
  CHECK(latency_text(7) == "7 ns");
  CHECK(latency_text(850) == "850 ns");
  CHECK(latency_text(999.7) == "1.00 µs");
  CHECK(latency_text(93'412) == "93.4 µs");
  CHECK(latency_text(1'234'567) == "1.23 ms");
  CHECK(latency_text(123'456'789) == "123 ms");
  CHECK(latency_text(2.5e9) == "2.50 s");
}

TEST_CASE("counts are grouped by thousands") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1000) == "1 000");
  CHECK(count_text(1'234'567) == "1 234 567");
}
