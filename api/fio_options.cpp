#include "api/fio_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

#include "api/parse_fields.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

using Json = nlohmann::ordered_json;

// Two jobs that differ in one of these are no two points of one curve, and no repeats.
constexpr std::array condition_names{
    "filename",
    "directory",
    "ioengine",
    "direct",
    "buffered",
    "rate_iops",
    "rate",
    "fsync",
    "fdatasync",
    "sync",
    "random_distribution",
    "norandommap",
    "hipri",
    "thinktime",
    "rwmixread",
    "rwmixwrite",
    "verify",
    "zonemode",
    "iodepth_batch",
    "buffer_compress_percentage",
    "percentage_random",
};

// Each run keeps its words: one of 60 MiB among the global options would be kept a thousand times.
constexpr std::size_t word_most = 1000;

std::optional<std::uint32_t> whole_word(const std::string& word) {
  std::uint32_t value = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return value;
}

// The engines that wait for each I/O hold one a job, whatever system call they make.
IoEngine engine_of(const std::string& name) {
  constexpr std::array<std::string_view, 5> one_by_one{"psync", "sync", "pvsync", "pvsync2",
                                                       "vsync"};
  if (std::find(one_by_one.begin(), one_by_one.end(), name) != one_by_one.end()) {
    return IoEngine::psync;
  }
  if (name == "io_uring") return IoEngine::io_uring;
  if (name == "mmap") return IoEngine::mmap;
  return name == "null" ? IoEngine::null : IoEngine::automatic;
}

// One job's options on their way to a setting.
class JobReader {
 public:
  JobReader(const FioOptions& options, const ImportFacts& facts, const std::string& place,
            FioProblems& problems)
      : options_(options), facts_(facts), place_(place), problems_(problems) {}

  FioJob read() {
    read_rw();
    read_bs();
    job_.setting.iodepth = number("iodepth", facts_.iodepth, max_iodepth);
    job_.setting.numjobs = number("numjobs", facts_.numjobs, max_numjobs);
    read_engine();
    read_workload();
    job_.target = options_.find("filename").value_or(options_.find("directory").value_or(""));
    for (const char* name : condition_names) {
      if (is_of_mixes(name) && !mixed(job_.setting.rw)) continue;
      job_.conditions.emplace_back(name, options_.find(name).value_or(""));
    }
    return std::move(job_);
  }

 private:
  static bool is_of_mixes(std::string_view name) { return name.starts_with("rwmix"); }

  void refuse(const char* option, const std::string& reason) {
    problems_.add(place_, option, reason);
  }

  // What both the document and the query tell must be the same.
  template <typename T>
  T agreed(const char* option, T told, const std::optional<T>& asked) {
    if (asked && *asked != told) {
      refuse(option, "the document says " + options_.find(option).value_or("") +
                         ", and the query something else: leave it out of the query");
    }
    return told;
  }

  void read_rw() {
    const auto word = options_.find("rw");
    Rw& rw = job_.setting.rw;
    if (!word) {
      rw = facts_.rw.value_or(Rw::read);
      return;
    }
    const auto parsed = parse_rw(*word == "readwrite" ? "rw" : std::string_view(*word));
    if (parsed) {
      rw = agreed("rw", *parsed, facts_.rw);
    } else if (word->find("trim") != std::string::npos) {
      refuse("rw", refusal(*word, "a workload of reads and writes: trims aren't measured here,"));
    } else {
      refuse("rw",
             refusal(*word, "read, write, rw, randread, randwrite or randrw, without \":\","));
    }
  }

  // "8k,4k": of reads and writes. One size is what a point has.
  void read_bs() {
    for (const char* varied : {"bsrange", "bssplit", "bs_unaligned"}) {
      if (options_.find(varied)) refuse(varied, "a point has one block size, and this job several");
    }
    std::uint32_t& block_bytes = job_.setting.block_bytes;
    const auto words = options_.find("bs");
    if (!words) {
      block_bytes = facts_.block_bytes.value_or(4096);
      return;
    }
    const std::size_t comma = words->find(',');
    const std::string of_reads = words->substr(0, comma);
    std::string of_writes = of_reads;
    if (comma != std::string::npos) {
      of_writes = words->substr(comma + 1, words->find(',', comma + 1) - comma - 1);
      if (of_writes.empty()) of_writes = of_reads;
    }
    const Rw rw = job_.setting.rw;
    if (mixed(rw) && of_reads != of_writes) {
      refuse("bs", "reads of " + of_reads + " and writes of " + of_writes +
                       ": a point has one block size");
    }
    const auto bytes = parse_size_bytes(reads(rw) ? of_reads : of_writes);
    if (!bytes || *bytes < 1 || *bytes > max_block_bytes) {
      refuse("bs", refusal(*words, size_range(1, max_block_bytes).need));
      return;
    }
    block_bytes = agreed("bs", static_cast<std::uint32_t>(*bytes), facts_.block_bytes);
  }

  std::uint32_t number(const char* option, const std::optional<std::uint32_t>& asked,
                       std::uint32_t most) {
    const auto word = options_.find(option);
    if (!word) return asked.value_or(1);
    const auto value = whole_word(*word);
    if (!value || *value < 1 || *value > most) {
      refuse(option, refusal(*word, whole_range(1, most).need));
      return 1;
    }
    return agreed(option, *value, asked);
  }

  [[nodiscard]] bool is_on(const char* option) const {
    const auto word = options_.find(option);
    return word && *word != "0";
  }

  void read_engine() {
    const auto word = options_.find("ioengine");
    job_.ioengine = word ? engine_of(*word) : facts_.ioengine.value_or(IoEngine::psync);
    if (word && job_.ioengine != IoEngine::automatic) {
      job_.ioengine = agreed("ioengine", job_.ioengine, facts_.ioengine);
    }
    job_.direct = is_on("direct") || options_.find("buffered") == "0";
  }

  [[nodiscard]] std::uint32_t number_or_0(const char* option, std::uint32_t most) const {
    const auto word = options_.find(option);
    return word ? std::min(whole_word(*word).value_or(0), most) : 0;
  }

  void read_workload() {
    Workload& workload = job_.workload;
    if (options_.find("rwmixwrite")) workload.rwmixread = 100 - number_or_0("rwmixwrite", 100);
    if (options_.find("rwmixread")) workload.rwmixread = number_or_0("rwmixread", 100);
    // fio's rate is each direction's, ours of both together: of a mix nobody can tell the sum.
    if (!mixed(job_.setting.rw)) {
      workload.rate_iops = number_or_0("rate_iops", static_cast<std::uint32_t>(rate_iops_most));
    }
    workload.fsync = std::max(number_or_0("fsync", 1'000'000), number_or_0("fdatasync", 1'000'000));
    if (is_on("sync")) {
      workload.sync = options_.find("sync") == "dsync" ? Sync::dsync : Sync::sync;
    }
    if (const auto word = options_.find("random_distribution")) {
      workload.random_distribution =
          parse_random_distribution(*word).value_or(RandomDistribution{});
    }
    workload.buffer_compress_percentage = number_or_0("buffer_compress_percentage", 100);
    workload.norandommap = is_on("norandommap") ? 1 : 0;
    workload.hipri = is_on("hipri") ? 1 : 0;
  }

  const FioOptions& options_;
  const ImportFacts& facts_;
  const std::string& place_;
  FioProblems& problems_;
  FioJob job_;
};

}  // namespace

std::optional<std::string> FioOptions::find(const char* name) const {
  for (const Json* options : {job_, global_}) {
    if (options == nullptr) continue;
    const auto found = options->find(name);
    if (found == options->end()) continue;
    return found->is_string() ? found->get_ref<const std::string&>().substr(0, word_most)
                              : shown(*found);
  }
  return std::nullopt;
}

FioJob read_fio_job(const FioOptions& options, const ImportFacts& facts, const std::string& place,
                    FioProblems& problems) {
  return JobReader(options, facts, place, problems).read();
}

}  // namespace iobenchd::api
