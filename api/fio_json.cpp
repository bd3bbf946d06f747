#include "api/fio_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/documents.h"
#include "api/fio_figures.h"
#include "api/fio_options.h"
#include "api/fio_runs.h"
#include "api/parse_fields.h"
#include "api/strict_json.h"

namespace iobenchd::api {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t timestamp_most_ms = 4'102'444'800'000;  // the year 2100
constexpr double cpu_most_ns = 9e15;
constexpr std::size_t fio_values_most = 4'000'000;
constexpr const char* sum_of_clients = "All clients";

// fio writes an option as often as it was given ("--rw=read --rw=randread"), and took the last.
constexpr std::array<std::string_view, 2> repeating{"global options", "job options"};

const Json* member(const Json& object, const char* name, Json::value_t type) {
  const auto found = object.find(name);
  return found != object.end() && found->type() == type ? &*found : nullptr;
}

std::string text_of(const Json& object, const char* name) {
  const Json* text = member(object, name, Json::value_t::string);
  return text == nullptr ? "" : text->get<std::string>();
}

// A client is a host and a port: two servers may run on one machine.
std::string client_of(const Json& job) {
  std::string name = text_of(job, "hostname");
  const auto port = job.find("port");
  if (port != job.end() && port->is_number_unsigned()) name += ":" + port->dump();
  return name;
}

// Clones have the same options. Every run keeps its key, so a long one is kept as its hash.
std::string key_of(const Json* options) {
  constexpr std::size_t kept_most = 1000;
  if (options == nullptr) return "";
  const std::string text = to_text(*options);
  return text.size() <= kept_most ? text : std::to_string(std::hash<std::string>{}(text));
}

// One document on its way to entries.
class DocumentReader {
 public:
  DocumentReader(const Json& document, std::size_t number, const ImportFacts& facts, FioRuns& runs,
                 FioProblems& problems)
      : document_(document),
        place_("document " + std::to_string(number)),
        facts_(facts),
        runs_(runs),
        problems_(problems) {}

  void read() {
    version_ = text_of(document_, "fio version");
    if (version_.empty() || version_.size() > import_text_most || !is_plain_text(version_)) {
      problems_.add(place_, "fio version", "this is needed, as fio writes it (\"fio-3.33\")");
      return;
    }
    if (version_.starts_with("fio-2.") || version_.starts_with("fio-1.")) {
      problems_.add(place_, "fio version",
                    version_ +
                        " counts latencies in microseconds and io_bytes in KiB; measure "
                        "with fio 3");
      return;
    }
    const bool of_clients = !document_.contains("jobs") && document_.contains("client_stats");
    const char* name = of_clients ? "client_stats" : "jobs";
    const Json* jobs = member(document_, name, Json::value_t::array);
    if (jobs == nullptr || jobs->empty()) {
      problems_.add(place_, name, "a list of at least one job is needed");
      return;
    }
    global_ = member(document_, "global options", Json::value_t::object);
    read_times(*jobs);
    if (of_clients) choose_client(*jobs);
    for (std::size_t i = 0; i < jobs->size(); ++i) {
      read_job((*jobs)[i], place_ + ", " + name + "[" + std::to_string(i) + "]");
    }
    describe();
  }

 private:
  // The end of fio is known; that of a group lies before it by what the later groups took.
  void read_times(const Json& jobs) {
    FioNumbers numbers(document_, place_, "", problems_);
    if (numbers.has("timestamp_ms")) {
      ended_ms_ = numbers.whole("timestamp_ms", timestamp_most_ms);
    } else if (numbers.has("timestamp")) {
      ended_ms_ = numbers.whole("timestamp", timestamp_most_ms / 1000) * 1000;
    }
    std::map<std::uint64_t, std::uint64_t> runtimes_ms;
    for (const Json& job : jobs) {
      if (!job.is_object()) continue;
      const auto group = job.find("groupid");
      if (group == job.end() || !group->is_number_unsigned()) continue;
      std::uint64_t& longest = runtimes_ms[group->get<std::uint64_t>()];
      for (const char* name : {"read", "write"}) {
        const Json* direction = member(job, name, Json::value_t::object);
        if (direction == nullptr) continue;
        const Json* runtime = member(*direction, "runtime", Json::value_t::number_unsigned);
        if (runtime != nullptr) longest = std::max(longest, runtime->get<std::uint64_t>());
      }
    }
    std::uint64_t later_ms = 0;
    for (auto group = runtimes_ms.rbegin(); group != runtimes_ms.rend(); ++group) {
      group_ends_ms_[group->first] = ended_ms_ > later_ms ? ended_ms_ - later_ms : 0;
      later_ms += std::min(group->second, timestamp_most_ms);
    }
  }

  // Clients are machines of their own that worked at the same time, not repeats of one another.
  void choose_client(const Json& jobs) {
    std::set<std::string> clients;
    for (const Json& job : jobs) {
      if (!job.is_object() || text_of(job, "jobname") == sum_of_clients) continue;
      clients.insert(client_of(job));
    }
    skips_sum_ = !clients.empty();
    if (clients.size() < 2) return;
    std::string names;
    for (const std::string& client : clients) names += (names.empty() ? "" : ", ") + client;
    for (const std::string& client : clients) {
      if (client == facts_.host || client.substr(0, client.rfind(':')) == facts_.host) {
        wanted_client_ = facts_.host;
      }
    }
    if (wanted_client_) return;
    problems_.add(place_, "client_stats",
                  "several clients measured at the same time (" + names.substr(0, 300) +
                      "); choose one as ?host=");
  }

  [[nodiscard]] bool is_wanted(const Json& job) const {
    if (text_of(job, "jobname") == sum_of_clients) return !skips_sum_;
    if (!wanted_client_) return true;
    return client_of(job) == *wanted_client_ || text_of(job, "hostname") == *wanted_client_;
  }

  void read_job(const Json& job, const std::string& where) {
    if (!job.is_object()) {
      problems_.add(place_, where.substr(place_.size() + 2), refusal(job, "an object"));
      return;
    }
    if (!is_wanted(job)) return;
    FioEntry entry;
    entry.name = text_of(job, "jobname");
    entry.place = where;
    if (entry.name.empty() || entry.name.size() > import_text_most || !is_plain_text(entry.name)) {
      problems_.add(where, "jobname",
                    "text of 1 to 200 bytes without control characters is needed");
      return;
    }
    entry.place += " (" + entry.name + ")";
    entry.process = place_;
    entry.program_version = version_;
    entry.host = text_of(job, "hostname");
    if (entry.host.size() > import_text_most || !is_plain_text(entry.host)) entry.host.clear();
    FioNumbers numbers(job, entry.place, "", problems_);
    entry.groupid = static_cast<std::uint32_t>(numbers.whole("groupid", 1'000'000));
    entry.error = static_cast<std::uint32_t>(numbers.whole("error", 4095));
    const Json* options = member(job, "job options", Json::value_t::object);
    const FioOptions both(global_, options);
    entry.job = read_fio_job(both, facts_, entry.place, problems_);
    if (entry.job.ioengine == IoEngine::automatic) {
      runs_.remark("ioengine " + both.find("ioengine").value_or("").substr(0, 40) +
                       " is none of ours: how many I/Os it can hold isn't judged",
                   entry.name);
    }
    entry.key = entry.name + "\n" + std::to_string(entry.groupid) + "\n" + client_of(job) + "\n" +
                key_of(options);
    if (entry.error == 0) read_figures(job, numbers, entry);
    read_moments(job, numbers, entry);
    runs_.add(entry);
  }

  void read_figures(const Json& job, FioNumbers& numbers, FioEntry& entry) {
    if (job.contains("mixed") && !job.contains("read")) {
      numbers.refuse("mixed", "unified_rw_reporting=mixed folds reads and writes; leave it out");
      return;
    }
    for (const auto& [name, direction] :
         {std::pair("read", &entry.read), std::pair("write", &entry.write)}) {
      const Json* found = numbers.object(name);
      if (found == nullptr && !job.contains(name)) numbers.refuse(name, "is missing");
      if (found == nullptr) continue;
      *direction = read_fio_direction(numbers.inside(*found, name), entry.job.setting);
    }
    const Json* trim = numbers.object("trim");
    if (trim != nullptr && numbers.inside(*trim, "trim").whole("total_ios") > 0) {
      numbers.refuse("trim", "there are trims; only reads and writes are measured here");
    }
    if (const Json* sync = numbers.object("sync")) {
      entry.fsync = read_fio_fsyncs(numbers.inside(*sync, "sync"),
                                    std::max(entry.read.runtime_ns, entry.write.runtime_ns));
    }
    if (job.contains("total_err")) {
      Traffic& traffic = reads(entry.job.setting.rw) ? entry.read.traffic : entry.write.traffic;
      traffic.errors = numbers.whole("total_err");
    }
    read_cpu(numbers, entry);
  }

  // Percent of the time of all its jobs together, which job_runtime is.
  void read_cpu(FioNumbers& numbers, FioEntry& entry) {
    const double runtime_ms =
        static_cast<double>(std::max(entry.read.runtime_ns, entry.write.runtime_ns)) / 1e6;
    const Setting& setting = entry.job.setting;
    double jobs_ms = runtime_ms * setting.numjobs;
    if (numbers.has("job_runtime")) {
      jobs_ms = static_cast<double>(numbers.whole("job_runtime"));
      if (runtime_ms > 0) entry.jobs = jobs_ms / runtime_ms;
      check_jobs(numbers, setting, entry.jobs, entry.name);
    }
    for (const auto& [name, cpu_ns] :
         {std::pair("usr_cpu", &entry.cpu_user_ns), std::pair("sys_cpu", &entry.cpu_system_ns)}) {
      const double ns = numbers.real(name) / 100 * jobs_ms * 1e6;
      if (ns > cpu_most_ns) {
        numbers.refuse(name, "is more CPU time than 100 days");
      } else {
        *cpu_ns = static_cast<std::uint64_t>(std::llround(ns));
      }
    }
  }

  // job_runtime is the time of all jobs that an entry stands for; group_reporting folds all of a
  // group, whatever their names are. The end of a write may take long, that of a read can't.
  void check_jobs(FioNumbers& numbers, const Setting& setting, double jobs,
                  const std::string& name) {
    const double whole = std::round(jobs);
    if (jobs < setting.numjobs + 0.9 || std::abs(jobs - whole) > 0.05 * whole) return;
    const std::string reason = "job_runtime is that of " +
                               std::to_string(static_cast<std::uint64_t>(whole)) +
                               " jobs, numjobs says " + std::to_string(setting.numjobs);
    if (writes(setting.rw)) {
      runs_.remark(reason, name);
    } else {
      numbers.refuse("job_runtime", reason +
                                        "; group_reporting folds all jobs of a group: put "
                                        "stonewall between them, or give ?numjobs= where "
                                        "there are no options");
    }
  }

  void read_moments(const Json& job, FioNumbers& numbers, FioEntry& entry) {
    constexpr std::int64_t ms = 1'000'000;
    const auto runtime_ns =
        static_cast<std::int64_t>(std::max(entry.read.runtime_ns, entry.write.runtime_ns));
    if (job.contains("job_start")) {
      const auto start = static_cast<std::int64_t>(numbers.whole("job_start", timestamp_most_ms));
      entry.started_at_ns = start * ms;
      if (start != 0) entry.finished_at_ns = entry.started_at_ns + runtime_ns;
      return;
    }
    const auto end = group_ends_ms_.find(entry.groupid);
    if (end == group_ends_ms_.end() || end->second == 0) return;
    entry.finished_at_ns = static_cast<std::int64_t>(end->second) * ms;
    entry.started_at_ns = std::max<std::int64_t>(0, entry.finished_at_ns - runtime_ns);
  }

  // What stands beside the jobs, for the notes.
  void describe() {
    std::string line = place_ + ": " + version_;
    const Json* disks = member(document_, "disk_util", Json::value_t::array);
    if (disks != nullptr) {
      for (const Json& disk : *disks) {
        const std::string name = disk.is_object() ? text_of(disk, "name") : "";
        if (name.empty() || !is_plain_text(name)) continue;
        line += ", " + name.substr(0, 60);
        const auto util = disk.find("util");
        if (util == disk.end() || !util->is_number()) continue;
        std::array<char, 40> busy{};
        std::snprintf(busy.data(), busy.size(), " %.1f %% busy", util->get<double>());
        line += busy.data();
      }
    }
    runs_.note(line);
  }

  const Json& document_;
  std::string place_, version_;
  const ImportFacts& facts_;
  FioRuns& runs_;
  FioProblems& problems_;
  const Json* global_ = nullptr;
  std::uint64_t ended_ms_ = 0;  // 0: not told
  std::map<std::uint64_t, std::uint64_t> group_ends_ms_;
  std::optional<std::string> wanted_client_;
  bool skips_sum_ = true;
};

Json parse_document(const Document& document, std::size_t number) {
  try {
    return parse_strict(document.text, false, fio_values_most, repeating);
  } catch (const Error& error) {
    throw Error(error.code(), "document " + std::to_string(number) + ", which begins in line " +
                                  std::to_string(document.line) + " of the file (byte " +
                                  std::to_string(document.offset) + "): there, " + error.what());
  }
}

}  // namespace

ImportedTable parse_fio_json(std::string_view text, const ImportFacts& facts) {
  FioProblems problems;
  FioRuns runs(facts, problems);
  std::size_t number = 0;
  for (const Document& document : split_documents(text)) {
    const Json parsed = parse_document(document, ++number);
    DocumentReader(parsed, number, facts, runs, problems).read();
  }
  return runs.finish();
}

}  // namespace iobenchd::api
