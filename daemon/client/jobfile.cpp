#include "daemon/client/jobfile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "daemon/model/error.h"

namespace iobenchd::client {
namespace {

constexpr std::size_t file_bytes_most = std::size_t{1} << 20;

enum class Kind : std::uint8_t {
  field,      // of the sweep, with a value
  flag,       // the same; alone on its line it is 1
  verify,     // the name of a checksum
  file,       // where to measure
  understood  // what iobench does in any case
};

struct Option {
  std::string_view name;
  Kind kind;
  std::string_view field_name;
};

constexpr std::array<Option, 39> options{
    {{"rw", Kind::field, "rw"},
     {"readwrite", Kind::field, "rw"},
     {"bs", Kind::field, "bs"},
     {"blocksize", Kind::field, "bs"},
     {"iodepth", Kind::field, "iodepth"},
     {"numjobs", Kind::field, "numjobs"},
     {"runtime", Kind::field, "runtime"},
     {"ramp_time", Kind::field, "ramp_time"},
     {"size", Kind::field, "size"},
     {"filesize", Kind::field, "size"},
     {"io_size", Kind::field, "io_size"},
     {"offset", Kind::field, "offset"},
     {"ioengine", Kind::field, "ioengine"},
     {"direct", Kind::flag, "direct"},
     {"thread", Kind::flag, "thread"},
     {"rwmixread", Kind::field, "rwmixread"},
     {"rate_iops", Kind::field, "rate_iops"},
     {"rate_process", Kind::field, "rate_process"},
     {"fsync", Kind::field, "fsync"},
     {"sync", Kind::field, "sync"},
     {"norandommap", Kind::flag, "norandommap"},
     {"random_distribution", Kind::field, "random_distribution"},
     {"buffer_compress_percentage", Kind::field, "buffer_compress_percentage"},
     {"hipri", Kind::flag, "hipri"},
     {"verify", Kind::verify, "verify"},
     {"cpus_allowed", Kind::field, "cpus_allowed"},
     {"randseed", Kind::field, "seed"},
     {"iodepth_batch", Kind::field, "batch_submit"},
     {"iodepth_batch_submit", Kind::field, "batch_submit"},
     {"iodepth_batch_complete", Kind::field, "batch_complete"},
     {"iodepth_batch_complete_min", Kind::field, "batch_complete"},
     {"filename", Kind::file, ""},
     {"name", Kind::understood, ""},
     {"description", Kind::understood, ""},
     {"time_based", Kind::understood, ""},
     {"group_reporting", Kind::understood, ""},
     {"stonewall", Kind::understood, ""},
     {"randrepeat", Kind::understood, ""},
     {"invalidate", Kind::understood, ""}}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  void take_line(std::string_view line) {
    ++line_;
    line = trimmed(line);
    if (line.empty() || line.front() == ';' || line.front() == '#') return;
    if (line.front() == '[') return take_section(line);
    const std::size_t equals = line.find('=');
    const bool has_value = equals != std::string_view::npos;
    take_option(trimmed(line.substr(0, equals)),
                has_value ? trimmed(line.substr(equals + 1)) : std::string_view{}, has_value);
  }

  [[nodiscard]] JobFile result() && {
    if (!job_named_) refuse("there is no job: a section such as [randread] is needed");
    if (values_.count("runtime") == 0)
      refuse("no runtime: iobench measures by time, so say runtime=10 and time_based");
    // fio ends a job that is not time_based when it has done its size.
    if (!time_based_ && values_.count("size") != 0) values_.emplace("io_size", values_["size"]);
    // What fio does where nothing is said differs from what iobench does.
    for (const auto& [field, value] : {std::pair{"rw", "read"},
                                       {"numjobs", "1"},
                                       {"direct", "0"},
                                       {"norandommap", "0"},
                                       {"ioengine", "psync"}})
      values_.emplace(field, Value{value, ""});
    // A distribution draws with repeats in fio as well, whatever norandommap says.
    if (values_.count("random_distribution") != 0 &&
        values_["random_distribution"].text != "random")
      values_["norandommap"] = {"1", ""};
    JobFile job;
    job.file = std::move(file_);
    for (const auto& [field, value] : values_)
      job.fields.push_back({field, value.text, value.place});
    return job;
  }

 private:
  struct Value {
    std::string text, place;
  };

  [[nodiscard]] std::string place() const { return name_ + ":" + std::to_string(line_) + ": "; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::invalid, place() + what);
  }

  void take_section(std::string_view line) {
    if (line.back() != ']' || line.size() < 3) refuse("a section is written [name]");
    const std::string_view title = line.substr(1, line.size() - 2);
    in_section_ = true;
    if (title == "global") return;
    if (job_named_)
      refuse("a second job, [" + std::string(title) +
             "]: iobench measures one job's workload at a time");
    job_named_ = true;
  }

  void take_option(std::string_view name, std::string_view value, bool has_value) {
    if (!in_section_) refuse("an option before any section");
    const auto known = std::find_if(options.begin(), options.end(),
                                    [name](const Option& option) { return option.name == name; });
    if (known == options.end()) refuse(std::string(name) + " is no option of iobench run");
    const bool needs_value =
        known->kind == Kind::field || known->kind == Kind::file || known->kind == Kind::verify;
    if (needs_value && value.empty()) refuse(std::string(name) + " needs a value");
    if (known->kind == Kind::understood) {
      if (name == "time_based") time_based_ = !has_value || value == "1";
    } else if (known->kind == Kind::file) {
      if (value.find(':') != std::string_view::npos) refuse("one file at a time");
      file_ = value;
    } else if (known->kind == Kind::verify) {
      if (value != "crc32c" && value != "0")
        refuse("verify=" + std::string(value) + ": the checksum there is has the name crc32c");
      values_["verify"] = {std::string(value), place() + "verify"};
    } else {
      if (value.find(',') != std::string_view::npos && known->field_name != "cpus_allowed")
        refuse(std::string(name) + "=" + std::string(value) +
               ": fio's comma parts reads from writes, which have one value here");
      values_[std::string(known->field_name)] = {has_value ? std::string(value) : "1",
                                                 place() + std::string(name)};
    }
  }

  std::string name_;
  std::size_t line_ = 0;
  bool in_section_ = false, job_named_ = false, time_based_ = false;
  std::string file_;
  std::map<std::string, Value> values_;  // the job's override the global ones
};

}  // namespace

JobFile parse_jobfile(std::string_view text, const std::string& name) {
  Reader reader(name);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.take_line(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::move(reader).result();
}

JobFile read_jobfile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(path.c_str(), "r"),
                                                               &std::fclose);
  if (!stream) throw Error(ErrorCode::invalid, path, std::strerror(errno));
  std::string text(file_bytes_most, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), stream.get()));
  if (std::ferror(stream.get()) != 0) throw Error(ErrorCode::invalid, path, std::strerror(errno));
  if (text.size() == file_bytes_most)
    throw Error(ErrorCode::invalid, path, "is larger than a megabyte: no job file");
  return parse_jobfile(text, path);
}

}  // namespace iobenchd::client
