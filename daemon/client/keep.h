// What an administrator does with the database: `iobench backup`, `restore` and `check`. One
// thread.
#pragma once

#include <string>
#include <vector>

namespace iobenchd::client {

// `arguments` begins with the command's name. Each prints what it did and returns the exit status.
// Throws Error{invalid} for what was typed, others for what went wrong.
[[nodiscard]] int backup(const std::vector<std::string>& arguments);
[[nodiscard]] int restore(const std::vector<std::string>& arguments);
[[nodiscard]] int check(const std::vector<std::string>& arguments);

}  // namespace iobenchd::client
