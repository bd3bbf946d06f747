// Identities, and the runs that share one: the series of a history.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "storage/database.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

constexpr std::uint32_t pinned_runs_most = 10'000;

struct Found {
  std::int64_t identity_id = 0, newest_run_id = 0;
  Identity identity;
};

Identity read_identity(Statement& row) {
  Identity identity;
  identity.serial = row.text("serial");
  identity.target = row.text("target");
  identity.host = row.text("host");
  identity.setting = read_setting(row);
  identity.ioengine = word(row, "ioengine", parse_ioengine);
  identity.direct = row.boolean("direct");
  identity.size_class = row.unsigned32("size_class");
  identity.workload = row.text("workload");
  return identity;
}

std::optional<std::string> text_of(const std::optional<Rw>& rw) {
  return rw ? std::optional(std::string(to_string(*rw))) : std::nullopt;
}

std::optional<std::string> text_of(const std::optional<IoEngine>& ioengine) {
  return ioengine ? std::optional(std::string(to_string(*ioengine))) : std::nullopt;
}

void bind_filter(Statement& row, const HistoryFilter& filter) {
  row.bind("until_ns", filter.until_ns.value_or(std::numeric_limits<std::int64_t>::max()))
      .bind("serial", filter.serial)
      .bind("rw", text_of(filter.rw))
      .bind("block_bytes", filter.block_bytes)
      .bind("iodepth", filter.iodepth)
      .bind("numjobs", filter.numjobs)
      .bind("ioengine", text_of(filter.ioengine))
      .bind("direct", filter.direct)
      .bind("size_class", filter.size_class)
      .bind("target", filter.target)
      .bind("host", filter.host)
      .bind("since_ns", filter.since_ns.value_or(std::numeric_limits<std::int64_t>::min()));
}

// There are as many identities as there are settings that somebody cared for: each is looked at,
// its newest run is one step into an index.
std::vector<Found> find_series(Connection& connection, const HistoryFilter& filter,
                               const ListPosition& before, std::uint32_t limit) {
  Statement row(connection, R"sql(
    WITH found AS (
      SELECT id, serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine, direct,
             size_class, workload,
             (SELECT runs.id
                FROM runs
               WHERE runs.identity_id = identities.id AND runs.started_at_ns < :until_ns
               ORDER BY runs.started_at_ns DESC, runs.id DESC
               LIMIT 1) AS newest_run_id
        FROM identities
       WHERE (:serial IS NULL OR serial = :serial)
         AND (:rw IS NULL OR rw = :rw)
         AND (:block_bytes IS NULL OR block_bytes = :block_bytes)
         AND (:iodepth IS NULL OR iodepth = :iodepth)
         AND (:numjobs IS NULL OR numjobs = :numjobs)
         AND (:ioengine IS NULL OR ioengine = :ioengine)
         AND (:direct IS NULL OR direct = :direct)
         AND (:size_class IS NULL OR size_class = :size_class)
         AND (:target IS NULL OR target = :target OR EXISTS (
               SELECT 1
                 FROM runs
                WHERE runs.identity_id = identities.id AND +runs.circumstances_id IN (
                        SELECT circumstances.id FROM circumstances WHERE target = :target)))
         AND (:host IS NULL OR host = :host OR EXISTS (
               SELECT 1
                 FROM runs
                WHERE runs.identity_id = identities.id AND +runs.circumstances_id IN (
                        SELECT circumstances.id FROM circumstances WHERE host = :host)))
    )
    SELECT found.id AS identity_id, found.serial, found.target, found.host, found.rw,
           found.block_bytes, found.iodepth, found.numjobs, found.ioengine, found.direct,
           found.size_class, found.workload, newest_run_id
      FROM found
      JOIN runs ON runs.id = newest_run_id
     WHERE runs.started_at_ns >= :since_ns
       AND (runs.started_at_ns, runs.id) < (:before_ns, :before_id)
     ORDER BY runs.started_at_ns DESC, runs.id DESC
     LIMIT :rows)sql");
  bind_filter(row, filter);
  row.bind("before_ns", before.time_ns).bind("before_id", before.id).bind("rows", limit);
  std::vector<Found> found;
  while (row.step()) {
    const std::int64_t identity_id = row.integer("identity_id");
    Identity identity = read_identity(row);
    found.push_back({identity_id, row.integer("newest_run_id"), std::move(identity)});
  }
  return found;
}

// Many runs share few circumstances: each is read once.
class Reader {
 public:
  explicit Reader(Connection& connection) : connection_(connection) {}

  SeriesRun read(Statement& row, Series& series) {
    SeriesRun run;
    run.run_id = row.integer("run_id");
    run.started_at_ns = row.integer("started_at_ns");
    run.sweep_id = row.integer("sweep_id");
    run.circumstances = place_of(row.integer("circumstances_id"), series);
    run.engine_flags = row.unsigned32("engine_flags");
    run.governor = row.text("governor");
    run.iops = row.real("iops");
    run.latency_mean_ns = row.real("latency_mean_ns");
    run.latency_p99_ns = row.unsigned64("latency_p99_ns");
    return run;
  }

 private:
  std::size_t place_of(std::int64_t id, Series& series) {
    const auto found = places_.find(id);
    if (found != places_.end()) return found->second;
    series.circumstances.push_back(read_circumstances(connection_, id));
    return places_.emplace(id, series.circumstances.size() - 1).first->second;
  }

  Connection& connection_;
  std::map<std::int64_t, std::size_t> places_;
};

Series read_series(Connection& connection, const Found& found, std::int64_t until_ns) {
  Series series;
  series.identity = found.identity;
  Reader reader(connection);
  Statement row(connection, R"sql(
    SELECT id AS run_id, started_at_ns, sweep_id, circumstances_id, engine_flags, governor, iops,
           latency_mean_ns, latency_p99_ns
      FROM runs
     WHERE identity_id = :identity_id AND started_at_ns < :until_ns
     ORDER BY started_at_ns DESC, sweep_id DESC
     LIMIT :rows)sql");
  row.bind("identity_id", found.identity_id)
      .bind("until_ns", until_ns)
      .bind("rows", series_runs_most + 1);  // one more tells whether there are older ones
  while (row.step()) {
    if (series.runs.size() == series_runs_most) {
      series.older_left_off = true;
      break;
    }
    series.runs.push_back(reader.read(row, series));
  }
  std::reverse(series.runs.begin(), series.runs.end());
  return series;
}

// Few sweeps are pinned: their runs, by the series they belong to.
std::map<std::int64_t, std::vector<SeriesRun>> read_pinned(Connection& connection,
                                                           std::int64_t until_ns) {
  Statement row(connection, R"sql(
    SELECT runs.identity_id, runs.id AS run_id, runs.started_at_ns, runs.sweep_id, runs.iops
      FROM sweeps
     CROSS JOIN runs ON runs.sweep_id = sweeps.id
     WHERE sweeps.pinned = 1 AND runs.identity_id IS NOT NULL AND runs.started_at_ns < :until_ns
     ORDER BY runs.started_at_ns DESC, runs.id DESC
     LIMIT :rows)sql");
  row.bind("until_ns", until_ns).bind("rows", pinned_runs_most);
  std::map<std::int64_t, std::vector<SeriesRun>> pinned;
  while (row.step()) {
    SeriesRun run;
    const std::int64_t identity_id = row.integer("identity_id");
    run.run_id = row.integer("run_id");
    run.started_at_ns = row.integer("started_at_ns");
    run.sweep_id = row.integer("sweep_id");
    run.iops = row.real("iops");
    pinned[identity_id].push_back(std::move(run));
  }
  return pinned;
}

}  // namespace

void keep_identity(Connection& connection, std::int64_t run_id) {
  Statement(connection, R"sql(
    INSERT INTO identities (serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine,
                            direct, size_class, workload)
    SELECT serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine, direct, size_class,
           workload
      FROM run_identities
     WHERE run_id = :run_id
    ON CONFLICT DO NOTHING)sql")
      .bind("run_id", run_id)
      .run();
  Statement(connection, R"sql(
    UPDATE runs
       SET identity_id = (
             SELECT identities.id
               FROM run_identities
               JOIN identities USING (serial, target, host, rw, block_bytes, iodepth, numjobs,
                                      ioengine, direct, size_class, workload)
              WHERE run_identities.run_id = :run_id)
     WHERE id = :run_id)sql")
      .bind("run_id", run_id)
      .run();
}

void drop_identity(Connection& connection, std::int64_t id) {
  Statement(connection, R"sql(
    DELETE FROM identities
     WHERE id = :id
       AND NOT EXISTS (SELECT 1 FROM runs WHERE identity_id = identities.id))sql")
      .bind("id", id)
      .run();
}

Page<Series> HistoryStore::list(const HistoryFilter& filter, std::int64_t before,
                                std::uint32_t limit) {
  constexpr std::size_t page_runs_most = 2 * std::size_t{series_runs_most};
  const std::uint32_t most = std::clamp(limit, std::uint32_t{1}, history_page_most);
  const std::int64_t until_ns = filter.until_ns.value_or(std::numeric_limits<std::int64_t>::max());
  return database_.read([&](Connection& connection) {
    const ListPosition from = before != 0 ? run_position(connection, before) : ListPosition{};
    const std::vector<Found> found = find_series(connection, filter, from, most + 1);
    auto pinned = read_pinned(connection, until_ns);
    Page<Series> page;
    std::size_t runs = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      Series series = read_series(connection, found[i], until_ns);
      series.pinned_runs = std::move(pinned[found[i].identity_id]);
      runs += series.runs.size();
      page.items.push_back(std::move(series));
      const bool full = page.items.size() == most || runs >= page_runs_most;
      if (!full || i + 1 == found.size()) continue;
      page.next_before = found[i].newest_run_id;
      break;
    }
    return page;
  });
}

std::vector<LatestRun> HistoryStore::latest(std::uint32_t most) {
  return database_.read([&](Connection& connection) {
    Statement row(connection, R"sql(
      SELECT runs.id AS run_id, runs.target AS run_target, runs.finished_at_ns, runs.iops,
             runs.bandwidth_bytes_per_s, runs.latency_mean_ns, runs.latency_p99_ns,
             runs.identity_id, identities.serial, identities.target, identities.host,
             identities.rw, identities.block_bytes, identities.iodepth, identities.numjobs,
             identities.ioengine, identities.direct, identities.size_class, identities.workload
        FROM (SELECT id, started_at_ns
                FROM runs
               WHERE origin = 'local'
               ORDER BY started_at_ns DESC, id DESC
               LIMIT :looked_at) AS newest
       CROSS JOIN runs ON runs.id = newest.id
       CROSS JOIN identities ON identities.id = runs.identity_id
       ORDER BY newest.started_at_ns DESC, newest.id DESC)sql");
    row.bind("looked_at", latest_runs_looked_at);
    std::vector<LatestRun> found;
    std::set<std::int64_t> seen;
    while (found.size() < most && row.step()) {
      if (!seen.insert(row.integer("identity_id")).second) continue;
      LatestRun& run = found.emplace_back();
      run.identity = read_identity(row);
      run.target = row.text("run_target");
      run.run_id = row.integer("run_id");
      run.finished_at_ns = row.integer("finished_at_ns");
      run.iops = row.real("iops");
      run.bandwidth_bytes_per_s = row.real("bandwidth_bytes_per_s");
      run.latency_mean_ns = row.real("latency_mean_ns");
      run.latency_p99_ns = row.unsigned64("latency_p99_ns");
    }
    return found;
  });
}

}  // namespace iobenchd::storage
