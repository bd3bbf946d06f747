#include "daemon/model/settings.h"

#include <algorithm>
#include <string>

#include "daemon/model/error.h"

namespace iobenchd {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::internal, "settings: " + what);
}

template <std::size_t N>
void check_terminated(const std::array<char, N>& field, const char* name) {
  if (std::find(field.begin(), field.end(), '\0') == field.end())
    refuse(std::string(name) + " has no end");
}

}  // namespace

void check_settings(const Settings& settings) {
  if (settings.version != settings_version) refuse("version is not ours");
  if (settings.listen_count < 1 || settings.listen_count > max_listen)
    refuse("listen_count is out of range");
  if (settings.target_count > max_allowed_targets) refuse("target_count is over its limit");
  if (settings.host_count > max_allowed_hosts) refuse("host_count is over its limit");
  if (settings.quiet_count > max_quiet_spans) refuse("quiet_count is over its limit");
  for (const QuietSpan& span : settings.quiet_hours)
    if (span.begin_minute > 1439 || span.end_minute > 1440)
      refuse("a quiet span is no time of day");
  if (settings.workers < 1 || settings.queue_limit < 1) refuse("workers or queue_limit is 0");
  if (static_cast<std::uint32_t>(settings.log_level) > static_cast<std::uint32_t>(LogLevel::error))
    refuse("log_level is none");
  if (settings.started_as_root > 1) refuse("started_as_root is neither 0 nor 1");
  if (settings.yield_to_other_io > 1) refuse("yield_to_other_io is neither 0 nor 1");
  for (const auto& address : settings.listen) check_terminated(address, "listen");
  for (const auto& host : settings.allowed_hosts) check_terminated(host, "allowed_hosts");
  for (const auto& target : settings.targets) {
    check_terminated(target.pattern, "targets");
    if (target.write > 1 || target.read_in_use > 1) refuse("a target's flag is neither 0 nor 1");
  }
  check_terminated(settings.database, "database");
  check_terminated(settings.scratch_dir, "scratch_dir");
  check_terminated(settings.token_file, "token_file");
  check_terminated(settings.defaults_json, "defaults_json");
  if (settings.database[0] == '\0' || settings.scratch_dir[0] == '\0')
    refuse("database or scratch_dir is empty");
}

}  // namespace iobenchd
