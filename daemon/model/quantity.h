// Sizes, times and counts as people write and read them: "4k", "30s", "500us"; "4 GiB",
// "1 min 12 s", "93.4 µs". Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iobenchd {

// "4k" is 4096: powers of 1024, k m g t p, either case, "kb" and "kib" too; a plain number is
// bytes. Fractions are fine where they come to whole bytes ("1.5g"). None for anything else: empty,
// signs, spaces, what no 64 bits hold.
[[nodiscard]] std::optional<std::uint64_t> parse_size_bytes(std::string_view text) noexcept;
// ns us ms s m min h d; a plain number is seconds, as fio has it. Fractions as above ("0.5").
[[nodiscard]] std::optional<std::uint64_t> parse_time_ns(std::string_view text) noexcept;

[[nodiscard]] std::string size_text(std::uint64_t bytes);   // "4 GiB", "1.5 MiB", "512 B"
[[nodiscard]] std::string time_text(double seconds);        // "0.5 s", "12 s", "1 min 12 s"
[[nodiscard]] std::string latency_text(double latency_ns);  // three digits: "93.4 µs", "850 ns"
[[nodiscard]] std::string count_text(std::uint64_t count);  // "1 234 567"

}  // namespace iobenchd
