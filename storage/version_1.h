// The tables of version 1. Never edit: databases were made with it. A constant, safe from any
// thread.
#pragma once

namespace iobenchd::storage {

// Lists are short texts ("randread,randwrite"). `listed_target` is what a person would filter by:
// a scratch sweep names no target, its plan names the directory. `sweep_rw` is the list once more,
// with an index on it.
//
// Every index on runs ends in started_at_ns (and, as all of SQLite's do, in id): a page with one
// filter, and a span of time, is a walk along one index. label, origin, target, serial, model and
// host are repeated in each run for that; PATCH changes the label there as well.
//
// Samples, job figures and histograms are blobs: nobody asks for one second of one run, and a
// million runs would be a hundred million rows. What lists show stays in `runs`, whose rows stay
// small.
inline constexpr const char* version_1 = R"sql(
CREATE TABLE sweeps (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  origin TEXT NOT NULL,
  host TEXT NOT NULL,
  preset TEXT NOT NULL,
  label TEXT NOT NULL,
  target TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  offset_bytes INTEGER NOT NULL,
  rw TEXT NOT NULL,
  bs TEXT NOT NULL,
  iodepth TEXT NOT NULL,
  numjobs TEXT NOT NULL,
  numjobs_auto INTEGER NOT NULL,
  runtime_ns INTEGER NOT NULL,
  ramp_time_ns INTEGER NOT NULL,
  repeats INTEGER NOT NULL,
  "order" TEXT NOT NULL,
  ioengine TEXT NOT NULL,
  direct INTEGER NOT NULL,
  thread INTEGER NOT NULL,
  refine INTEGER NOT NULL,
  keep_file INTEGER NOT NULL,
  batch_submit INTEGER NOT NULL,
  batch_complete INTEGER NOT NULL,
  seed INTEGER,
  layout TEXT,
  cooldown_ns INTEGER NOT NULL,
  latency_limit_statistic TEXT,
  latency_limit_ns INTEGER,
  on_restart TEXT NOT NULL,
  confirm TEXT NOT NULL,
  plan_runs INTEGER NOT NULL,
  plan_seconds REAL,
  plan_layout_bytes INTEGER NOT NULL,
  plan_write_bytes INTEGER NOT NULL,
  plan_ioengine TEXT NOT NULL,
  plan_size_bytes INTEGER NOT NULL,
  plan_target TEXT NOT NULL,
  plan_settings TEXT NOT NULL,
  created_at_ns INTEGER NOT NULL,
  started_at_ns INTEGER NOT NULL,
  finished_at_ns INTEGER NOT NULL,
  answer TEXT NOT NULL,
  runs_done INTEGER NOT NULL,
  runs_failed INTEGER NOT NULL,
  error TEXT NOT NULL,
  notes TEXT NOT NULL,
  pinned INTEGER NOT NULL,
  listed_target TEXT NOT NULL
    AS (CASE plan_target WHEN '' THEN target ELSE plan_target END) VIRTUAL
) STRICT;
CREATE INDEX sweeps_by_created_at ON sweeps (created_at_ns);
CREATE INDEX sweeps_by_state ON sweeps (state, created_at_ns);
CREATE INDEX sweeps_by_listed_target ON sweeps (listed_target, created_at_ns);
CREATE INDEX sweeps_by_label ON sweeps (label, created_at_ns);
CREATE INDEX sweeps_by_host ON sweeps (host, created_at_ns);
CREATE INDEX sweeps_by_origin ON sweeps (origin, created_at_ns);

CREATE TABLE sweep_rw (
  rw TEXT NOT NULL,
  created_at_ns INTEGER NOT NULL,
  sweep_id INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  PRIMARY KEY (rw, created_at_ns, sweep_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_rw_by_sweep ON sweep_rw (sweep_id);

CREATE TABLE idempotency_keys (
  key TEXT PRIMARY KEY,
  sweep_id INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  created_at_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_sweep ON idempotency_keys (sweep_id);
CREATE INDEX idempotency_keys_by_created_at ON idempotency_keys (created_at_ns);

CREATE TABLE circumstances (
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,
  os TEXT NOT NULL,
  cpu TEXT NOT NULL,
  program_version TEXT NOT NULL,
  build_type TEXT NOT NULL,
  compiler TEXT NOT NULL,
  memory_bytes INTEGER NOT NULL,
  cpus INTEGER NOT NULL,
  target TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  model TEXT NOT NULL,
  serial TEXT NOT NULL,
  firmware TEXT NOT NULL,
  filesystem TEXT NOT NULL,
  mount_options TEXT NOT NULL,
  io_scheduler TEXT NOT NULL,
  target_bytes INTEGER NOT NULL,
  logical_sector_bytes INTEGER NOT NULL,
  physical_sector_bytes INTEGER NOT NULL,
  virtual_machine INTEGER NOT NULL,
  in_use INTEGER NOT NULL,
  block_storage INTEGER NOT NULL,
  database_on_target INTEGER NOT NULL,
  UNIQUE (host, target, serial, os, cpu, program_version, build_type, compiler, memory_bytes, cpus,
          target_kind, model, firmware, filesystem, mount_options, io_scheduler, target_bytes,
          logical_sector_bytes, physical_sector_bytes, virtual_machine, in_use, block_storage,
          database_on_target)
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sweep_id INTEGER NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  circumstances_id INTEGER NOT NULL REFERENCES circumstances (id),
  rw TEXT NOT NULL,
  block_bytes INTEGER NOT NULL,
  iodepth INTEGER NOT NULL,
  numjobs INTEGER NOT NULL,
  repeat INTEGER NOT NULL,
  is_drift_check INTEGER NOT NULL,
  state TEXT NOT NULL,
  started_at_ns INTEGER NOT NULL,
  finished_at_ns INTEGER NOT NULL,
  error TEXT NOT NULL,
  seed INTEGER NOT NULL,
  label TEXT NOT NULL,
  origin TEXT NOT NULL,
  target TEXT NOT NULL,
  serial TEXT NOT NULL,
  model TEXT NOT NULL,
  host TEXT NOT NULL,
  ioengine TEXT NOT NULL,
  direct INTEGER NOT NULL,
  engine_flags INTEGER NOT NULL,
  iops REAL,
  bandwidth_bytes_per_s REAL,
  latency_mean_ns REAL,
  latency_min_ns INTEGER NOT NULL,
  latency_p50_ns INTEGER NOT NULL,
  latency_p90_ns INTEGER NOT NULL,
  latency_p99_ns INTEGER NOT NULL,
  latency_p99_9_ns INTEGER NOT NULL,
  latency_p99_99_ns INTEGER NOT NULL,
  latency_max_ns INTEGER NOT NULL,
  concurrency REAL,
  depth_attained REAL,
  cpu_user_percent REAL,
  cpu_system_percent REAL,
  cpu_per_io_ns REAL,
  load_average REAL,
  wakeup_delay_p99_ns INTEGER NOT NULL,
  measured_seconds REAL
) STRICT;
CREATE INDEX runs_by_started_at ON runs (started_at_ns);
CREATE INDEX runs_by_sweep ON runs (sweep_id, started_at_ns);
CREATE INDEX runs_by_circumstances ON runs (circumstances_id);
CREATE INDEX runs_by_rw ON runs (rw, started_at_ns);
CREATE INDEX runs_by_block_bytes ON runs (block_bytes, started_at_ns);
CREATE INDEX runs_by_iodepth ON runs (iodepth, started_at_ns);
CREATE INDEX runs_by_numjobs ON runs (numjobs, started_at_ns);
CREATE INDEX runs_by_state ON runs (state, started_at_ns);
CREATE INDEX runs_by_label ON runs (label, started_at_ns);
CREATE INDEX runs_by_origin ON runs (origin, started_at_ns);
CREATE INDEX runs_by_target ON runs (target, started_at_ns);
CREATE INDEX runs_by_serial ON runs (serial, started_at_ns);
CREATE INDEX runs_by_host ON runs (host, started_at_ns);
CREATE INDEX runs_by_ioengine ON runs (ioengine, started_at_ns);

CREATE TABLE measurements (
  run_id INTEGER PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  measured_ns INTEGER NOT NULL,
  read_ios INTEGER NOT NULL,
  read_bytes INTEGER NOT NULL,
  read_errors INTEGER NOT NULL,
  write_ios INTEGER NOT NULL,
  write_bytes INTEGER NOT NULL,
  write_errors INTEGER NOT NULL,
  cpu_user_ns INTEGER NOT NULL,
  cpu_system_ns INTEGER NOT NULL,
  machine_cpu_busy_percent REAL,
  load_average REAL,
  wakeup_delay_count INTEGER NOT NULL,
  wakeup_delay_p50_ns INTEGER NOT NULL,
  wakeup_delay_p99_ns INTEGER NOT NULL,
  wakeup_delay_max_ns INTEGER NOT NULL,
  wakeup_reference_count INTEGER NOT NULL,
  wakeup_reference_p50_ns INTEGER NOT NULL,
  wakeup_reference_p99_ns INTEGER NOT NULL,
  wakeup_reference_max_ns INTEGER NOT NULL,
  device_read_bytes INTEGER NOT NULL,
  device_write_bytes INTEGER NOT NULL,
  device_counters_known INTEGER NOT NULL,
  clock_source TEXT NOT NULL,
  ioengine TEXT NOT NULL,
  direct INTEGER NOT NULL,
  engine_flags INTEGER NOT NULL,
  batch_submit INTEGER NOT NULL,
  batch_complete INTEGER NOT NULL,
  in_flight_max INTEGER NOT NULL,
  imported_figures INTEGER NOT NULL,
  imported_iops REAL,
  imported_bandwidth_bytes_per_s REAL,
  imported_latency_mean_ns REAL,
  read_latency BLOB NOT NULL,
  write_latency BLOB NOT NULL,
  samples BLOB NOT NULL,
  jobs BLOB NOT NULL
) STRICT;

CREATE TABLE health (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  checked_at_ns INTEGER NOT NULL
) STRICT;
)sql";

}  // namespace iobenchd::storage
