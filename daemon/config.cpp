#include "daemon/config.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "api/parse.h"
#include "api/parse_fields.h"
#include "api/strict_json.h"
#include "daemon/config_lines.h"
#include "daemon/model/error.h"
#include "daemon/model/quantity.h"
#include "daemon/model/sweep_schedule.h"
#include "daemon/platform/platform.h"

namespace iobenchd {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t file_bytes_most = 1 << 20;
constexpr std::uint32_t workers_most = 64;
constexpr std::uint32_t queue_most = 10'000;
constexpr std::uint64_t bytes_most = std::uint64_t{1} << 60;
constexpr std::uint32_t days_most = 36'500;

std::optional<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warning") return LogLevel::warning;
  if (text == "error") return LogLevel::error;
  return std::nullopt;
}

// "HOST:PORT" or "unix:/path". Whether it can be had is for the server to find out.
bool is_address(const std::string& text) {
  if (text.rfind("unix:", 0) == 0) return text.size() > 6 && text[5] == '/';
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) return false;
  const std::string port = text.substr(colon + 1);
  const bool digits = port.find_first_not_of("0123456789") == std::string::npos;
  return digits && port.size() <= 5 && std::atoi(port.c_str()) <= 65535;
}

// "22:00-07:00", or to "24:00". One that ends when it begins could be all of the day or nothing.
std::optional<QuietSpan> parse_quiet_span(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto begin = parse_time_of_day(text.substr(0, dash));
  const auto end = parse_time_of_day(text.substr(dash + 1), true);
  if (!begin || !end || *begin == *end) return std::nullopt;
  return QuietSpan{*begin, *end};
}

// One document over one Config. Errors are collected by FieldReader, all of them.
class Reader {
 public:
  Reader(const Json& document, Config& config)
      : fields_(document, "", errors_), config_(config), settings_(config.settings) {}

  std::vector<FieldError> read() {
    listen();
    path("database", settings_.database);
    path("scratch_dir", settings_.scratch_dir);
    path("token_file", settings_.token_file);
    fields_.size("scratch_limit", api::size_range(0, bytes_most), settings_.scratch_limit_bytes);
    fields_.size("write_budget", api::size_range(0, bytes_most), settings_.write_budget_bytes);
    fields_.whole("workers", api::whole_range(1, workers_most), settings_.workers);
    fields_.whole("queue_limit", api::whole_range(1, queue_most), settings_.queue_limit);
    fields_.choice("log_level", parse_log_level, "debug, info, warning or error",
                   settings_.log_level);
    fields_.text("user", 32, config_.user);
    targets();
    allowed_hosts();
    quiet_hours();
    bool yields = settings_.yield_to_other_io != 0;
    fields_.boolean("yield_to_other_io", yields);
    settings_.yield_to_other_io = yields ? 1 : 0;
    retention();
    defaults();
    fields_.refuse_unknown();
    return std::move(errors_);
  }

 private:
  template <std::size_t N>
  void path(std::string_view name, std::array<char, N>& into) {
    const Json* value = fields_.find(name);
    if (value == nullptr) return;
    const bool sound = value->is_string() && value->get_ref<const std::string&>().size() < N &&
                       value->get_ref<const std::string&>().rfind('/', 0) == 0;
    if (!sound) return fields_.refuse(name, *value, "a path from / on");
    set_text(into, value->get_ref<const std::string&>());
  }

  // A list, or one string where only one is meant.
  std::vector<const Json*> list(std::string_view name, std::size_t most, bool& present) {
    const Json* value = fields_.find(name);
    present = value != nullptr;
    std::vector<const Json*> items;
    if (value == nullptr) return items;
    if (!value->is_array()) return {value};
    if (value->size() > most) {
      fields_.refuse(name, "at most " + std::to_string(most) + " entries");
      return items;
    }
    for (const Json& item : *value) items.push_back(&item);
    return items;
  }

  void listen() {
    bool present = false;
    const std::vector<const Json*> items = list("listen", max_listen, present);
    if (!present) return;
    if (items.empty()) return fields_.refuse("listen", "at least one address is needed");
    settings_.listen_count = 0;
    for (const Json* item : items) {
      const std::string name = item_name("listen", settings_.listen_count);
      const bool sound = item->is_string() && is_address(item->get_ref<const std::string&>()) &&
                         item->get_ref<const std::string&>().size() < settings_.listen[0].size();
      if (!sound)
        return fields_.refuse(name, *item,
                              "\"ADDRESS:PORT\", \"[ADDRESS]:PORT\" or \"unix:/PATH\"");
      set_text(settings_.listen[settings_.listen_count++], item->get_ref<const std::string&>());
    }
  }

  void targets() {
    bool present = false;
    const std::vector<const Json*> items = list("targets", max_allowed_targets, present);
    if (present) settings_.target_count = 0;
    for (const Json* item : items) {
      AllowedTarget target;
      const std::string name = item_name("targets", settings_.target_count);
      if (!item->is_object())
        return fields_.refuse(name, *item, "{\"path\": \"/dev/...\", \"write\": false}");
      api::FieldReader entry(*item, name + ".", errors_);
      std::string pattern;
      bool write = false, read_in_use = false;
      entry.text("path", target.pattern.size() - 1, pattern);
      entry.boolean("write", write);
      entry.boolean("read_in_use", read_in_use);
      entry.refuse_unknown();
      if (pattern.rfind('/', 0) != 0) entry.refuse("path", "a path or glob from / on is needed");
      set_text(target.pattern, pattern);
      target.write = write ? 1 : 0;
      target.read_in_use = read_in_use ? 1 : 0;
      settings_.targets[settings_.target_count++] = target;
    }
  }

  void allowed_hosts() {
    bool present = false;
    const std::vector<const Json*> items = list("allowed_hosts", max_allowed_hosts, present);
    if (present) settings_.host_count = 0;
    for (const Json* item : items) {
      const std::string name = item_name("allowed_hosts", settings_.host_count);
      const bool sound =
          item->is_string() && !item->get_ref<const std::string&>().empty() &&
          item->get_ref<const std::string&>().size() < settings_.allowed_hosts[0].size() &&
          item->get_ref<const std::string&>().find_first_of(" /\t\n") == std::string::npos;
      if (!sound) return fields_.refuse(name, *item, "a host's name");
      set_text(settings_.allowed_hosts[settings_.host_count++],
               item->get_ref<const std::string&>());
    }
  }

  void quiet_hours() {
    bool present = false;
    const std::vector<const Json*> items = list("quiet_hours", max_quiet_spans, present);
    if (present) settings_.quiet_count = 0;
    for (const Json* item : items) {
      const std::string name = item_name("quiet_hours", settings_.quiet_count);
      const auto span =
          item->is_string() ? parse_quiet_span(item->get_ref<const std::string&>()) : std::nullopt;
      if (!span) return fields_.refuse(name, *item, "a span of the day such as \"22:00-07:00\"");
      settings_.quiet_hours[settings_.quiet_count++] = *span;
    }
  }

  void retention() {
    const Json* value = fields_.find("retention");
    if (value == nullptr) return;
    if (!value->is_object())
      return fields_.refuse("retention", *value, "{\"samples_days\": 90, \"sweeps_days\": 0}");
    api::FieldReader entry(*value, "retention.", errors_);
    entry.whole("samples_days", api::whole_range(0, days_most), settings_.retention_samples_days);
    entry.whole("sweeps_days", api::whole_range(0, days_most), settings_.retention_sweeps_days);
    entry.refuse_unknown();
  }

  void defaults() {
    const Json* value = fields_.find("defaults");
    if (value == nullptr) return;
    if (!value->is_object()) return fields_.refuse("defaults", *value, "an object of sweep fields");
    try {
      static_cast<void>(api::parse_defaults(*value));
    } catch (const Error& error) {
      for (const FieldError& one : error.fields())
        errors_.push_back({"defaults." + one.field, one.message});
      if (error.fields().empty()) fields_.refuse("defaults", error.what());
    }
    const std::string text = value->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() >= settings_.defaults_json.size())
      return fields_.refuse("defaults", "longer than 4095 bytes");
    set_text(settings_.defaults_json, text);
  }

  static std::string item_name(const char* list, std::size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
  }

  std::vector<FieldError> errors_;
  api::FieldReader fields_;
  Config& config_;
  Settings& settings_;
};

// An empty file works, and so does one of comments alone.
bool is_blank(const std::string& text) {
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos) {
    if (text.compare(at, 2, "//") != 0) return false;
    at = std::min(text.find('\n', at), text.size());
  }
  return true;
}

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
  throw Error(ErrorCode::invalid, file + ": " + why);
}

// The reader says "line 3, column 7: why"; files are quoted as compilers do.
[[noreturn]] void rethrow_syntax(const std::string& file, const std::string& what) {
  constexpr std::string_view start = "line ";
  const std::size_t comma = what.find(", ");
  if (what.compare(0, start.size(), start) != 0 || comma == std::string::npos)
    refuse_file(file, what);
  refuse_file(file + ":" + what.substr(start.size(), comma - start.size()), what.substr(comma + 2));
}

// Who may write this file decides which disks may be destroyed.
std::string read_guarded(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) refuse_file(path, std::strerror(errno));
  struct stat info {};
  std::string text, trouble;
  if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
    trouble = "not a regular file";
  } else if (info.st_uid != 0 && info.st_uid != geteuid()) {
    trouble = "belongs to somebody else; chown it to root or to the user that starts iobenchd";
  } else if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    trouble = "writable by group or others; chmod go-w " + path;
  } else if (static_cast<std::size_t>(info.st_size) > file_bytes_most) {
    trouble = "longer than 1 MiB";
  }
  std::array<char, 16384> part{};
  ssize_t length = 0;
  while (trouble.empty() && text.size() <= file_bytes_most &&
         (length = read(descriptor, part.data(), part.size())) > 0)
    text.append(part.data(), static_cast<std::size_t>(length));
  if (length < 0) trouble = std::strerror(errno);
  close(descriptor);
  if (!trouble.empty()) refuse_file(path, trouble);
  return text;
}

std::string home_state_dir() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/')
    return std::string(state) + "/iobenchd";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::string(home) + "/.local/state/iobenchd";
  const passwd* entry = getpwuid(geteuid());
  return std::string(entry != nullptr ? entry->pw_dir : "") + "/.local/state/iobenchd";
}

void apply_override(const std::string& override, Config& config) {
  const std::size_t equals = override.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(ErrorCode::invalid, "-o " + override + ": key=value is needed");
  const std::string key = override.substr(0, equals), value = override.substr(equals + 1);
  Json document = Json::object();
  try {
    document[key] = api::parse_strict(value);
  } catch (const Error&) {
    document[key] = value;  // a bare word is text
  }
  const std::vector<FieldError> errors = Reader(document, config).read();
  if (errors.empty()) return;
  throw Error(ErrorCode::invalid, "-o " + errors.front().field + ": " + errors.front().message);
}

}  // namespace

Config default_config(bool as_service) {
  Config config;
  Settings& settings = config.settings;
  const platform::Places places = platform::service_places();
  const std::string state = as_service ? places.state_dir : home_state_dir();
  set_text(settings.listen[settings.listen_count++], "127.0.0.1:8464");
  if (as_service)
    set_text(settings.listen[settings.listen_count++], "unix:" + places.run_dir + "/iobenchd.sock");
  set_text(settings.database, state + "/iobenchd.db");
  set_text(settings.scratch_dir, state + "/scratch");
  settings.started_as_root = as_service ? 1 : 0;
  return config;
}

Config parse_config(const std::string& text, const std::string& file, Config base) {
  base.file = file;
  if (is_blank(text)) return base;
  Json document;
  try {
    document = api::parse_strict(text, true);
  } catch (const Error& error) {
    rethrow_syntax(file, error.what());
  }
  if (!document.is_object()) refuse_file(file + ":1", "an object { ... } is needed");
  const std::vector<FieldError> errors = Reader(document, base).read();
  if (errors.empty()) return base;
  const FieldError& first = errors.front();
  const std::size_t line = line_of(config_lines(text), first.field);
  refuse_file(file + ":" + std::to_string(line), first.field + ": " + first.message);
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  Config config = default_config(geteuid() == 0);
  const bool found = access(default_config_file, F_OK) == 0;
  const std::string file = path.empty() && found ? default_config_file : path;
  if (!file.empty()) config = parse_config(read_guarded(file), file, config);
  for (const std::string& override : overrides) apply_override(override, config);
  return config;
}

std::vector<std::string> keep_for_restart(Config& fresh, const Config& running) {
  std::vector<std::string> changed;
  Settings& now = fresh.settings;
  const Settings& before = running.settings;
  if (now.listen != before.listen || now.listen_count != before.listen_count)
    changed.emplace_back("listen");
  if (now.database != before.database) changed.emplace_back("database");
  if (now.scratch_dir != before.scratch_dir) changed.emplace_back("scratch_dir");
  if (fresh.user != running.user) changed.emplace_back("user");
  now.listen = before.listen;
  now.listen_count = before.listen_count;
  now.database = before.database;
  now.scratch_dir = before.scratch_dir;
  fresh.user = running.user;
  return changed;
}

}  // namespace iobenchd
