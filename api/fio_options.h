// What fio was asked for: "global options" and "job options" of its JSON -> FioJob. Pure; safe from
// any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/fio_entry.h"
#include "api/imports.h"

namespace iobenchd::api {

// Words as the user gave them; those of the job win over the global ones.
class FioOptions {
 public:
  // Either may be null: the document has none.
  FioOptions(const nlohmann::ordered_json* global, const nlohmann::ordered_json* job)
      : global_(global), job_(job) {}
  [[nodiscard]] std::optional<std::string> find(const char* name) const;

 private:
  const nlohmann::ordered_json* global_;
  const nlohmann::ordered_json* job_;
};

// fio's defaults where neither the options nor `facts` tell; where both do they must agree. What
// can't be a setting of ours (several block sizes, trims) is a problem.
[[nodiscard]] FioJob read_fio_job(const FioOptions& options, const ImportFacts& facts,
                                  const std::string& place, FioProblems& problems);

}  // namespace iobenchd::api
