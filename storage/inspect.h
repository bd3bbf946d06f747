// A database looked at from outside, whether a daemon works on it or not: what is in it, and
// whether it is whole. Reads, never writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iobenchd::storage {

struct Inspection {
  std::int64_t version = 0;  // of the tables
  std::uint64_t file_bytes = 0, free_bytes = 0, log_bytes = 0;
  std::int64_t sweeps = 0, runs = 0, schedules = 0;
  std::vector<std::string> findings;  // what is wrong; empty: it is whole
};

// Every page, index and reference. Throws Error{not_found} where there is none, Error{unavailable}
// for what isn't ours, is newer than this program, or can't be opened.
[[nodiscard]] Inspection inspect(const std::string& path);

}  // namespace iobenchd::storage
