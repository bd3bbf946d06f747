// What fio 3.33 wrote (tests/data/fio), and ways to spoil it.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>

#include "api/imports.h"
#include "daemon/model/error.h"

namespace fio_files {

using Json = nlohmann::ordered_json;

inline std::string text(const std::string& name) {
  std::ifstream in(std::string(IOBENCHD_SOURCE_DIR) + "/tests/data/fio/" + name);
  if (!in) throw std::runtime_error("no fixture " + name);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

inline Json document(const std::string& name) {
  return Json::parse(text(name));
}

// `from` once replaced by `to`; the text must be there.
inline std::string replaced(std::string all, const std::string& from, const std::string& to) {
  const std::size_t at = all.find(from);
  if (at == std::string::npos) throw std::runtime_error("nothing to replace: " + from);
  return all.replace(at, from.size(), to);
}

inline bool says(const std::string& all, const std::string& part) {
  return all.find(part) != std::string::npos;
}

// Everything that is said about `text`, or "" when it is taken.
template <typename Parse>
std::string complaint(Parse parse, const std::string& text,
                      const iobenchd::api::ImportFacts& facts = {}) {
  try {
    (void)parse(text, facts);
  } catch (const iobenchd::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace fio_files
