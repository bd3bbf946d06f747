// CSV as people save it (RFC 4180): quotes, CRLF, a byte-order mark; lines that begin with "#" are
// notes. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iobenchd::api {

struct CsvRow {
  std::size_t line = 0;  // where it begins, from 1
  std::vector<std::string> cells;
};

struct CsvTable {
  std::vector<std::string> notes;  // without "#" and the blank behind it
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
};

// Throws Error{invalid} naming the line: no header, a quote without an end, text behind one, a row
// with more or fewer cells than the header, more than `rows_most` rows.
[[nodiscard]] CsvTable parse_csv(std::string_view text, std::size_t rows_most);

}  // namespace iobenchd::api
