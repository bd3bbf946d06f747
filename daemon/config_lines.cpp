#include "daemon/config_lines.h"

#include <algorithm>

namespace iobenchd {
namespace {

// Walks over a JSON text with // comments, knowing how deep it is.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  std::map<std::string, std::size_t> lines() {
    while (at_ < text_.size()) step();
    return std::move(lines_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    const bool comment = c == '/' && text_.substr(at_, 2) == "//";
    if (comment) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return;
    }
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank && c != ']' && in_list() && expects_item_) note_item();
    if (c == '"') {
      take_string();
      return;
    }
    if (c == '{' || c == '[') {
      ++depth_;
      if (c == '[' && depth_ == 2) begin_list();
    }
    if (c == '}' || c == ']') --depth_;
    if (c == ',' && in_list()) expects_item_ = true;
    if (c == ',' && depth_ == 1) list_ = false;
    ++at_;
  }

  [[nodiscard]] bool in_list() const { return list_ && depth_ == 2; }

  void begin_list() {
    list_ = expects_item_ = true;
    item_ = 0;
  }

  void note_item() {
    lines_[key_ + "[" + std::to_string(item_++) + "]"] = line_;
    expects_item_ = false;
  }

  void take_string() {
    const std::size_t start = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const std::size_t end = std::min(at_, text_.size());
    ++at_;
    const bool member = depth_ == 2 && !list_;  // of an object at the top
    if (depth_ != 1 && !member) return;
    // A string before a colon is a key; others are values.
    const std::size_t next = text_.find_first_not_of(" \t\r\n", std::min(at_, text_.size()));
    if (next == std::string_view::npos || text_[next] != ':') return;
    const std::string name(text_.substr(start, end - start));
    if (member) {
      lines_[key_ + "." + name] = line_;
      return;
    }
    key_ = name;
    lines_[key_] = line_;
    list_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1, item_ = 0;
  int depth_ = 0;
  bool list_ = false, expects_item_ = false;
  std::string key_;
  std::map<std::string, std::size_t> lines_;
};

}  // namespace

std::map<std::string, std::size_t> config_lines(std::string_view text) {
  return Walk(text).lines();
}

std::size_t line_of(const std::map<std::string, std::size_t>& lines, std::string field) {
  while (!field.empty()) {
    const auto found = lines.find(field);
    if (found != lines.end()) return found->second;
    const std::size_t cut = field.find_last_of(".[");
    field.resize(cut == std::string::npos ? 0 : cut);
  }
  return 1;
}

}  // namespace iobenchd
