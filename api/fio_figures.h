// The figures of one direction of an fio entry, read and checked against one another: a file whose
// numbers contradict themselves was edited, or is in other units than fio's. Pure; safe from any
// thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/fio_entry.h"

namespace iobenchd::api {

// Of 1024 clones they still add up in 63 bits.
inline constexpr std::uint64_t fio_whole_most = 1'000'000'000'000'000;

// Numbers of one JSON object, by name; what is missing or no such number is a problem.
class FioNumbers {
 public:
  FioNumbers(const nlohmann::ordered_json& object, std::string place, std::string prefix,
             FioProblems& problems)
      : object_(object),
        place_(std::move(place)),
        prefix_(std::move(prefix)),
        problems_(problems) {}

  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }
  [[nodiscard]] std::uint64_t whole(const char* name, std::uint64_t most = fio_whole_most);
  [[nodiscard]] double real(const char* name);  // not negative, up to 1e15
  // The member, an object; null where it is missing or none.
  [[nodiscard]] const nlohmann::ordered_json* object(const char* name);
  void refuse(const char* name, const std::string& reason) {
    problems_.add(place_, prefix_ + name, reason);
  }

  [[nodiscard]] FioNumbers inside(const nlohmann::ordered_json& member, const char* name) const {
    return {member, place_, prefix_ + name + ".", problems_};
  }

 private:
  const nlohmann::ordered_json& object_;
  std::string place_, prefix_;
  FioProblems& problems_;
};

// "read" or "write" of an entry.
[[nodiscard]] FioDirection read_fio_direction(FioNumbers numbers, const Setting& setting);
// "sync": how many, and how long each took. Its rate is over `runtime_ns`, the run's.
[[nodiscard]] FioDirection read_fio_fsyncs(FioNumbers numbers, std::uint64_t runtime_ns);

// What follows from one another in every format; the steps are what rounding may take from each.
struct FioSums {
  double ios = 0, bytes = 0, runtime_ms = 0, iops = 0, bandwidth_bytes_per_s = 0;
  double ios_step = 0, bytes_step = 0;
};
struct FioContradiction {
  const char* field;  // as fio's JSON names it
  std::string reason;
};
// The first there is; none: all is well.
[[nodiscard]] std::optional<FioContradiction> contradiction(const FioSums& sums,
                                                            std::uint32_t block_bytes);

}  // namespace iobenchd::api
