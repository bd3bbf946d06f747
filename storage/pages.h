// Keyset pages: one filter picks the index, the rest are checked row by row, and the walk along the
// index starts where the last page ended. Owner's thread only.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "storage/statement.h"

namespace iobenchd::storage {

// A place in a list that is newest first: everything that comes after it is smaller.
struct ListPosition {
  std::int64_t time_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t id = std::numeric_limits<std::int64_t>::max();
};

class PageQuery {
 public:
  // `select`: "SELECT ... FROM ...". The list is ordered by these two columns, both descending.
  PageQuery(const char* select, const char* time_column, const char* id_column)
      : select_(select), time_column_(time_column), id_column_(id_column) {}

  // Call with the most selective column first: it alone may use its index (SQLite, which has no
  // statistics here, would pick any). Columns are ours, values anyone's.
  void equals(const char* column, std::string value);
  void equals(const char* column, std::int64_t value);
  // SQL text that is true for the rows wanted, with :name as its one parameter.
  void condition(const char* sql, const char* name, std::string value);

  void since(std::int64_t time_ns) { since_ns_ = time_ns; }
  void until(std::int64_t time_ns);
  void after(const ListPosition& position);  // goes on behind a page's last row

  // The statement, bound, for `rows` rows; the caller steps it.
  [[nodiscard]] std::string sql() const;
  void bind(Statement& statement, std::uint32_t rows) const;

 private:
  struct Term {
    std::string sql, name;
    std::variant<std::int64_t, std::string> value;
  };
  void add(const char* column, std::variant<std::int64_t, std::string> value);

  const char* select_;
  const char* time_column_;
  const char* id_column_;
  std::vector<Term> terms_;
  std::int64_t since_ns_ = std::numeric_limits<std::int64_t>::min();
  ListPosition before_;
};

}  // namespace iobenchd::storage
