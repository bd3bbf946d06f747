// The members of one object of our own export, which must all be there: a record that lacks one was
// cut or edited. Numbers are bounded by what the store and the arithmetic hold. Wrong members are
// collected, not thrown. One owner on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/parse_fields.h"

namespace iobenchd::api {

// Sums of a thousand of them still fit 64 bits with a sign.
inline constexpr std::uint64_t record_count_most = std::uint64_t{1} << 52;
inline constexpr std::size_t record_wrong_most = 50;

class RecordReader {
 public:
  // What isn't an object is refused as `where`, and reads as one without members.
  RecordReader(const nlohmann::ordered_json* object, const std::string& where,
               std::vector<FieldError>& errors);

  // The member; null where it is missing, which is refused.
  [[nodiscard]] const nlohmann::ordered_json* need(std::string_view name);
  [[nodiscard]] bool has(std::string_view name) { return fields_.find(name) != nullptr; }
  [[nodiscard]] std::string path_of(std::string_view name) const;
  void refuse(std::string_view name, const std::string& message);

  void count(std::string_view name, std::uint64_t& value, std::uint64_t most = record_count_most);
  void count(std::string_view name, std::uint32_t& value, std::uint32_t least, std::uint32_t most);
  // Null: not known, and `value` stays as it is.
  void known_count(std::string_view name, std::uint64_t& value);
  void known_count(std::string_view name, std::uint32_t& value);
  void real(std::string_view name, double& value, double least, double most);
  void known_real(std::string_view name, double& value, double least, double most,
                  double unknown);  // null: `unknown`
  void boolean(std::string_view name, bool& value);
  void text(std::string_view name, std::size_t most_bytes, std::string& value);  // null: empty
  void moment(std::string_view name, std::int64_t& wall_ns);                     // null: 0
  template <typename T, typename Parse>
  void choice(std::string_view name, Parse parse, std::string_view wanted, T& value) {
    if (need(name) != nullptr) fields_.choice(name, parse, wanted, value);
  }
  // A list of at most `most` entries; null where it is none, which is refused.
  [[nodiscard]] const nlohmann::ordered_json* list(std::string_view name, std::size_t most);

  // A member that only says which row it was over there.
  void ignore(std::string_view name) { (void)fields_.find(name); }
  void refuse_unknown() { fields_.refuse_unknown(); }
  // Enough is known to be wrong: the rest needn't be read.
  [[nodiscard]] bool is_hopeless() const { return errors_.size() >= record_wrong_most; }
  [[nodiscard]] std::vector<FieldError>& errors() noexcept { return errors_; }

 private:
  std::string where_;
  std::vector<FieldError>& errors_;
  FieldReader fields_;
};

}  // namespace iobenchd::api
