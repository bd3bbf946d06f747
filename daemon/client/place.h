// What FILE of `iobench run` means: something that exists and is read, or the place of a scratch
// file. And the directory of the client's own for as long as it measures. One thread.
#pragma once

#include <string>
#include <vector>

#include "api/client.h"
#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"

namespace iobenchd::client {

struct Place {
  std::string target;       // resolved; empty: a scratch file
  std::string scratch_dir;  // resolved; of a scratch file
  std::string keep_as;      // where a scratch file that is kept goes; empty: stays as it is called
};

// Throws Error{invalid} naming the path and the cure: a missing directory, a dangling link.
[[nodiscard]] Place find_place(const std::string& file);

// The sweep that was typed, at its place: what may be asked of a target and of a scratch file
// differs. Throws Error{invalid} with every wrong field, and where what exists would be written.
[[nodiscard]] SweepSpec spec_for(const std::vector<api::TextField>& fields, const Place& place);

// Removed with all that is in it. In memory where there is such a place: a database on the disk
// under test would be felt there.
class WorkDirectory {
 public:
  WorkDirectory();
  ~WorkDirectory();
  WorkDirectory(const WorkDirectory&) = delete;
  WorkDirectory& operator=(const WorkDirectory&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// As a daemon's configuration that allows reading this one target.
[[nodiscard]] Settings settings_for(const Place& place, const WorkDirectory& work);

// Gives the scratch files of a sweep the name that was asked for; never over an existing file.
// Returns what can be told about it.
[[nodiscard]] std::string keep_scratch(const Place& place, const std::string& uuid);

}  // namespace iobenchd::client
