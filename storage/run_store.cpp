#include <algorithm>

#include "daemon/model/failpoint.h"
#include "storage/database.h"
#include "storage/identity.h"
#include "storage/pages.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

constexpr const char* summaries = R"sql(
    SELECT id, sweep_id, rw, block_bytes, iodepth, numjobs, repeat, is_drift_check, state,
           started_at_ns, finished_at_ns, error, target, serial, model, host, ioengine, direct,
           engine_flags, iops, bandwidth_bytes_per_s, latency_mean_ns, latency_min_ns,
           latency_p50_ns, latency_p90_ns, latency_p99_ns, latency_p99_9_ns, latency_p99_99_ns,
           latency_max_ns, concurrency, depth_attained, cpu_user_percent, cpu_system_percent,
           cpu_per_io_ns, load_average, wakeup_delay_p99_ns, measured_seconds
      FROM runs)sql";

// The row every run has from its beginning, with what is known then; the figures follow.
std::int64_t insert_run(Connection& connection, const Run& run) {
  const Circumstances& c = run.circumstances;
  Statement insert(connection, R"sql(
    INSERT INTO runs (sweep_id, circumstances_id, rw, block_bytes, iodepth, numjobs, repeat,
                      is_drift_check, state, started_at_ns, finished_at_ns, error, seed, label,
                      origin, target, serial, model, host, ioengine, direct, engine_flags, iops,
                      bandwidth_bytes_per_s, latency_mean_ns, latency_min_ns, latency_p50_ns,
                      latency_p90_ns, latency_p99_ns, latency_p99_9_ns, latency_p99_99_ns,
                      latency_max_ns, concurrency, depth_attained, cpu_user_percent,
                      cpu_system_percent, cpu_per_io_ns, load_average, wakeup_delay_p99_ns,
                      measured_seconds)
    SELECT id, :circumstances_id, :rw, :block_bytes, :iodepth, :numjobs, :repeat,
           :is_drift_check, 'running', :started_at_ns, 0, '', :seed, label,
           origin, :target, :serial, :model, :host, :ioengine, :direct, 0, 0,
           0, 0, 0, 0,
           0, 0, 0, 0,
           0, 0, 0, 0,
           0, 0, -1, 0,
           0
      FROM sweeps
     WHERE id = :sweep_id)sql");
  insert.bind("circumstances_id", keep_circumstances(connection, c))
      .bind("rw", to_string(run.setting.rw))
      .bind("block_bytes", run.setting.block_bytes)
      .bind("iodepth", run.setting.iodepth)
      .bind("numjobs", run.setting.numjobs)
      .bind("repeat", run.repeat)
      .bind("is_drift_check", run.is_drift_check)
      .bind("started_at_ns", run.started_at_ns)
      .bind("seed", run.seed)
      .bind("target", c.target)
      .bind("serial", c.serial)
      .bind("model", c.model)
      .bind("host", c.host)
      .bind("ioengine", to_string(run.measurement.ioengine))
      .bind("direct", run.measurement.direct)
      .bind("sweep_id", run.sweep_id)
      .run();
  if (connection.changes() == 0) {
    throw Error(ErrorCode::not_found, "there is no sweep " + std::to_string(run.sweep_id));
  }
  return connection.last_insert_id();
}

void bind_summary(Statement& update, const RunSummary& summary) {
  update.bind("target", summary.target)
      .bind("serial", summary.serial)
      .bind("model", summary.model)
      .bind("host", summary.host)
      .bind("ioengine", to_string(summary.ioengine))
      .bind("direct", summary.direct)
      .bind("engine_flags", summary.engine_flags)
      .bind("iops", summary.iops)
      .bind("bandwidth_bytes_per_s", summary.bandwidth_bytes_per_s)
      .bind("latency_mean_ns", summary.latency_mean_ns)
      .bind("latency_min_ns", summary.latency_min_ns)
      .bind("latency_p50_ns", summary.latency_p50_ns)
      .bind("latency_p90_ns", summary.latency_p90_ns)
      .bind("latency_p99_ns", summary.latency_p99_ns)
      .bind("latency_p99_9_ns", summary.latency_p99_9_ns)
      .bind("latency_p99_99_ns", summary.latency_p99_99_ns)
      .bind("latency_max_ns", summary.latency_max_ns)
      .bind("concurrency", summary.concurrency)
      .bind("depth_attained", summary.depth_attained)
      .bind("cpu_user_percent", summary.cpu_user_percent)
      .bind("cpu_system_percent", summary.cpu_system_percent)
      .bind("cpu_per_io_ns", summary.cpu_per_io_ns)
      .bind("load_average", summary.load_average)
      .bind("wakeup_delay_p99_ns", summary.wakeup_delay_p99_ns)
      .bind("measured_seconds", summary.measured_seconds);
}

// Fills the row of a running run. False: it isn't running (any more).
bool complete_run(Connection& connection, const Run& run, const RunSummary& summary) {
  Statement update(connection, R"sql(
    UPDATE runs
       SET circumstances_id = :circumstances_id, state = :state, started_at_ns = :started_at_ns,
           finished_at_ns = :finished_at_ns, error = :error, seed = :seed, target = :target,
           serial = :serial, model = :model, host = :host, ioengine = :ioengine, direct = :direct,
           engine_flags = :engine_flags, iops = :iops,
           bandwidth_bytes_per_s = :bandwidth_bytes_per_s, latency_mean_ns = :latency_mean_ns,
           latency_min_ns = :latency_min_ns, latency_p50_ns = :latency_p50_ns,
           latency_p90_ns = :latency_p90_ns, latency_p99_ns = :latency_p99_ns,
           latency_p99_9_ns = :latency_p99_9_ns, latency_p99_99_ns = :latency_p99_99_ns,
           latency_max_ns = :latency_max_ns, concurrency = :concurrency,
           depth_attained = :depth_attained, cpu_user_percent = :cpu_user_percent,
           cpu_system_percent = :cpu_system_percent, cpu_per_io_ns = :cpu_per_io_ns,
           load_average = :load_average, wakeup_delay_p99_ns = :wakeup_delay_p99_ns,
           measured_seconds = :measured_seconds, governor = :governor
     WHERE id = :id AND state = 'running')sql");
  update.bind("circumstances_id", keep_circumstances(connection, run.circumstances))
      .bind("state", to_string(run.state))
      .bind("started_at_ns", run.started_at_ns)
      .bind("finished_at_ns", run.finished_at_ns)
      .bind("error", run.error)
      .bind("seed", run.seed);
  bind_summary(update, summary);
  update.bind("governor", run.governor).bind("id", run.id).run();
  if (connection.changes() == 0) return false;
  insert_measurement(connection, run);
  keep_identity(connection, run.id);
  return true;
}

struct RunRow {
  std::string state;
  std::int64_t circumstances_id = 0;
};

RunRow row_of(Connection& connection, std::int64_t id) {
  Statement row(connection, "SELECT state, circumstances_id FROM runs WHERE id = :id ORDER BY id");
  if (!row.bind("id", id).step()) {
    throw Error(ErrorCode::not_found, "there is no run " + std::to_string(id));
  }
  return {row.text("state"), row.integer("circumstances_id")};
}

// A run that failed is over as well; one that was interrupted or cancelled will be measured again
// or never.
bool counts_as_done(RunState state) {
  return state == RunState::done || state == RunState::failed;
}

// The filters, the most selective first.
PageQuery run_query(const RunFilter& filter) {
  PageQuery query(summaries, "started_at_ns", "id");
  if (filter.sweep_id) query.equals("sweep_id", *filter.sweep_id);
  if (filter.label) query.equals("label", *filter.label);
  if (filter.serial) query.equals("serial", *filter.serial);
  if (filter.target) query.equals("target", *filter.target);
  if (filter.host) query.equals("host", *filter.host);
  if (filter.numjobs) query.equals("numjobs", std::int64_t{*filter.numjobs});
  if (filter.block_bytes) query.equals("block_bytes", std::int64_t{*filter.block_bytes});
  if (filter.iodepth) query.equals("iodepth", std::int64_t{*filter.iodepth});
  if (filter.state) query.equals("state", std::string(to_string(*filter.state)));
  if (filter.rw) query.equals("rw", std::string(to_string(*filter.rw)));
  if (filter.ioengine) query.equals("ioengine", std::string(to_string(*filter.ioengine)));
  if (filter.origin) query.equals("origin", std::string(to_string(*filter.origin)));
  if (filter.since_ns) query.since(*filter.since_ns);
  if (filter.until_ns) query.until(*filter.until_ns);
  return query;
}

Run read_run(Statement& row) {
  Run run;
  run.id = row.integer("id");
  run.sweep_id = row.integer("sweep_id");
  run.setting = read_setting(row);
  run.repeat = row.unsigned32("repeat");
  run.is_drift_check = row.boolean("is_drift_check");
  run.state = word(row, "state", parse_run_state);
  run.started_at_ns = row.integer("started_at_ns");
  run.finished_at_ns = row.integer("finished_at_ns");
  run.error = row.text("error");
  run.seed = row.unsigned64("seed");
  return run;
}

}  // namespace

// Where a page ended, as in sweep_store.cpp: its last run may be gone with its sweep.
ListPosition run_position(Connection& connection, std::int64_t before) {
  Statement row(connection, R"sql(
    SELECT started_at_ns, id
      FROM runs
     WHERE id <= :before
     ORDER BY id DESC
     LIMIT 1)sql");
  if (!row.bind("before", before).step()) return {std::numeric_limits<std::int64_t>::min(), 0};
  const std::int64_t time_ns = row.integer("started_at_ns"), id = row.integer("id");
  return {time_ns, id == before ? id : id + 1};
}

RunStore::RunStore(Database& database, WallClock now) : database_(database), now_(std::move(now)) {}

std::int64_t RunStore::begin(const Run& run) {
  return database_.write_new([&](Connection& connection) { return insert_run(connection, run); });
}

void RunStore::finish(const Run& run, const RunSummary& summary) {
  database_.write([&](Connection& connection) {
    const RunRow before = row_of(connection, run.id);
    if (!complete_run(connection, run, summary)) {
      // A second call after a commit whose answer was lost is no mistake, and counts nothing twice.
      if (before.state == to_string(run.state)) return;
      throw Error(ErrorCode::conflict, "run " + std::to_string(run.id) + " is " + before.state);
    }
    failpoint("run_storing");
    drop_circumstances(connection, before.circumstances_id);  // what begin() knew, if it was less
    Statement(connection, R"sql(
      UPDATE sweeps
         SET runs_done = runs_done + :done, runs_failed = runs_failed + :failed
       WHERE id = :sweep_id)sql")
        .bind("done", counts_as_done(run.state))
        .bind("failed", run.state == RunState::failed)
        .bind("sweep_id", run.sweep_id)
        .run();
  });
}

std::int64_t RunStore::import(Sweep sweep, const std::vector<Run>& runs,
                              const std::vector<RunSummary>& summaries_of_runs) {
  if (runs.size() != summaries_of_runs.size()) {
    throw Error(ErrorCode::internal, "an import needs one summary for each run");
  }
  sweep.origin = Origin::imported;
  if (sweep.created_at_ns == 0) sweep.created_at_ns = now_();
  if (sweep.uuid.empty()) sweep.uuid = uuid_v7(sweep.created_at_ns);
  sweep.runs_done = sweep.runs_failed = 0;
  for (const Run& run : runs) {
    if (counts_as_done(run.state)) ++sweep.runs_done;
    if (run.state == RunState::failed) ++sweep.runs_failed;
  }
  return database_.write_new([&](Connection& connection) {
    Statement known(connection, "SELECT id FROM sweeps WHERE uuid = :uuid ORDER BY id");
    if (known.bind("uuid", sweep.uuid).step()) {
      throw Error(ErrorCode::conflict,
                  "this sweep is here already: " + std::to_string(known.integer("id")));
    }
    insert_sweep(connection, sweep);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Run run = runs[i];
      run.sweep_id = sweep.id;
      run.id = insert_run(connection, run);
      static_cast<void>(complete_run(connection, run, summaries_of_runs[i]));
    }
    return sweep.id;
  });
}

std::uint32_t RunStore::interrupt_running() {
  return database_.write([&](Connection& connection) {
    Statement(connection, R"sql(
      UPDATE runs
         SET state = 'interrupted', finished_at_ns = max(:now_ns, started_at_ns),
             error = 'the daemon ended before the run did'
       WHERE state = 'running')sql")
        .bind("now_ns", now_())
        .run();
    return static_cast<std::uint32_t>(connection.changes());
  });
}

std::uint32_t RunStore::interruptions(std::int64_t sweep_id, const Setting& setting,
                                      std::uint32_t repeat) {
  return database_.read([&](Connection& connection) {
    Statement row(connection, R"sql(
      SELECT count(*) AS times
        FROM runs
       WHERE sweep_id = :sweep_id AND +rw = :rw AND +block_bytes = :block_bytes
         AND +iodepth = :iodepth AND +numjobs = :numjobs AND repeat = :repeat
         AND +state = 'interrupted')sql");
    row.bind("sweep_id", sweep_id)
        .bind("rw", to_string(setting.rw))
        .bind("block_bytes", setting.block_bytes)
        .bind("iodepth", setting.iodepth)
        .bind("numjobs", setting.numjobs)
        .bind("repeat", repeat);
    return row.step() ? row.unsigned32("times") : 0;
  });
}

std::optional<Run> RunStore::find(std::int64_t id) {
  return database_.read([&](Connection& connection) -> std::optional<Run> {
    Statement row(connection, R"sql(
      SELECT id, sweep_id, rw, block_bytes, iodepth, numjobs, repeat, is_drift_check, state,
             started_at_ns, finished_at_ns, error, seed, circumstances_id
        FROM runs
       WHERE id = :id
       ORDER BY id)sql");
    if (!row.bind("id", id).step()) return std::nullopt;
    Run run = read_run(row);
    run.circumstances = read_circumstances(connection, row.integer("circumstances_id"));
    read_measurement(connection, run);
    return run;
  });
}

std::vector<Run> RunStore::of_sweep(std::int64_t sweep_id) {
  return database_.read([&](Connection& connection) {
    Statement row(connection, R"sql(
      SELECT id, sweep_id, rw, block_bytes, iodepth, numjobs, repeat, is_drift_check, state,
             started_at_ns, finished_at_ns, error, seed, circumstances_id
        FROM runs
       WHERE sweep_id = :sweep_id
       ORDER BY id)sql");
    row.bind("sweep_id", sweep_id);
    std::vector<Run> runs;
    // Neighbours nearly always share their circumstances.
    std::int64_t circumstances_id = 0;
    Circumstances circumstances;
    while (row.step()) {
      Run& run = runs.emplace_back(read_run(row));
      const std::int64_t wanted = row.integer("circumstances_id");
      if (wanted != circumstances_id) {
        circumstances = read_circumstances(connection, wanted);
        circumstances_id = wanted;
      }
      run.circumstances = circumstances;
      read_measurement(connection, run);
    }
    return runs;
  });
}

Page<RunSummary> RunStore::list(const RunFilter& filter, std::int64_t before, std::uint32_t limit) {
  const std::uint32_t rows = std::clamp(limit, std::uint32_t{1}, page_limit_most);
  return database_.read([&](Connection& connection) {
    PageQuery query = run_query(filter);
    if (before != 0) query.after(run_position(connection, before));
    Statement row(connection, query.sql());
    query.bind(row, rows + 1);  // one more tells whether there is a next page
    Page<RunSummary> page;
    while (row.step()) {
      if (page.items.size() == rows) {
        page.next_before = page.items.back().run_id;
        break;
      }
      page.items.push_back(read_summary(row));
    }
    return page;
  });
}

}  // namespace iobenchd::storage
