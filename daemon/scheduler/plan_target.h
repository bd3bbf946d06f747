// May this sweep use this target? The half of the judgement that is about permission. Pure but for
// overwrite_text, which asks the store; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/model/settings.h"
#include "daemon/model/sweep.h"
#include "daemon/model/target.h"
#include "daemon/scheduler/plan.h"
#include "storage/store.h"

namespace iobenchd::scheduler {

[[nodiscard]] bool is_device(const TargetFacts& facts) noexcept;
[[nodiscard]] bool writes_any(const SweepSpec& spec) noexcept;
[[nodiscard]] bool overwrites_device(const SweepSpec& spec, const TargetFacts& facts) noexcept;

// What is wrong with a target that may be asked about: added to `errors`.
void judge_target(const SweepSpec& spec, const TargetFacts& facts, std::vector<FieldError>& errors);

// Throws Error{forbidden} with the cure; Error{unavailable} where the scratch directory is broken.
void judge_permission(const SweepSpec& spec, const TargetFacts& facts, const Settings& settings,
                      const Ability& ability);

// Throws Error{confirmation_needed}, saying what would be destroyed.
void judge_confirmation(const SweepSpec& spec, const TargetFacts& facts);

// "sweep 12 overwrites /dev/sdb (destroy Fast S1 1.0 GB): 4096 bytes are planned, ...".
[[nodiscard]] std::string overwrite_text(const Sweep& sweep, storage::Store& store);

}  // namespace iobenchd::scheduler
