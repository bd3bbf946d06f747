// A backup put in the place of a database that no daemon uses. Owner's thread only.
#pragma once

#include <string>

#include "storage/inspect.h"

namespace iobenchd::storage {

struct Restored {
  Inspection found;     // of what is there now
  std::string kept_as;  // where the old database is; empty: there was none
};

// Copies `from` to the place of `database`, once it is known to be a database of ours, whole, and
// not newer than this program. The old one stays beside it under a dated name, with its log. Throws
// Error{unavailable} and has changed nothing: a daemon runs, the backup is no good, or the
// directory can't be written; Error{storage_full} where there is no room for both.
[[nodiscard]] Restored restore(const std::string& database, const std::string& from);

}  // namespace iobenchd::storage
