#include "api/csv.h"

#include <algorithm>
#include <utility>

#include "daemon/model/error.h"

namespace iobenchd::api {

namespace {

[[noreturn]] void refuse(std::size_t line, const std::string& reason) {
  throw Error("line " + std::to_string(line) + ": " + reason,
              {{"line " + std::to_string(line), reason}});
}

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
  }

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] bool at_note() const { return text_.starts_with('#'); }
  [[nodiscard]] std::size_t line() const { return line_; }

  // The rest of the line, without its end.
  std::string_view take_line() {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // One record, over several lines where quotes say so.
  std::vector<std::string> take_record() {
    std::vector<std::string> cells;
    do {
      cells.push_back(text_.starts_with('"') ? take_quoted() : take_plain());
    } while (take(','));
    take('\r');
    if (!at_end() && !take('\n')) refuse(line_, "text behind a closing quote");
    ++line_;
    return cells;
  }

 private:
  bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  std::string take_plain() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n"), text_.size());
    std::string cell(text_.substr(0, end));
    text_.remove_prefix(end);
    return cell;
  }

  std::string take_quoted() {
    const std::size_t opened = line_;
    std::string cell;
    take('"');
    while (true) {
      const std::size_t quote = text_.find('"');
      if (quote == std::string_view::npos) refuse(opened, "a quote is opened and never closed");
      const std::string_view part = text_.substr(0, quote);
      line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      cell += part;
      text_.remove_prefix(quote + 1);
      if (!take('"')) return cell;
      cell += '"';
    }
  }

  std::string_view text_;
  std::size_t line_ = 1;
};

std::string note_of(std::string_view line) {
  line.remove_prefix(1);
  if (line.starts_with(' ')) line.remove_prefix(1);
  return std::string(line);
}

}  // namespace

CsvTable parse_csv(std::string_view text, std::size_t rows_most) {
  CsvReader reader(text);
  CsvTable table;
  while (!reader.at_end()) {
    const std::size_t line = reader.line();
    if (reader.at_note()) {
      table.notes.push_back(note_of(reader.take_line()));
      continue;
    }
    std::vector<std::string> cells = reader.take_record();
    if (cells.size() == 1 && cells.front().empty()) continue;  // an empty line
    if (table.columns.empty()) {
      table.columns = std::move(cells);
      continue;
    }
    if (cells.size() != table.columns.size()) {
      refuse(line, "has " + std::to_string(cells.size()) + " cells, but the header names " +
                       std::to_string(table.columns.size()));
    }
    if (table.rows.size() == rows_most) {
      refuse(line, "more than " + std::to_string(rows_most) + " rows; split the table");
    }
    table.rows.push_back({line, std::move(cells)});
  }
  if (table.columns.empty()) {
    refuse(reader.line(), "there is no header; the first line that is no # note names the columns");
  }
  return table;
}

}  // namespace iobenchd::api
