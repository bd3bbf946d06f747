#include "storage/database.h"
#include "storage/identity.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

Error no_such_schedule(std::int64_t id) {
  return Error(ErrorCode::not_found, "there is no schedule " + std::to_string(id));
}

// All but what never changes.
void bind_schedule(Statement& statement, const SweepSchedule& schedule) {
  bind_spec(statement, schedule.spec);
  std::optional<std::int64_t> since_ns, sweep_id;
  std::optional<std::string> sentence;
  if (schedule.regression) {
    since_ns = schedule.regression->since_ns;
    sweep_id = schedule.regression->sweep_id;
    sentence = schedule.regression->sentence;
  }
  statement.bind("schedule_label", schedule.label)
      .bind("every_ns", schedule.when.every_ns)
      .bind("daily_minute", schedule.when.daily_minute)
      .bind("jitter_ns", schedule.when.jitter_ns)
      .bind("max_load", schedule.max_load)
      .bind("paused", schedule.paused)
      .bind("anchor_ns", schedule.anchor_ns)
      .bind("due_at_ns", schedule.due_at_ns)
      .bind("next_at_ns", schedule.next_at_ns)
      .bind("last_at_ns", schedule.last_at_ns)
      .bind("last_sweep_id", schedule.last_sweep_id)
      .bind("last_outcome", to_string(schedule.last_outcome))
      .bind("last_error", schedule.last_error)
      .bind("missed", schedule.missed)
      .bind("judged_after_id", schedule.judged_after_id)
      .bind("regression_since_ns", since_ns)
      .bind("regression_sweep_id", sweep_id)
      .bind("regression_sentence", sentence);
}

SweepSchedule read_schedule(Statement& row) {
  SweepSchedule schedule;
  schedule.id = row.integer("id");
  schedule.spec = read_spec(row);
  schedule.label = row.text("schedule_label");
  schedule.when.every_ns = row.unsigned64("every_ns");
  if (!row.is_null("daily_minute")) schedule.when.daily_minute = row.unsigned32("daily_minute");
  schedule.when.jitter_ns = row.unsigned64("jitter_ns");
  if (!row.is_null("max_load")) schedule.max_load = row.real("max_load");
  schedule.paused = row.boolean("paused");
  schedule.seed = row.unsigned64("jitter_seed");
  schedule.created_at_ns = row.integer("created_at_ns");
  schedule.anchor_ns = row.integer("anchor_ns");
  schedule.due_at_ns = row.integer("due_at_ns");
  schedule.next_at_ns = row.integer("next_at_ns");
  schedule.last_at_ns = row.integer("last_at_ns");
  schedule.last_sweep_id = row.integer("last_sweep_id");
  schedule.last_outcome = word(row, "last_outcome", parse_last_outcome);
  schedule.last_error = row.text("last_error");
  schedule.missed = row.unsigned64("missed");
  schedule.judged_after_id = row.integer("judged_after_id");
  if (!row.is_null("regression_since_ns"))
    schedule.regression =
        Regression{row.integer("regression_since_ns"), row.integer("regression_sweep_id"),
                   row.text("regression_sentence")};
  return schedule;
}

}  // namespace

ScheduleStore::ScheduleStore(Database& database, WallClock now)
    : database_(database), now_(std::move(now)) {}

SweepSchedule ScheduleStore::create(SweepSchedule schedule) {
  schedule.created_at_ns = now_();
  schedule.seed = random_seed();
  database_.write_new([&](Connection& connection) {
    Statement insert(connection, R"sql(
    INSERT INTO schedules (preset, label, target, size_bytes, offset_bytes, rw, bs, iodepth,
                           numjobs, numjobs_auto, runtime_ns, ramp_time_ns, repeats,
                           repeats_most, repeats_auto, ci_percent, steady_rounds,
                           steady_round_ns, precondition, "order", ioengine, direct, thread,
                           refine, keep_file, batch_submit, batch_complete, seed, layout,
                           cooldown_ns, latency_limit_statistic, latency_limit_ns, on_restart,
                           cpus_allowed, confirm, rwmixread, rate_iops, rate_process,
                           io_size_bytes, fsync, sync, norandommap, random_distribution,
                           buffer_compress_percentage, hipri, verify, yield_to_other_io,
                           schedule_label, every_ns, daily_minute, jitter_ns, max_load, paused,
                           jitter_seed, created_at_ns, anchor_ns, due_at_ns, next_at_ns,
                           last_at_ns, last_sweep_id, last_outcome, last_error, missed,
                           judged_after_id, regression_since_ns, regression_sweep_id,
                           regression_sentence)
    VALUES (:preset, :label, :target, :size_bytes, :offset_bytes, :rw, :bs, :iodepth, :numjobs,
            :numjobs_auto, :runtime_ns, :ramp_time_ns, :repeats, :repeats_most, :repeats_auto,
            :ci_percent, :steady_rounds, :steady_round_ns, :precondition, :order, :ioengine,
            :direct, :thread, :refine, :keep_file, :batch_submit, :batch_complete, :seed,
            :layout, :cooldown_ns, :latency_limit_statistic, :latency_limit_ns, :on_restart,
            :cpus_allowed, :confirm, :rwmixread, :rate_iops, :rate_process, :io_size_bytes,
            :fsync, :sync, :norandommap, :random_distribution, :buffer_compress_percentage,
            :hipri, :verify, :yield_to_other_io, :schedule_label, :every_ns, :daily_minute,
            :jitter_ns, :max_load, :paused, :jitter_seed, :created_at_ns, :anchor_ns,
            :due_at_ns, :next_at_ns, :last_at_ns, :last_sweep_id, :last_outcome, :last_error,
            :missed, :judged_after_id, :regression_since_ns, :regression_sweep_id,
            :regression_sentence))sql");
    bind_schedule(insert, schedule);
    insert.bind("jitter_seed", schedule.seed).bind("created_at_ns", schedule.created_at_ns).run();
    schedule.id = connection.last_insert_id();
  });
  return schedule;
}

std::vector<SweepSchedule> ScheduleStore::list() {
  return database_.read([&](Connection& connection) {
    Statement row(connection, R"sql(
    SELECT id, preset, label, target, size_bytes, offset_bytes, rw, bs, iodepth, numjobs,
           numjobs_auto, runtime_ns, ramp_time_ns, repeats, repeats_most, repeats_auto,
           ci_percent, steady_rounds, steady_round_ns, precondition, "order", ioengine, direct,
           thread, refine, keep_file, batch_submit, batch_complete, seed, layout, cooldown_ns,
           latency_limit_statistic, latency_limit_ns, on_restart, cpus_allowed, confirm,
           rwmixread, rate_iops, rate_process, io_size_bytes, fsync, sync, norandommap,
           random_distribution, buffer_compress_percentage, hipri, verify, yield_to_other_io,
           schedule_label, every_ns, daily_minute, jitter_ns, max_load, paused, jitter_seed,
           created_at_ns, anchor_ns, due_at_ns, next_at_ns, last_at_ns, last_sweep_id,
           last_outcome, last_error, missed, judged_after_id, regression_since_ns,
           regression_sweep_id, regression_sentence
      FROM schedules
     ORDER BY id DESC)sql");
    std::vector<SweepSchedule> schedules;
    while (row.step()) schedules.push_back(read_schedule(row));
    return schedules;
  });
}

void ScheduleStore::change(const SweepSchedule& schedule) {
  database_.write([&](Connection& connection) {
    Statement update(connection, R"sql(
    UPDATE schedules
       SET preset = :preset, label = :label, target = :target, size_bytes = :size_bytes,
           offset_bytes = :offset_bytes, rw = :rw, bs = :bs, iodepth = :iodepth,
           numjobs = :numjobs, numjobs_auto = :numjobs_auto, runtime_ns = :runtime_ns,
           ramp_time_ns = :ramp_time_ns, repeats = :repeats, repeats_most = :repeats_most,
           repeats_auto = :repeats_auto, ci_percent = :ci_percent,
           steady_rounds = :steady_rounds, steady_round_ns = :steady_round_ns,
           precondition = :precondition, "order" = :order, ioengine = :ioengine,
           direct = :direct, thread = :thread, refine = :refine, keep_file = :keep_file,
           batch_submit = :batch_submit, batch_complete = :batch_complete, seed = :seed,
           layout = :layout, cooldown_ns = :cooldown_ns,
           latency_limit_statistic = :latency_limit_statistic,
           latency_limit_ns = :latency_limit_ns, on_restart = :on_restart,
           cpus_allowed = :cpus_allowed, confirm = :confirm, rwmixread = :rwmixread,
           rate_iops = :rate_iops, rate_process = :rate_process, io_size_bytes = :io_size_bytes,
           fsync = :fsync, sync = :sync, norandommap = :norandommap,
           random_distribution = :random_distribution,
           buffer_compress_percentage = :buffer_compress_percentage, hipri = :hipri,
           verify = :verify, yield_to_other_io = :yield_to_other_io,
           schedule_label = :schedule_label, every_ns = :every_ns, daily_minute = :daily_minute,
           jitter_ns = :jitter_ns, max_load = :max_load, paused = :paused,
           anchor_ns = :anchor_ns, due_at_ns = :due_at_ns, next_at_ns = :next_at_ns,
           last_at_ns = :last_at_ns, last_sweep_id = :last_sweep_id,
           last_outcome = :last_outcome, last_error = :last_error, missed = :missed,
           judged_after_id = :judged_after_id, regression_since_ns = :regression_since_ns,
           regression_sweep_id = :regression_sweep_id,
           regression_sentence = :regression_sentence
     WHERE id = :id)sql");
    bind_schedule(update, schedule);
    update.bind("id", schedule.id).run();
    if (connection.changes() == 0) throw no_such_schedule(schedule.id);
  });
}

void ScheduleStore::remove(std::int64_t id) {
  database_.write([&](Connection& connection) {
    Statement(connection, "DELETE FROM schedules WHERE id = :id").bind("id", id).run();
    if (connection.changes() == 0) throw no_such_schedule(id);
  });
}

}  // namespace iobenchd::storage
