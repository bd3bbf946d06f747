#include "api/strict_json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <vector>

#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t depth_most = 32;
constexpr std::size_t repeats_most = 100;

[[noreturn]] void fail(std::string_view text, std::size_t at, const std::string& why) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  const auto column =
      1 + std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start), before.end(),
                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  throw Error(ErrorCode::invalid,
              "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + why);
}

// Reads the text for the library and lets the handler below know how far it has come: SAX events
// carry no position.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

// Builds the document, and stops what the library would let pass: a key twice, depth without end.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(std::string_view text, const std::size_t* consumed, std::size_t values_most,
                std::span<const std::string_view> repeating)
      : text_(text), consumed_(consumed), values_most_(values_most), repeating_(repeating) {}
  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() override { return place(nullptr); }
  bool boolean(bool value) override { return place(value); }
  bool number_integer(number_integer_t value) override { return place(value); }
  bool number_unsigned(number_unsigned_t value) override { return place(value); }
  bool number_float(number_float_t value, const string_t& /*literal*/) override {
    return place(value);
  }
  bool string(string_t& value) override { return place(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // JSON has none
  bool start_object(std::size_t /*members*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    repeats_key_ = !open_.back().keys.insert(name).second;
    if (repeats_key_ && (!open_.back().may_repeat || ++repeats_ > repeats_most)) {
      fail(text_, key_start(), "the key \"" + name + "\" is there twice");
    }
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const nlohmann::detail::exception& error) override {
    fail(text_, position == 0 ? 0 : position - 1, reason(error.what()));
  }

 private:
  struct Open {
    Json* value;
    std::unordered_set<std::string> keys;  // the library's own look-up is linear: 10^5 keys, 10^10
    bool may_repeat = false;
  };

  Json* put(Json&& value) {
    if (++values_ > values_most_) {
      fail(text_, *consumed_, "more than " + std::to_string(values_most_) + " values");
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    auto& members = static_cast<Json::object_t::Container&>(parent.get_ref<Json::object_t&>());
    if (std::exchange(repeats_key_, false)) {
      const auto before = std::find_if(members.begin(), members.end(),
                                       [&](const auto& entry) { return entry.first == key_; });
      before->second = std::move(value);
      return &before->second;
    }
    members.emplace_back(std::move(key_), std::move(value));
    return &members.back().second;
  }
  bool place(Json&& value) {
    put(std::move(value));
    return true;
  }
  bool open(Json&& value) {
    if (open_.size() == depth_most) {
      fail(text_, *consumed_ - 1, "nested more than " + std::to_string(depth_most) + " deep");
    }
    const bool is_member = !open_.empty() && open_.back().value->is_object();
    const bool may_repeat =
        is_member && std::find(repeating_.begin(), repeating_.end(), key_) != repeating_.end();
    open_.push_back({put(std::move(value)), {}, may_repeat});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  // Just behind a key's closing quote: back to its opening one, the first that isn't escaped.
  [[nodiscard]] std::size_t key_start() const {
    std::size_t at = *consumed_ - 1;
    for (;;) {
      at = text_.rfind('"', at - 1);
      std::size_t backslashes = 0;
      while (backslashes < at && text_[at - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) return at;
    }
  }
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...": the
  // library counts columns otherwise than we do (and numbers out of range have none), so only its
  // reason is kept.
  static std::string reason(const std::string& what) {
    const std::size_t column = what.find(", column ");
    const std::size_t start = what.find(column == std::string::npos ? "] " : ": ",
                                        column == std::string::npos ? 0 : column);
    return start == std::string::npos ? what : what.substr(start + 2);
  }

  std::string_view text_;
  const std::size_t* consumed_;
  std::size_t values_most_;
  std::span<const std::string_view> repeating_;
  Json root_;
  std::vector<Open> open_;
  std::string key_;
  bool repeats_key_ = false;
  std::size_t values_ = 0, repeats_ = 0;
};

}  // namespace

nlohmann::ordered_json parse_strict(std::string_view text, bool comments, std::size_t values_most,
                                    std::span<const std::string_view> repeating) {
  // The library takes a NUL for the end of the text and would ignore whatever follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    fail(text, nul, "a NUL byte");
  }
  std::size_t consumed = 0;
  StrictBuilder builder(text, &consumed, values_most, repeating);
  const Cursor first(text.data(), &consumed);
  const Cursor last(text.data() + text.size(), &consumed);
  if (!Json::sax_parse(first, last, &builder, nlohmann::detail::input_format_t::json, true,
                       comments)) {
    fail(text, consumed, "not JSON");
  }
  return builder.take();
}

std::string to_text(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace iobenchd::api
