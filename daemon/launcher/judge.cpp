#include "daemon/launcher/judge.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "daemon/model/load.h"

namespace iobenchd::launcher {
namespace {

bool is_device(const TargetFacts& facts) {
  return facts.kind == TargetKind::block_device || facts.kind == TargetKind::raw_device;
}

std::string directory_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

std::string refuse_kind(const TargetFacts& facts, const std::string& path, bool write) {
  switch (facts.kind) {
    case TargetKind::missing:
      return path + " does not exist";
    case TargetKind::directory:
      return path + " is a directory; name a file or a device";
    case TargetKind::other:
      return path + " is neither a disk nor a regular file";
    case TargetKind::regular_file:
      if (write) return path + " exists; a file that iobenchd didn't make is never written";
      return {};
    case TargetKind::block_device:
    case TargetKind::raw_device:
      return {};
  }
  return path + " is of no known kind";
}

std::string refuse_identity(const TargetFacts& facts, const OpenRun& request,
                            const std::string& path) {
  if (request.expected_device != 0 && request.expected_device != facts.device)
    return path + " is another device than the one that was asked for";
  if (request.expected_inode != 0 && request.expected_inode != facts.inode)
    return path + " was replaced since the sweep was planned";
  if (request.expected_bytes != 0 && request.expected_bytes != facts.size_bytes)
    return path + " has " + std::to_string(facts.size_bytes) + " bytes, not the " +
           std::to_string(request.expected_bytes) + " it was planned with";
  return {};
}

// Writing to a device destroys what is on it: the configuration, the confirmation and the disk's
// own state must all agree.
std::string refuse_write(const TargetFacts& facts, const OpenRun& request,
                         const AllowedTarget& allowed, const std::string& path) {
  if (allowed.write == 0)
    return path +
           " may be read only; \"write\": true in `targets` of the configuration allows more";
  if (facts.in_use != 0) return path + " is in use: " + text_of(facts.use);
  if (text_of(request.confirm) != confirm_phrase(facts))
    return "writing to " + path + " needs \"confirm\": \"" + confirm_phrase(facts) + "\"";
  return {};
}

}  // namespace

const AllowedTarget* find_allowed(const Settings& settings, const std::string& real_path) {
  for (std::uint32_t i = 0; i < settings.target_count && i < max_allowed_targets; ++i) {
    const AllowedTarget& target = settings.targets[i];
    if (fnmatch(text_of(target.pattern).c_str(), real_path.c_str(), FNM_PATHNAME) == 0)
      return &target;
  }
  return nullptr;
}

bool is_scratch_name(const std::string& name) {
  constexpr std::string_view start = "iobenchd-";
  if (name.compare(0, start.size(), start) != 0 || name.size() == start.size()) return false;
  return name.size() < 200 && std::all_of(name.begin(), name.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '.' || c == '_';
         });
}

std::string refuse_request(const OpenRun& request) {
  if (request.descriptors < 1 || request.descriptors > max_engine_threads)
    return "descriptors: 1 to " + std::to_string(max_engine_threads);
  if (request.files < 1 || request.files > request.descriptors)
    return "files: 1 to the number of descriptors";
  const bool flags =
      request.scratch <= 1 && request.create <= 1 && request.write <= 1 && request.direct <= 1;
  if (!flags) return "a flag is neither 0 nor 1";
  if (request.sync > Sync::dsync) return "sync: none, sync or dsync";
  const std::string name = text_of(request.name);
  if (request.scratch != 0)
    return is_scratch_name(name) ? "" : "a scratch file's name starts with iobenchd-";
  if (request.create != 0 || request.files != 1) return "only scratch files are made";
  if (name.empty() || name[0] != '/') return "a target's path starts with /";
  return {};
}

std::string refuse_target(const TargetFacts& facts, const OpenRun& request,
                          const Settings& settings, bool own_exclusive) {
  const std::string real_path = text_of(facts.real_path);
  const std::string path = real_path.empty() ? text_of(facts.path) : real_path;
  const AllowedTarget* allowed = find_allowed(settings, path);
  const bool in_scratch = directory_of(path) == text_of(settings.scratch_dir);
  if (allowed == nullptr && !in_scratch)
    return path + " is neither in the scratch directory (" + text_of(settings.scratch_dir) +
           ") nor allowed by `targets` of the configuration";
  TargetFacts judged = facts;
  if (own_exclusive && text_of(facts.use) == exclusive_use) judged.in_use = 0;
  if (std::string why = refuse_kind(judged, path, request.write != 0); !why.empty()) return why;
  if (std::string why = refuse_identity(judged, request, path); !why.empty()) return why;
  if (!is_device(judged)) return {};
  if (allowed == nullptr) return path + " is a device, and `targets` does not allow it";
  if (request.write != 0) return refuse_write(judged, request, *allowed, path);
  if (judged.in_use != 0 && allowed->read_in_use == 0)
    return path + " is in use (" + text_of(judged.use) +
           "); \"read_in_use\": true in `targets` allows reading it nevertheless";
  return {};
}

}  // namespace iobenchd::launcher
