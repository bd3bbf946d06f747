#include "storage/pages.h"

#include <utility>

namespace iobenchd::storage {

void PageQuery::add(const char* column, std::variant<std::int64_t, std::string> value) {
  // A plus before a column keeps it away from indexes.
  const std::string plus = terms_.empty() ? "" : "+";
  const std::string name = "equals_" + std::to_string(terms_.size());
  terms_.push_back({plus + column + " = :" + name, name, std::move(value)});
}

void PageQuery::equals(const char* column, std::string value) {
  add(column, std::move(value));
}

void PageQuery::equals(const char* column, std::int64_t value) {
  add(column, value);
}

void PageQuery::condition(const char* sql, const char* name, std::string value) {
  terms_.push_back({sql, name, std::move(value)});
}

void PageQuery::until(std::int64_t time_ns) {
  after({time_ns, std::numeric_limits<std::int64_t>::min()});
}

void PageQuery::after(const ListPosition& position) {
  // One upper end, the nearer one: two conditions would leave SQLite the wrong one for its walk.
  if (std::pair(position.time_ns, position.id) < std::pair(before_.time_ns, before_.id)) {
    before_ = position;
  }
}

std::string PageQuery::sql() const {
  const std::string time = time_column_, id = id_column_;
  std::string text = select_;
  text += " WHERE ";
  for (const Term& term : terms_) text += term.sql + " AND ";
  text += time + " >= :since_ns AND (" + time + ", " + id + ") < (:before_ns, :before_id)";
  text += " ORDER BY " + time + " DESC, " + id + " DESC LIMIT :rows";
  return text;
}

void PageQuery::bind(Statement& statement, std::uint32_t rows) const {
  for (const Term& term : terms_) {
    std::visit([&](const auto& value) { statement.bind(term.name, value); }, term.value);
  }
  statement.bind("since_ns", since_ns_)
      .bind("before_ns", before_.time_ns)
      .bind("before_id", before_.id)
      .bind("rows", rows);
}

}  // namespace iobenchd::storage
