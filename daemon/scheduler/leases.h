// The leases of physical disks, seen from outside: files beside the database, each locked by an
// engine for as long as that lives. One that is locked by none of this life's engines is held by an
// engine of an earlier life which is stuck in the kernel. Functions of the file system; safe from
// any thread.
#pragma once

#include <set>
#include <string>

namespace iobenchd::scheduler {

// The names (lease_name) of those that are locked, without looking at `ours`. None where there is
// no database.
[[nodiscard]] std::set<std::string> locked_leases(const std::string& database,
                                                  const std::set<std::string>& ours);

}  // namespace iobenchd::scheduler
