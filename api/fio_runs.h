// fio's entries -> runs: the clones of a job become one run, its repeats several runs of one point,
// and all of them one sweep. One owner on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "api/fio_entry.h"
#include "api/imports.h"

namespace iobenchd::api {

class FioRuns {
 public:
  FioRuns(const ImportFacts& facts, FioProblems& problems) : facts_(facts), problems_(problems) {}

  // Throws Error{invalid} at the 1001st run.
  void add(const FioEntry& entry);
  void note(const std::string& line);
  // Once for all jobs of which it is true; `name`: the first of them.
  void remark(const std::string& text, const std::string& name) {
    remarks_.try_emplace(text, name);
  }
  // Throws Error{invalid} with all that is wrong, in `problems` too.
  [[nodiscard]] ImportedTable finish();

 private:
  // One direction of a run while its clones are added up.
  struct Part {
    double latency_sum_ns = 0;
    std::uint64_t latencies = 0;
    std::uint32_t entries = 0;  // that had I/O
    bool all_have_latencies = true, all_have_buckets = true;
  };
  // A run in the making.
  struct Group {
    std::string place, key, name, process;
    std::uint32_t groupid = 0;
    FioJob job;
    Run run;
    Part read, write, fsync;
    std::uint32_t clones = 0;
    double jobs = 0;  // as the first entry has them
  };

  Group& group_of(const FioEntry& entry);
  static void merge(const FioDirection& from, Part& part, Traffic& traffic,
                    DirectionFigures& figures);
  static void settle(const Part& part, Traffic& traffic, DirectionFigures& figures);
  void check_directions(const FioEntry& entry);
  void check_conditions(const Group& group);
  void check_clones(Group& group);
  void check_once(const Group& group);
  void settle_figures(Group& group);
  void remark_latencies(const FioEntry& entry);
  void note_company();
  [[nodiscard]] std::string common_target() const;

  const ImportFacts& facts_;
  FioProblems& problems_;
  std::deque<Group> groups_;                                           // large: they don't move
  std::map<std::pair<std::string, std::string>, std::size_t> by_key_;  // process and key
  std::string notes_;
  std::map<std::string, std::string> remarks_;  // the name of the first job, by text
};

}  // namespace iobenchd::api
