#include "storage/migrations.h"

#include <unistd.h>

#include <array>

#include "storage/guard.h"
#include "storage/version_1.h"

namespace iobenchd::storage {
namespace {

// What the I/Os of a sweep are like, how narrow an interval its points want, and what a run cost
// and met. fsync_latency is NULL where a run made none; what a device doesn't tell is NULL.
constexpr const char* version_2 = R"sql(
ALTER TABLE sweeps ADD COLUMN repeats_most INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN ci_percent REAL NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN steady_rounds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN steady_round_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN precondition INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN rwmixread INTEGER NOT NULL DEFAULT 50;
ALTER TABLE sweeps ADD COLUMN rate_iops INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN rate_process TEXT NOT NULL DEFAULT 'linear';
ALTER TABLE sweeps ADD COLUMN io_size_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN fsync INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN sync TEXT NOT NULL DEFAULT 'none';
ALTER TABLE sweeps ADD COLUMN norandommap INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sweeps ADD COLUMN random_distribution TEXT NOT NULL DEFAULT 'random';
ALTER TABLE sweeps ADD COLUMN buffer_compress_percentage INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN hipri INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sweeps ADD COLUMN cpus_allowed TEXT NOT NULL DEFAULT '';

ALTER TABLE measurements ADD COLUMN fsync_ios INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN fsync_latency BLOB;
ALTER TABLE measurements ADD COLUMN voluntary_context_switches INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN involuntary_context_switches INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN minor_page_faults INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN major_page_faults INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN device_read_ios INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN device_write_ios INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN temperature_celsius REAL;
ALTER TABLE measurements ADD COLUMN temperature_limit_celsius REAL;
ALTER TABLE measurements ADD COLUMN wear_percent_used REAL;
ALTER TABLE measurements ADD COLUMN hole_percent REAL NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN governor TEXT NOT NULL DEFAULT '';
ALTER TABLE measurements ADD COLUMN container TEXT NOT NULL DEFAULT '';
)sql";

// What was written is read back.
constexpr const char* version_3 = R"sql(
ALTER TABLE sweeps ADD COLUMN verify INTEGER NOT NULL DEFAULT 0;

ALTER TABLE measurements ADD COLUMN verified_bytes INTEGER NOT NULL DEFAULT 0;
)sql";

// Repeats may be as many as help the answer. How many rounds steady_state made of a run, and
// whether they were steady. The sweeps of a disk model, found one by one.
//
// Runs that measured the same thing share an identity: a history is a walk along one index, which
// holds all that its points are made of. `run_identities` says what the identity of a run is, here
// and for each run that ends: only of runs that were done, are no drift check, and whose disk is
// known by a serial number, else by its path and the host. size_class is floor(log2(bytes)) of the
// working set, by the digits of a hexadecimal number. workload holds what no axis of a grid does.
//
// What the source of an imported run printed of each direction ("read", "write", "fsync"), where it
// printed any: a table of its own, because no run of ours has such rows; 0 where a figure wasn't
// printed.
//
// Schedules: the sweep that is asked for, column by column as in `sweeps`, then when and with what
// outcome. A sweep keeps the number of the schedule that made it, after that is deleted, too:
// numbers are never used again.
constexpr const char* version_4 = R"sql(
ALTER TABLE sweeps ADD COLUMN repeats_auto INTEGER NOT NULL DEFAULT 0;

ALTER TABLE measurements ADD COLUMN rounds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE measurements ADD COLUMN rounds_steady INTEGER NOT NULL DEFAULT 0;

CREATE INDEX runs_by_model ON runs (model, sweep_id);

CREATE TABLE identities (
  id INTEGER PRIMARY KEY,
  serial TEXT NOT NULL,
  target TEXT NOT NULL,
  host TEXT NOT NULL,
  rw TEXT NOT NULL,
  block_bytes INTEGER NOT NULL,
  iodepth INTEGER NOT NULL,
  numjobs INTEGER NOT NULL,
  ioengine TEXT NOT NULL,
  direct INTEGER NOT NULL,
  size_class INTEGER NOT NULL,
  workload TEXT NOT NULL,
  UNIQUE (serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine, direct, size_class,
          workload)
) STRICT;
ALTER TABLE runs ADD COLUMN identity_id INTEGER REFERENCES identities (id);
ALTER TABLE runs ADD COLUMN governor TEXT NOT NULL DEFAULT '';
CREATE VIEW run_identities AS
WITH sized AS (
  SELECT id, printf('%x', CASE plan_size_bytes WHEN 0 THEN size_bytes ELSE plan_size_bytes END)
             AS digits
    FROM sweeps
)
SELECT runs.id AS run_id,
       runs.serial AS serial,
       CASE runs.serial WHEN '' THEN runs.target ELSE '' END AS target,
       CASE runs.serial WHEN '' THEN runs.host ELSE '' END AS host,
       runs.rw AS rw,
       runs.block_bytes AS block_bytes,
       runs.iodepth AS iodepth,
       runs.numjobs AS numjobs,
       runs.ioengine AS ioengine,
       runs.direct AS direct,
       4 * (length(digits) - 1) + (substr(digits, 1, 1) >= '2') + (substr(digits, 1, 1) >= '4')
         + (substr(digits, 1, 1) >= '8') AS size_class,
       ltrim(
         CASE WHEN runs.rw IN ('rw', 'randrw') AND rwmixread <> 50
              THEN ' rwmixread=' || rwmixread ELSE '' END ||
         CASE WHEN rate_iops > 0
              THEN ' rate_iops=' || rate_iops || ' rate_process=' || rate_process ELSE '' END ||
         CASE WHEN runs.rw LIKE 'rand%' AND random_distribution <> 'random'
              THEN ' random_distribution=' || random_distribution ELSE '' END ||
         CASE WHEN runs.rw NOT IN ('read', 'randread') AND fsync > 0
              THEN ' fsync=' || fsync ELSE '' END ||
         CASE WHEN runs.rw NOT IN ('read', 'randread') AND sync <> 'none'
              THEN ' sync=' || sync ELSE '' END ||
         CASE WHEN runs.rw NOT IN ('read', 'randread') AND buffer_compress_percentage > 0
              THEN ' buffer_compress_percentage=' || buffer_compress_percentage ELSE '' END ||
         CASE WHEN verify = 1 THEN ' verify=1' ELSE '' END ||
         CASE WHEN hipri = 1 THEN ' hipri=1' ELSE '' END) AS workload
  FROM runs
  JOIN sweeps ON sweeps.id = runs.sweep_id
  JOIN sized ON sized.id = runs.sweep_id
 WHERE runs.state = 'done' AND runs.is_drift_check = 0
   AND (runs.serial <> '' OR runs.target <> '');
UPDATE runs
   SET governor = coalesce((SELECT governor FROM measurements WHERE run_id = runs.id), '');
INSERT INTO identities (serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine, direct,
                        size_class, workload)
SELECT DISTINCT serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine, direct,
                size_class, workload
  FROM run_identities
 ORDER BY run_id;
UPDATE runs
   SET identity_id = (
         SELECT identities.id
           FROM run_identities
           JOIN identities USING (serial, target, host, rw, block_bytes, iodepth, numjobs, ioengine,
                                  direct, size_class, workload)
          WHERE run_identities.run_id = runs.id);
CREATE INDEX runs_by_identity ON runs (identity_id, started_at_ns, sweep_id, circumstances_id,
                                       engine_flags, governor, iops, latency_mean_ns,
                                       latency_p99_ns);
CREATE INDEX sweeps_by_pinned ON sweeps (id) WHERE pinned = 1;

CREATE TABLE printed_figures (
  run_id INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  direction TEXT NOT NULL,
  iops REAL NOT NULL,
  bandwidth_bytes_per_s REAL NOT NULL,
  latency_mean_ns REAL NOT NULL,
  latency_min_ns INTEGER NOT NULL,
  latency_p50_ns INTEGER NOT NULL,
  latency_p90_ns INTEGER NOT NULL,
  latency_p99_ns INTEGER NOT NULL,
  latency_p99_9_ns INTEGER NOT NULL,
  latency_p99_99_ns INTEGER NOT NULL,
  latency_max_ns INTEGER NOT NULL,
  PRIMARY KEY (run_id, direction)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT, preset TEXT NOT NULL, label TEXT NOT NULL,
  target TEXT NOT NULL, size_bytes INTEGER NOT NULL, offset_bytes INTEGER NOT NULL,
  rw TEXT NOT NULL, bs TEXT NOT NULL, iodepth TEXT NOT NULL, numjobs TEXT NOT NULL,
  numjobs_auto INTEGER NOT NULL, runtime_ns INTEGER NOT NULL, ramp_time_ns INTEGER NOT NULL,
  repeats INTEGER NOT NULL, repeats_most INTEGER NOT NULL, repeats_auto INTEGER NOT NULL,
  ci_percent REAL NOT NULL,
  steady_rounds INTEGER NOT NULL, steady_round_ns INTEGER NOT NULL, precondition INTEGER NOT NULL,
  "order" TEXT NOT NULL, ioengine TEXT NOT NULL, direct INTEGER NOT NULL, thread INTEGER NOT NULL,
  refine INTEGER NOT NULL, keep_file INTEGER NOT NULL, batch_submit INTEGER NOT NULL,
  batch_complete INTEGER NOT NULL, seed INTEGER, layout TEXT, cooldown_ns INTEGER NOT NULL,
  latency_limit_statistic TEXT, latency_limit_ns INTEGER, on_restart TEXT NOT NULL,
  cpus_allowed TEXT NOT NULL, confirm TEXT NOT NULL, rwmixread INTEGER NOT NULL,
  rate_iops INTEGER NOT NULL, rate_process TEXT NOT NULL, io_size_bytes INTEGER NOT NULL,
  fsync INTEGER NOT NULL, sync TEXT NOT NULL, norandommap INTEGER NOT NULL,
  random_distribution TEXT NOT NULL, buffer_compress_percentage INTEGER NOT NULL,
  hipri INTEGER NOT NULL, verify INTEGER NOT NULL, yield_to_other_io INTEGER,
  schedule_label TEXT NOT NULL,
  every_ns INTEGER NOT NULL, daily_minute INTEGER, jitter_ns INTEGER NOT NULL, max_load REAL,
  paused INTEGER NOT NULL, jitter_seed INTEGER NOT NULL, created_at_ns INTEGER NOT NULL,
  anchor_ns INTEGER NOT NULL, due_at_ns INTEGER NOT NULL, next_at_ns INTEGER NOT NULL,
  last_at_ns INTEGER NOT NULL, last_sweep_id INTEGER NOT NULL, last_outcome TEXT NOT NULL,
  last_error TEXT NOT NULL, missed INTEGER NOT NULL, judged_after_id INTEGER NOT NULL,
  regression_since_ns INTEGER, regression_sweep_id INTEGER, regression_sentence TEXT
) STRICT;
ALTER TABLE sweeps ADD COLUMN schedule_id INTEGER;
ALTER TABLE sweeps ADD COLUMN yield_to_other_io INTEGER;
CREATE INDEX sweeps_by_schedule ON sweeps (schedule_id, created_at_ns);
)sql";

// What was refused, deleted or overwritten, by whom; and how much IOPS varied from second to second
// before the samples of a run were thinned (NULL: they are as they were measured).
constexpr const char* version_5 = R"sql(
ALTER TABLE measurements ADD COLUMN samples_variation REAL;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  peer TEXT NOT NULL,
  token TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  times INTEGER NOT NULL,
  what TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_kind ON audit (kind, id);
)sql";

// Never edit or reorder: version = index + 1.
constexpr std::array<const char*, 5> steps_known{
    version_1, version_2, version_3, version_4, version_5,
};

constexpr std::uint64_t copy_slack_bytes = std::uint64_t{16} << 20;

void copy_before(Connection& writer, const std::string& copy) {
  const auto bytes = static_cast<std::uint64_t>(writer.integer("PRAGMA page_count") *
                                                writer.integer("PRAGMA page_size"));
  require_room(writer.path(), bytes + copy_slack_bytes, "the copy before the upgrade");
  const std::string partial = copy + ".partial";
  unlink(partial.c_str());  // of an attempt that was cut short
  Statement(writer, "VACUUM INTO :copy").bind("copy", partial).run();
  publish(partial, copy);
}

}  // namespace

std::span<const char* const> migrations() noexcept {
  return steps_known;
}

void migrate(Connection& writer, std::span<const char* const> steps) {
  const std::int64_t found = writer.integer("PRAGMA user_version");
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (found == newest) return;
  if (found > newest || found < 0) {
    throw Error(ErrorCode::unavailable,
                "the database " + writer.path() + " was written by a newer iobenchd (version " +
                    std::to_string(found) + " of the tables, this one knows " +
                    std::to_string(newest) + "); it is left as it is");
  }
  if (found > 0) copy_before(writer, writer.path() + ".before-v" + std::to_string(newest));
  Transaction transaction(writer, Transaction::Kind::write);
  for (auto version = found; version < newest; ++version) {
    writer.execute(steps[static_cast<std::size_t>(version)]);
  }
  // Numbers of ours, not text of anyone's: PRAGMA takes no parameters.
  writer.execute(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
  writer.execute(("PRAGMA user_version = " + std::to_string(newest)).c_str());
  transaction.commit();
  // Both numbers into the header itself, where is_ours() looks without opening anything.
  writer.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

}  // namespace iobenchd::storage
