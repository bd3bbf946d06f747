// SQLite in three nouns: a Connection, a Statement borrowed from its cache, a Transaction that
// rolls back unless committed. Each belongs to one thread at a time (Database sees to that).
// Everything throws Error: storage_full when there is no room, unavailable when file or disk are
// the trouble, internal when the SQL is.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace iobenchd::storage {

class Damage;

using Blob = std::vector<std::uint8_t>;

enum class Access {
  create,  // read and write, made where it doesn't exist
  write,   // read and write, must exist
  read,    // read-only; never checkpoints
  rescue   // the same, of a damaged file: what can still be read of it
};

class Connection {
 public:
  // `damage`: told where the file turns out to be broken; outlives this.
  Connection(const std::string& path, Access access, Damage* damage = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql);  // several statements, no parameters, rows ignored
  [[nodiscard]] std::int64_t integer(std::string_view sql);  // the first column of the first row
  [[nodiscard]] std::int64_t last_insert_id() const noexcept;
  [[nodiscard]] std::int64_t changes() const noexcept;  // rows the last statement changed
  [[nodiscard]] bool in_transaction() const noexcept;
  [[nodiscard]] bool has_moved() const noexcept;  // another file is there by now, or none
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // Whether the end of the last connection puts the log into the file; it does until told not to.
  void checkpoint_on_close(bool wanted) noexcept;
  // Statements under way end soon, with an error, once `over` is true; it outlives this.
  void end_when(const std::atomic<bool>& over) noexcept;

  [[noreturn]] void fail(int code) const;  // throws Error for an SQLite result code

 private:
  friend class Statement;
  using Cache = std::map<std::string, sqlite3_stmt*, std::less<>>;

  void close() noexcept;
  [[nodiscard]] Cache::node_type take(std::string_view sql);
  void give_back(Cache::node_type node) noexcept;

  void set_up(Access access);

  std::string path_;
  Damage* damage_;
  sqlite3* handle_ = nullptr;
  Cache idle_;  // prepared once, then only reset
};

// Binds by name ("label" is :label in the text) and reads by name, in any order; in the order of
// the text it costs one comparison each. Resets at the end of its scope.
class Statement {
 public:
  Statement(Connection& connection, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <std::integral T>
  Statement& bind(std::string_view name, T value) {
    return bind_integer(name, static_cast<std::int64_t>(value));
  }
  Statement& bind(std::string_view name, double value);  // NaN is stored as NULL
  Statement& bind(std::string_view name, std::string_view value);
  Statement& bind(std::string_view name, const char* value) {
    return bind(name, std::string_view(value));
  }
  Statement& bind(std::string_view name, const Blob& value);
  template <typename T>
  Statement& bind(std::string_view name, const std::optional<T>& value) {
    return value ? bind(name, *value) : bind_null(name);
  }

  [[nodiscard]] bool step();  // true: a row; throws Error{internal} when a parameter isn't bound
  void run();                 // to the end, of what gives no rows

  [[nodiscard]] bool is_null(std::string_view name);
  [[nodiscard]] std::string text(std::string_view name);
  [[nodiscard]] double real(std::string_view name);  // NULL is NaN
  [[nodiscard]] std::int64_t integer(std::string_view name);
  [[nodiscard]] bool boolean(std::string_view name) { return integer(name) != 0; }
  [[nodiscard]] std::uint64_t unsigned64(std::string_view name) {
    return static_cast<std::uint64_t>(integer(name));  // its bits: seeds fill all 64
  }
  [[nodiscard]] std::uint32_t unsigned32(std::string_view name);            // checked
  [[nodiscard]] std::span<const std::uint8_t> blob(std::string_view name);  // until the next step

 private:
  friend class Connection;
  Statement& bind_integer(std::string_view name, std::int64_t value);
  Statement& bind_null(std::string_view name);
  Statement& bound(int code);
  [[nodiscard]] int parameter(std::string_view name);
  [[nodiscard]] int column(std::string_view name);

  Connection& connection_;
  Connection::Cache::node_type node_;
  sqlite3_stmt* statement_;
  int parameters_bound_ = 0;
  int next_parameter_ = 1, next_column_ = 0;  // guesses: the one after the last
};

class Transaction {
 public:
  enum class Kind { read, write };
  Transaction(Connection& connection, Kind kind);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace iobenchd::storage
