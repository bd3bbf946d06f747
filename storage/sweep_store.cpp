#include <algorithm>

#include "storage/database.h"
#include "storage/identity.h"
#include "storage/pages.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

constexpr std::int64_t key_lifetime_ns = 24LL * 3600 * 1'000'000'000;

constexpr const char* columns_of_sweeps = R"sql(
    SELECT id, uuid, state, origin, host,
           preset, label, target, size_bytes, offset_bytes, sweeps.rw, bs, iodepth, numjobs,
           numjobs_auto, runtime_ns, ramp_time_ns, repeats, "order", ioengine, direct, thread,
           refine, keep_file, batch_submit, batch_complete, seed, layout, cooldown_ns,
           latency_limit_statistic, latency_limit_ns, on_restart, confirm,
           repeats_most, repeats_auto, ci_percent, steady_rounds, steady_round_ns,
           precondition, rwmixread, rate_iops, rate_process, io_size_bytes, fsync,
           sync, norandommap, random_distribution, buffer_compress_percentage, hipri, verify,
           cpus_allowed, yield_to_other_io,
           plan_runs, plan_seconds, plan_layout_bytes, plan_write_bytes, plan_ioengine,
           plan_size_bytes, plan_target, plan_settings,
           sweeps.created_at_ns, started_at_ns, finished_at_ns, answer, runs_done, runs_failed,
           error, notes, pinned, schedule_id)sql";

Error no_such_sweep(std::int64_t id) {
  return Error(ErrorCode::not_found, "there is no sweep " + std::to_string(id));
}

std::string state_of(Connection& connection, std::int64_t id) {
  Statement row(connection, "SELECT state FROM sweeps WHERE id = :id ORDER BY id");
  if (!row.bind("id", id).step()) throw no_such_sweep(id);
  return row.text("state");
}

// After an UPDATE or DELETE that asks for a state: says why it found nothing.
void require_change(Connection& connection, std::int64_t id) {
  if (connection.changes() > 0) return;
  throw Error(ErrorCode::conflict,
              "sweep " + std::to_string(id) + " is " + state_of(connection, id));
}

// The filters, the most selective first. `rw` last: it needs another table when it isn't alone.
PageQuery sweep_query(const SweepFilter& filter) {
  const bool by_rw = filter.rw && !filter.label && !filter.schedule_id && !filter.target &&
                     !filter.host && !filter.state && !filter.origin;
  static const std::string all = std::string(columns_of_sweeps) + " FROM sweeps";
  static const std::string of_rw =
      std::string(columns_of_sweeps) + " FROM sweep_rw CROSS JOIN sweeps ON id = sweep_id";
  PageQuery query = by_rw ? PageQuery(of_rw.c_str(), "sweep_rw.created_at_ns", "sweep_id")
                          : PageQuery(all.c_str(), "sweeps.created_at_ns", "id");
  if (filter.label) query.equals("label", *filter.label);
  if (filter.schedule_id) query.equals("schedule_id", *filter.schedule_id);
  if (filter.target) query.equals("listed_target", *filter.target);
  if (filter.host) query.equals("host", *filter.host);
  if (filter.state) query.equals("state", std::string(to_string(*filter.state)));
  if (filter.origin) query.equals("origin", std::string(to_string(*filter.origin)));
  if (by_rw) query.equals("sweep_rw.rw", std::string(to_string(*filter.rw)));
  if (filter.rw && !by_rw) {
    query.condition(
        "id IN (SELECT sweep_id FROM sweep_rw WHERE sweep_rw.sweep_id = sweeps.id"
        " AND +sweep_rw.rw = :rw)",
        "rw", std::string(to_string(*filter.rw)));
  }
  if (filter.since_ns) query.since(*filter.since_ns);
  if (filter.until_ns) query.until(*filter.until_ns);
  return query;
}

// Where a page ended. Its last sweep may have been deleted since: then behind the next older one's
// newer neighbour, which is the same place.
ListPosition position_of(Connection& connection, std::int64_t before) {
  Statement row(connection, R"sql(
    SELECT created_at_ns, id
      FROM sweeps
     WHERE id <= :before
     ORDER BY id DESC
     LIMIT 1)sql");
  if (!row.bind("before", before).step()) return {std::numeric_limits<std::int64_t>::min(), 0};
  const std::int64_t time_ns = row.integer("created_at_ns"), id = row.integer("id");
  return {time_ns, id == before ? id : id + 1};
}

}  // namespace

SweepStore::SweepStore(Database& database, WallClock now)
    : database_(database), now_(std::move(now)) {}

Sweep SweepStore::create(Sweep sweep) {
  sweep.created_at_ns = now_();
  sweep.uuid = uuid_v7(sweep.created_at_ns);
  if (!sweep.spec.seed) sweep.spec.seed = random_seed();
  database_.write_new([&](Connection& connection) { insert_sweep(connection, sweep); });
  return sweep;
}

std::optional<Sweep> SweepStore::find(std::int64_t id) {
  return database_.read([&](Connection& connection) -> std::optional<Sweep> {
    static const std::string sql =
        std::string(columns_of_sweeps) + " FROM sweeps WHERE id = :id ORDER BY id";
    Statement row(connection, sql);
    if (!row.bind("id", id).step()) return std::nullopt;
    return read_sweep(row);
  });
}

std::optional<std::int64_t> SweepStore::find_uuid(const std::string& uuid) {
  return database_.read([&](Connection& connection) -> std::optional<std::int64_t> {
    Statement row(connection, "SELECT id FROM sweeps WHERE uuid = :uuid ORDER BY id");
    if (!row.bind("uuid", uuid).step()) return std::nullopt;
    return row.integer("id");
  });
}

Page<Sweep> SweepStore::list(const SweepFilter& filter, std::int64_t before, std::uint32_t limit) {
  const std::uint32_t rows = std::clamp(limit, std::uint32_t{1}, page_limit_most);
  return database_.read([&](Connection& connection) {
    PageQuery query = sweep_query(filter);
    if (before != 0) query.after(position_of(connection, before));
    Statement row(connection, query.sql());
    query.bind(row, rows + 1);  // one more tells whether there is a next page
    Page<Sweep> page;
    while (row.step()) {
      if (page.items.size() == rows) {
        page.next_before = page.items.back().id;
        break;
      }
      page.items.push_back(read_sweep(row));
    }
    return page;
  });
}

std::vector<Sweep> SweepStore::unfinished() {
  return database_.read([&](Connection& connection) {
    static const std::string sql = std::string(columns_of_sweeps) +
                                   " FROM sweeps WHERE state IN ('queued', 'running') ORDER BY id";
    Statement row(connection, sql);
    std::vector<Sweep> sweeps;
    while (row.step()) sweeps.push_back(read_sweep(row));
    return sweeps;
  });
}

std::uint32_t SweepStore::count_unfinished() {
  return database_.read([&](Connection& connection) {
    return static_cast<std::uint32_t>(
        connection.integer("SELECT count(*) FROM sweeps WHERE state IN ('queued', 'running')"));
  });
}

std::uint64_t SweepStore::planned_writes(const std::string& target, std::int64_t since_ns) {
  return database_.read([&](Connection& connection) {
    Statement statement(connection, R"sql(
      SELECT coalesce(sum(plan_write_bytes), 0) AS planned_bytes
        FROM sweeps
       WHERE plan_target = :target AND created_at_ns >= :since_ns AND origin = 'local'
         AND (started_at_ns <> 0 OR state = 'queued'))sql");
    statement.bind("target", target).bind("since_ns", since_ns);
    return statement.step() ? statement.unsigned64("planned_bytes") : 0;
  });
}

void SweepStore::set_started(std::int64_t id) {
  database_.write_new([&](Connection& connection) {
    Statement(connection, R"sql(
      UPDATE sweeps
         SET state = 'running',
             started_at_ns = CASE started_at_ns WHEN 0 THEN max(:now_ns, created_at_ns)
                                                   ELSE started_at_ns END
       WHERE id = :id AND state = 'queued')sql")
        .bind("now_ns", now_())
        .bind("id", id)
        .run();
    require_change(connection, id);
  });
}

void SweepStore::set_queued(std::int64_t id) {
  database_.write([&](Connection& connection) {
    Statement(connection, "UPDATE sweeps SET state = 'queued' WHERE id = :id AND state = 'running'")
        .bind("id", id)
        .run();
    require_change(connection, id);
  });
}

void SweepStore::set_plan(std::int64_t id, const Plan& plan) {
  database_.write([&](Connection& connection) {
    Statement(connection, R"sql(
      UPDATE sweeps
         SET plan_runs = :runs, plan_seconds = :seconds, plan_layout_bytes = :layout_bytes,
             plan_write_bytes = :write_bytes, plan_ioengine = :ioengine,
             plan_size_bytes = :size_bytes, plan_target = :target, plan_settings = :settings
       WHERE id = :id)sql")
        .bind("runs", plan.runs)
        .bind("seconds", plan.seconds)
        .bind("layout_bytes", plan.layout_bytes)
        .bind("write_bytes", plan.write_bytes)
        .bind("ioengine", plan.ioengine)
        .bind("size_bytes", plan.size_bytes)
        .bind("target", plan.target)
        .bind("settings", list_text(plan.settings))
        .bind("id", id)
        .run();
    if (connection.changes() == 0) throw no_such_sweep(id);
  });
}

void SweepStore::set_error(std::int64_t id, const std::string& error) {
  database_.write([&](Connection& connection) {
    Statement(connection, "UPDATE sweeps SET error = :error WHERE id = :id")
        .bind("error", error)
        .bind("id", id)
        .run();
    if (connection.changes() == 0) throw no_such_sweep(id);
  });
}

void SweepStore::finish(std::int64_t id, SweepState state, const std::string& answer,
                        const std::string& error) {
  database_.write([&](Connection& connection) {
    // A second call after a commit whose answer was lost is no mistake.
    if (state_of(connection, id) == to_string(state)) return;
    Statement(connection, R"sql(
      UPDATE sweeps
         SET state = :state, finished_at_ns = max(:now_ns, created_at_ns, started_at_ns),
             answer = :answer, error = :error
       WHERE id = :id AND state IN ('queued', 'running'))sql")
        .bind("state", to_string(state))
        .bind("now_ns", now_())
        .bind("answer", answer)
        .bind("error", error)
        .bind("id", id)
        .run();
    require_change(connection, id);
  });
}

void SweepStore::describe(std::int64_t id, const std::optional<std::string>& label,
                          const std::optional<std::string>& notes,
                          const std::optional<bool>& pinned) {
  database_.write([&](Connection& connection) {
    Statement(connection, R"sql(
      UPDATE sweeps
         SET label = coalesce(:label, label), notes = coalesce(:notes, notes),
             pinned = coalesce(:pinned, pinned)
       WHERE id = :id)sql")
        .bind("label", label)
        .bind("notes", notes)
        .bind("pinned", pinned)
        .bind("id", id)
        .run();
    if (connection.changes() == 0) throw no_such_sweep(id);
    if (!label) return;
    Statement(connection, "UPDATE runs SET label = :label WHERE sweep_id = :id")
        .bind("label", *label)
        .bind("id", id)
        .run();
  });
}

void SweepStore::remove(std::int64_t id) {
  database_.write([&](Connection& connection) {
    if (delete_sweep(connection, id, true)) return;
    throw Error(ErrorCode::conflict,
                "sweep " + std::to_string(id) + " is " + state_of(connection, id));
  });
}

std::optional<std::int64_t> SweepStore::find_key(const std::string& key) {
  return database_.read([&](Connection& connection) -> std::optional<std::int64_t> {
    Statement row(connection, R"sql(
      SELECT sweep_id
        FROM idempotency_keys
       WHERE key = :key AND created_at_ns > :oldest_ns
       ORDER BY key)sql");
    row.bind("key", key).bind("oldest_ns", now_() - key_lifetime_ns);
    if (!row.step()) return std::nullopt;
    return row.integer("sweep_id");
  });
}

void SweepStore::remember_key(const std::string& key, std::int64_t sweep_id) {
  const std::int64_t now_ns = now_();
  database_.write([&](Connection& connection) {
    Statement(connection, "DELETE FROM idempotency_keys WHERE created_at_ns <= :oldest_ns")
        .bind("oldest_ns", now_ns - key_lifetime_ns)
        .run();
    static_cast<void>(
        state_of(connection, sweep_id));  // not_found rather than a foreign key's text
    // Of two requests that raced, the first one's sweep is the answer to both.
    Statement(connection, R"sql(
      INSERT INTO idempotency_keys (key, sweep_id, created_at_ns)
      VALUES (:key, :sweep_id, :created_at_ns)
      ON CONFLICT DO NOTHING)sql")
        .bind("key", key)
        .bind("sweep_id", sweep_id)
        .bind("created_at_ns", now_ns)
        .run();
  });
}

}  // namespace iobenchd::storage
