// A fio job file as fields of a sweep: it means here what it means to fio, and what this program
// doesn't do is refused by name and line, never left out in silence. Pure; safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/client.h"

namespace iobenchd::client {

struct JobFile {
  std::vector<api::TextField> fields;
  std::string file;  // its filename; empty: none is named
};

// `name` stands before what is wrong: "night.fio:7: bssplit is no option of iobench run". Every
// field knows its line for what its reader has to say. Throws Error{invalid} at the first line that
// can't be taken.
[[nodiscard]] JobFile parse_jobfile(std::string_view text, const std::string& name);
// Throws Error{invalid} also where the file can't be read.
[[nodiscard]] JobFile read_jobfile(const std::string& path);

}  // namespace iobenchd::client
