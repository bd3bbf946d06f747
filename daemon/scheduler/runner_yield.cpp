// How a runner makes room for others on the disk, and waits until they are done.
#include <spdlog/spdlog.h>

#include "daemon/scheduler/plan_target.h"
#include "daemon/scheduler/runner.h"

namespace iobenchd::scheduler {

constexpr std::uint32_t most_yields = 5;  // of one point

std::optional<OtherIo> Runner::watch_others() const {
  if (!judgement_.yields) return std::nullopt;
  // A write that has to be on the medium takes its filesystem's journal along: of a file's I/O only
  // the reads can be told from others'.
  const Workload& workload = sweep_.spec.workload;
  const bool journalled =
      !is_device(judgement_.facts) && (workload.fsync > 0 || workload.sync != Sync::none);
  return OtherIo(in_.machine, leaves_of(judgement_.facts), in_.timing.yield_round, journalled);
}

// A stop that the user or the daemon wanted as well is theirs.
void Runner::note_yield(const OtherIo& others, const MeasureResult& result) {
  yielded_.clear();
  if (result.end != RunEnd::stopped || stopping() || !others.disturbed()) return;
  yielded_ =
      fmt::format("{}others did {:.0f} I/O/s on the disk", yielded_text, others.others_per_s());
}

void Runner::yield_to_others(const PlannedRun& planned) {
  const std::string point = point_text(planned.setting);
  spdlog::info("sweep {}: {}: {}", sweep_.id, point, yielded_);
  if (++yields_[planned] >= most_yields)
    throw SweepFailure{fmt::format(
        "{} made room for others {} times (yield_to_other_io), and they don't stop: at last {}; "
        "measure when the machine is quiet, or beside them without yield_to_other_io",
        point, most_yields, yielded_.substr(yielded_text.size()))};
  yielded_.clear();
  wait_for_quiet(planned.setting);
}

void Runner::wait_for_quiet(const Setting& setting) {
  board_.enter(SweepPhase::yielding, setting);
  std::optional<OtherIo> others = watch_others();
  while (others && !others->blind() && others->quiet_for() < in_.timing.yield_quiet) {
    rest(in_.timing.yield_round);
    others->notice(0, 0);
  }
  spdlog::info("sweep {}: the disk is quiet; {} is measured again", sweep_.id, point_text(setting));
}

}  // namespace iobenchd::scheduler
