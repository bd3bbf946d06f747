#include "daemon/scheduler/plan_target.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/model/error.h"

namespace iobenchd::scheduler {
namespace {

std::string resolved(const TargetFacts& facts) {
  const std::string real = text_of(facts.real_path);
  return real.empty() ? text_of(facts.path) : real;
}

bool in_directory(const std::string& path, const std::string& directory) {
  return !directory.empty() && path.substr(0, path.find_last_of('/')) == directory;
}

std::string entry_for(const std::string& path, const char* key) {
  return "{\"path\": \"" + path + "\"" +
         (*key == '\0' ? "" : std::string(", \"") + key + "\": true") +
         "} in \"targets\" of iobenchd.conf";
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream rest(text);
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

void judge_scratch(const TargetFacts& facts, const Settings& settings) {
  const std::string path = text_of(settings.scratch_dir);
  if (facts.kind == TargetKind::directory && facts.error_number == 0) return;
  const std::string why = facts.error_number != 0
                              ? std::generic_category().message(facts.error_number)
                          : facts.kind == TargetKind::missing ? std::string("it doesn't exist")
                                                              : std::string("it is no directory");
  throw Error(ErrorCode::unavailable, "the scratch directory " + path + " can't be used: " + why +
                                          "; see \"scratch_dir\" in iobenchd.conf");
}

void judge_device_use(const SweepSpec& spec, const TargetFacts& facts,
                      const AllowedTarget& allowed) {
  const std::string path = text_of(facts.path);
  if (writes_any(spec) && allowed.write == 0)
    throw Error(ErrorCode::forbidden, "target",
                path + " may only be read; to allow destroying what is on it, say " +
                    entry_for(path, "write"));
  if (facts.in_use == 0) return;
  if (writes_any(spec))
    throw Error(ErrorCode::forbidden, "target",
                path + " is in use (" + text_of(facts.use) +
                    ") and is never written; unmount or release it first");
  if (allowed.read_in_use == 0)
    throw Error(ErrorCode::forbidden, "target",
                path + " is in use (" + text_of(facts.use) +
                    "); to allow reading it nevertheless, say " + entry_for(path, "read_in_use"));
}

}  // namespace

bool is_device(const TargetFacts& facts) noexcept {
  return facts.kind == TargetKind::block_device || facts.kind == TargetKind::raw_device;
}

bool writes_any(const SweepSpec& spec) noexcept {
  return spec.precondition ||
         std::any_of(spec.rw.begin(), spec.rw.end(), [](Rw rw) { return writes(rw); });
}

bool overwrites_device(const SweepSpec& spec, const TargetFacts& facts) noexcept {
  return is_device(facts) && writes_any(spec);
}

const AllowedTarget* find_allowed(const Settings& settings, const std::string& path) {
  for (std::uint32_t i = 0; i < settings.target_count && i < max_allowed_targets; ++i) {
    const AllowedTarget& target = settings.targets[i];
    if (fnmatch(text_of(target.pattern).c_str(), path.c_str(), FNM_PATHNAME) == 0) return &target;
  }
  return nullptr;
}

void judge_target(const SweepSpec& spec, const TargetFacts& facts,
                  std::vector<FieldError>& errors) {
  if (spec.target.empty()) return;
  const std::string& path = spec.target;
  if (facts.kind == TargetKind::directory) {
    errors.push_back({"target", path +
                                    " is a directory; name a disk or a file, or leave target out "
                                    "for a scratch file"});
  } else if (facts.kind == TargetKind::other) {
    errors.push_back({"target", path + " is neither a disk nor a regular file"});
  } else if (facts.kind == TargetKind::regular_file && writes_any(spec)) {
    errors.push_back({"target", path + " is a file the daemon didn't create, and is never written; "
                                       "leave target out to write to a scratch file"});
  }
}

void judge_permission(const SweepSpec& spec, const TargetFacts& facts, const Settings& settings,
                      const Ability& ability) {
  if (spec.target.empty()) return judge_scratch(facts, settings);
  const std::string path = resolved(facts);
  const AllowedTarget* const allowed = find_allowed(settings, path);
  const bool in_scratch = in_directory(path, ability.scratch_real_dir);
  if (allowed == nullptr && (!in_scratch || is_device(facts)))
    throw Error(ErrorCode::forbidden, "target",
                spec.target + (path == spec.target ? "" : " (really " + path + ")") +
                    " is neither in the scratch directory (" + text_of(settings.scratch_dir) +
                    ") nor allowed; to allow it, say " + entry_for(path, ""));
  if (facts.kind == TargetKind::missing || facts.error_number != 0) {
    const std::string why =
        facts.error_number == 0 || facts.error_number == ENOENT ? std::string("doesn't exist")
        : facts.error_number == ETIMEDOUT
            ? std::string("didn't answer within 5 s")
            : "can't be opened: " + std::generic_category().message(facts.error_number);
    throw Error(ErrorCode::invalid, "target", spec.target + " " + why);
  }
  if (allowed != nullptr && is_device(facts)) judge_device_use(spec, facts, *allowed);
}

std::string overwrite_text(const Sweep& sweep, storage::Store& store) {
  constexpr std::int64_t day_ns = std::int64_t{24} * 3600 * 1'000'000'000;
  const std::uint64_t of_day =
      store.sweeps().planned_writes(sweep.plan.target, sweep.created_at_ns - day_ns);
  return "sweep " + std::to_string(sweep.id) + " overwrites " + sweep.plan.target + " (" +
         sweep.spec.confirm + "): " + std::to_string(sweep.plan.write_bytes) +
         " bytes are planned, with what the last 24 h had " + std::to_string(of_day);
}

void judge_confirmation(const SweepSpec& spec, const TargetFacts& facts) {
  if (!overwrites_device(spec, facts)) return;
  Destruction gone;
  gone.confirm = confirm_phrase(facts);
  if (spec.confirm == gone.confirm) return;
  gone.path = spec.target;
  gone.model = text_of(facts.model);
  gone.serial = text_of(facts.serial);
  gone.size_bytes = facts.size_bytes;
  if (facts.signatures_known != 0) gone.signatures = words_of(text_of(facts.signatures));
  std::string text = "writing destroys everything on " + gone.path + ": " +
                     (gone.model.empty() ? "a disk of unknown model" : gone.model) + ", " +
                     (gone.serial.empty() ? "no serial number" : "serial " + gone.serial) + ", " +
                     std::to_string(gone.size_bytes) + " bytes";
  if (gone.signatures && !gone.signatures->empty()) {
    text += ", on it";
    for (const std::string& signature : *gone.signatures) text += " " + signature;
  }
  text += "; if that is what you want, add \"confirm\": \"" + gone.confirm + "\"";
  throw Error(ErrorCode::confirmation_needed, "confirm", text, std::move(gone));
}

}  // namespace iobenchd::scheduler
