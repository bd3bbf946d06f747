#include "api/fio_terse.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/fio_figures.h"
#include "api/fio_runs.h"
#include "api/parse_fields.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

using Fields = std::vector<std::string_view>;

// Where things stand in a line of version 3, from 0; a direction's own from its first.
constexpr std::size_t name_at = 2, group_at = 3, error_at = 4, read_at = 5, write_at = 46;
constexpr std::size_t cpu_at = 87, disks_at = 121, disk_fields = 9;
constexpr std::size_t clat_at = 8, percentiles_at = 12, percentiles = 20, lat_at = 32;
constexpr double kib = 1024, us = 1000;
constexpr double runtime_most_ms = 2'678'400'000;  // 31 days

// One line on its way in.
struct Line {
  std::string place;
  Fields fields;
  // What the disks did meanwhile. Empty where nothing is told: fio looks every 250 ms.
  [[nodiscard]] std::string_view disks() const {
    if (fields.size() < disks_at + disk_fields) return {};
    const bool idle = fields[disks_at + 1] == "0" && fields[disks_at + 2] == "0";
    const char* first = fields[disks_at].data();
    const char* last = fields.back().data() + fields.back().size();
    if (idle) return {};
    return {first, static_cast<std::size_t>(last - first)};
  }
  [[nodiscard]] std::string key() const {
    return std::string(fields[name_at]) + "\n" + std::string(fields[group_at]);
  }
};

bool begins_as_terse(std::string_view line) {
  return line.size() > 1 && line[0] >= '0' && line[0] <= '9' && line[1] == ';';
}

Fields split(std::string_view line) {
  Fields fields;
  while (true) {
    const std::size_t end = line.find(';');
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

// Calls `use` with each line and its number.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    use(line, number);
  }
}

// The number a name ends in: "randread-8". None: there is none, or it is no number of jobs.
std::optional<std::uint32_t> suffix_of(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9') --start;
  std::uint32_t value = 0;
  const auto parsed = std::from_chars(name.data() + start, name.data() + name.size(), value);
  if (parsed.ec != std::errc{} || value < 1 || value > max_numjobs) return std::nullopt;
  return value;
}

// One line's fields as numbers, each wrong one a problem.
class LineReader {
 public:
  LineReader(const Line& line, const ImportFacts& facts, FioProblems& problems)
      : line_(line), facts_(facts), problems_(problems) {}

  // `numjobs`: 0 where nobody knows.
  FioEntry read(std::uint32_t numjobs) {
    FioEntry entry;
    entry.name = line_.fields[name_at];
    entry.place = line_.place + " (" + entry.name.substr(0, 60) + ")";
    if (entry.name.empty() || entry.name.size() > import_text_most || !is_plain_text(entry.name)) {
      refuse(name_at, "the job's name: text of 1 to 200 bytes without control characters");
    }
    entry.groupid = static_cast<std::uint32_t>(number(group_at, 1e6));
    entry.error = static_cast<std::uint32_t>(number(error_at, 4095));
    entry.program_version = std::string(line_.fields[1].substr(0, import_text_most));
    if (!is_plain_text(entry.program_version)) entry.program_version.clear();
    read_job(entry.job, numjobs);
    if (entry.error != 0) return entry;
    entry.read = direction(read_at, entry.job.setting);
    entry.write = direction(write_at, entry.job.setting);
    const double jobs_ns =
        static_cast<double>(std::max(entry.read.runtime_ns, entry.write.runtime_ns)) *
        std::max(numjobs, 1U);
    entry.cpu_user_ns = cpu_ns(cpu_at, jobs_ns);
    entry.cpu_system_ns = cpu_ns(cpu_at + 1, jobs_ns);
    return entry;
  }

 private:
  void refuse(std::size_t at, const std::string& reason) {
    problems_.add(line_.place, "field " + std::to_string(at + 1), reason);
  }

  double number(std::size_t at, double most) {
    std::string_view text = line_.fields[at];
    if (text.ends_with('%')) text.remove_suffix(1);
    const auto value = parse_decimal(text);
    if (value && *value <= most) return *value;
    refuse(at, refusal(text, "a number that is neither negative nor absurd"));
    return 0;
  }

  void read_job(FioJob& job, std::uint32_t numjobs) {
    const bool read = line_.fields[read_at] != "0", written = line_.fields[write_at] != "0";
    Rw rw = written ? Rw::randwrite : Rw::randread;
    if (read && written) rw = Rw::randrw;
    job.setting.rw = facts_.rw.value_or(rw);
    job.setting.block_bytes = facts_.block_bytes.value_or(4096);
    job.setting.iodepth = facts_.iodepth.value_or(1);
    job.setting.numjobs = numjobs;
    job.ioengine = facts_.ioengine.value_or(IoEngine::automatic);
  }

  std::uint64_t cpu_ns(std::size_t at, double jobs_ns) {
    constexpr double percent_most = 1000, ns_most = 9e15;
    return static_cast<std::uint64_t>(
        std::llround(std::min(number(at, percent_most) / 100 * jobs_ns, ns_most)));
  }

  FioDirection direction(std::size_t at, const Setting& setting) {
    constexpr double kib_most = 1e12, iops_most = 1e12;
    FioDirection direction;
    FioSums sums;
    sums.bytes = number(at, kib_most) * kib;
    sums.bandwidth_bytes_per_s = number(at + 1, kib_most) * kib;
    sums.iops = number(at + 2, iops_most);
    sums.runtime_ms = number(at + 3, runtime_most_ms);
    if (sums.bytes <= 0) return direction;
    // Of the I/Os only their rate is told, cut to a whole number.
    sums.ios = sums.iops * sums.runtime_ms / 1000;
    sums.ios_step = sums.runtime_ms / 1000;
    sums.bytes_step = kib;
    if (const auto wrong = contradiction(sums, setting.block_bytes)) {
      refuse(wrong->field == std::string_view("io_bytes") ? at : at + 1,
             wrong->reason + "; terse tells no block size: give it as ?bs=");
      return direction;
    }
    const double seconds = sums.runtime_ms / 1000;
    direction.traffic.bytes = static_cast<std::uint64_t>(sums.bytes);
    direction.traffic.ios =
        static_cast<std::uint64_t>(std::llround(sums.bytes / setting.block_bytes));
    direction.traffic.ios = std::max<std::uint64_t>(direction.traffic.ios, 1);
    direction.runtime_ns = static_cast<std::uint64_t>(sums.runtime_ms * 1e6);
    direction.figures.bandwidth_bytes_per_s = sums.bytes / seconds;
    direction.figures.iops = direction.figures.bandwidth_bytes_per_s / setting.block_bytes;
    latencies(at, direction);
    return direction;
  }

  // The mean of lat; extremes and percentiles of clat, for which there are no others.
  void latencies(std::size_t at, FioDirection& direction) {
    constexpr double us_most = 1e12;
    DirectionFigures& figures = direction.figures;
    const double clat_mean = number(at + clat_at + 2, us_most);
    const double lat_mean = number(at + lat_at + 2, us_most);
    figures.latency_mean_ns = (lat_mean > 0 ? lat_mean : clat_mean) * us;
    if (figures.latency_mean_ns <= 0) return;
    direction.latencies = direction.traffic.ios;
    direction.mean_of = lat_mean > 0 ? LatencyKind::lat : LatencyKind::clat;
    const std::size_t extremes = clat_mean > 0 ? clat_at : lat_at;
    direction.percentiles_of = clat_mean > 0 ? LatencyKind::clat : LatencyKind::lat;
    figures.latency_min_ns = whole_ns(at + extremes);
    figures.latency_max_ns = whole_ns(at + extremes + 1);
    const double mean_ns = (clat_mean > 0 ? clat_mean : lat_mean) * us;
    if (mean_ns + us < static_cast<double>(figures.latency_min_ns) ||
        mean_ns > static_cast<double>(figures.latency_max_ns) + us) {
      refuse(at + extremes + 2, "the mean isn't between the least and the greatest latency");
    }
    for (std::size_t i = 0; i < percentiles; ++i) percentile(at + percentiles_at + i, figures);
  }

  std::uint64_t whole_ns(std::size_t at) {
    constexpr double us_most = 1e12;
    return static_cast<std::uint64_t>(number(at, us_most) * us);
  }

  // "99.900000%=10944"; "0%=0" where there are no more.
  void percentile(std::size_t at, DirectionFigures& figures) {
    static constexpr std::pair<std::string_view, std::uint64_t DirectionFigures::*> wanted[] = {
        {"50.000000%", &DirectionFigures::latency_p50_ns},
        {"90.000000%", &DirectionFigures::latency_p90_ns},
        {"99.000000%", &DirectionFigures::latency_p99_ns},
        {"99.900000%", &DirectionFigures::latency_p99_9_ns},
        {"99.990000%", &DirectionFigures::latency_p99_99_ns},
    };
    const std::string_view text = line_.fields[at];
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      refuse(at, refusal(text, "a percentile such as 99.000000%=2932"));
      return;
    }
    for (const auto& [name, member] : wanted) {
      if (text.substr(0, equals) != name) continue;
      const auto value = parse_decimal(text.substr(equals + 1));
      if (!value || *value > 1e12) {
        refuse(at, refusal(text, "a percentile such as 99.000000%=2932"));
        return;
      }
      figures.*member = std::min(static_cast<std::uint64_t>(*value * us), figures.latency_max_ns);
    }
  }

  const Line& line_;
  const ImportFacts& facts_;
  FioProblems& problems_;
};

std::vector<Line> take_lines(std::string_view text, FioProblems& problems) {
  std::vector<Line> lines;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (!begins_as_terse(line)) return;
    const std::string place = "line " + std::to_string(number);
    if (line[0] != '3' || !line.substr(2).starts_with("fio-")) {
      problems.add(place, "field 1",
                   "version " + std::string(1, line[0]) +
                       " of terse isn't read, 3 is (\"3;fio-...\", --terse-version=3); JSON tells "
                       "more");
      return;
    }
    Line& one = lines.emplace_back(Line{place, split(line)});
    if (one.fields.size() >= disks_at) return;
    problems.add(place, "field " + std::to_string(one.fields.size()),
                 "the line ends here, but terse has " + std::to_string(disks_at) +
                     " fields at least: it was cut off");
    lines.pop_back();
  });
  return lines;
}

void note_guesses(FioRuns& runs, const ImportFacts& facts) {
  std::string told;
  if (!facts.rw) told += " random reads or writes by their directions (?rw=),";
  if (!facts.block_bytes) told += " bs 4k (?bs=),";
  if (!facts.iodepth) told += " iodepth 1 (?iodepth=),";
  if (told.empty()) return;
  told.back() = '.';
  runs.note("fio's terse output doesn't tell how the jobs were asked for; taken for granted:" +
            told);
}

}  // namespace

bool is_fio_terse(std::string_view text) {
  bool found = false;
  for_each_line(
      text, [&](std::string_view line, std::size_t) { found = found || begins_as_terse(line); });
  return found;
}

ImportedTable parse_fio_terse(std::string_view text, const ImportFacts& facts) {
  FioProblems problems;
  FioRuns runs(facts, problems);
  const std::vector<Line> lines = take_lines(text, problems);
  throw_if_wrong(problems.take());
  // Clones are printed by one fio, so they agree about what the disks did; repeats never do.
  std::map<std::string, std::uint32_t> of_one_name;
  std::map<std::pair<std::string_view, std::string>, std::uint32_t> of_one_fio;
  for (const Line& line : lines) {
    ++of_one_name[line.key()];
    ++of_one_fio[{line.disks(), line.key()}];
  }
  note_guesses(runs, facts);
  for (const Line& line : lines) {
    const std::uint32_t clones = line.disks().empty() ? 1 : of_one_fio[{line.disks(), line.key()}];
    const auto told = facts.numjobs ? facts.numjobs : suffix_of(line.fields[name_at]);
    const std::uint32_t numjobs = clones > 1 ? facts.numjobs.value_or(clones) : told.value_or(0);
    if (line.disks().empty() && of_one_name[line.key()] > 1 && numjobs != 1) {
      problems.add(line.place, "numjobs",
                   "there are several lines of this job without figures of disks, and nobody can "
                   "tell its clones from its repeats: use group_reporting and one file a run, or "
                   "JSON");
      continue;
    }
    FioEntry entry = LineReader(line, facts, problems).read(numjobs);
    // A repeat is another fio; without disks each line is one.
    entry.process = line.disks().empty() ? line.place : std::string(line.disks());
    entry.key = line.key();
    runs.add(entry);
  }
  return runs.finish();
}

}  // namespace iobenchd::api
