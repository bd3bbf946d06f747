#include "storage/codec.h"
#include "storage/rows.h"

namespace iobenchd::storage {
namespace {

std::string_view clock_source_text(ClockSource source) {
  return source == ClockSource::tsc ? "tsc" : "clock_gettime";
}

std::optional<ClockSource> parse_clock_source(std::string_view text) {
  if (text == "tsc") return ClockSource::tsc;
  if (text == "clock_gettime") return ClockSource::clock_gettime;
  return std::nullopt;
}

void bind_circumstances(Statement& statement, const Circumstances& circumstances) {
  statement.bind("host", circumstances.host)
      .bind("os", circumstances.os)
      .bind("cpu", circumstances.cpu)
      .bind("program_version", circumstances.program_version)
      .bind("build_type", circumstances.build_type)
      .bind("compiler", circumstances.compiler)
      .bind("memory_bytes", circumstances.memory_bytes)
      .bind("cpus", circumstances.cpus)
      .bind("target", circumstances.target)
      .bind("target_kind", circumstances.target_kind)
      .bind("model", circumstances.model)
      .bind("serial", circumstances.serial)
      .bind("firmware", circumstances.firmware)
      .bind("filesystem", circumstances.filesystem)
      .bind("mount_options", circumstances.mount_options)
      .bind("io_scheduler", circumstances.io_scheduler)
      .bind("target_bytes", circumstances.target_bytes)
      .bind("logical_sector_bytes", circumstances.logical_sector_bytes)
      .bind("physical_sector_bytes", circumstances.physical_sector_bytes)
      .bind("virtual_machine", circumstances.virtual_machine)
      .bind("in_use", circumstances.in_use)
      .bind("block_storage", circumstances.block_storage)
      .bind("database_on_target", circumstances.database_on_target);
}

void bind_figures(Statement& insert, const Run& run) {
  const Measurement& m = run.measurement;
  std::optional<Blob> fsync_latency;
  if (m.fsync.ios > 0) fsync_latency = encode_histogram(m.fsync.latency);
  insert.bind("run_id", run.id)
      .bind("measured_ns", m.measured_ns)
      .bind("read_ios", m.read.ios)
      .bind("read_bytes", m.read.bytes)
      .bind("read_errors", m.read.errors)
      .bind("write_ios", m.write.ios)
      .bind("write_bytes", m.write.bytes)
      .bind("write_errors", m.write.errors)
      .bind("cpu_user_ns", m.cpu_user_ns)
      .bind("cpu_system_ns", m.cpu_system_ns)
      .bind("machine_cpu_busy_percent", m.machine_cpu_busy_percent)
      .bind("load_average", m.load_average)
      .bind("wakeup_delay_count", m.wakeup_delay.count)
      .bind("wakeup_delay_p50_ns", m.wakeup_delay.p50_ns)
      .bind("wakeup_delay_p99_ns", m.wakeup_delay.p99_ns)
      .bind("wakeup_delay_max_ns", m.wakeup_delay.max_ns)
      .bind("wakeup_reference_count", m.wakeup_reference.count)
      .bind("wakeup_reference_p50_ns", m.wakeup_reference.p50_ns)
      .bind("wakeup_reference_p99_ns", m.wakeup_reference.p99_ns)
      .bind("wakeup_reference_max_ns", m.wakeup_reference.max_ns)
      .bind("voluntary_context_switches", m.voluntary_context_switches)
      .bind("involuntary_context_switches", m.involuntary_context_switches)
      .bind("minor_page_faults", m.minor_page_faults)
      .bind("major_page_faults", m.major_page_faults)
      .bind("verified_bytes", m.verified_bytes)
      .bind("rounds", m.rounds)
      .bind("rounds_steady", m.rounds_steady)
      .bind("device_read_ios", m.device_read_ios)
      .bind("device_write_ios", m.device_write_ios)
      .bind("device_read_bytes", m.device_read_bytes)
      .bind("device_write_bytes", m.device_write_bytes)
      .bind("device_counters_known", m.device_counters_known)
      .bind("clock_source", clock_source_text(m.clock_source))
      .bind("ioengine", to_string(m.ioengine))
      .bind("direct", m.direct)
      .bind("engine_flags", m.engine_flags)
      .bind("batch_submit", m.batch_submit)
      .bind("batch_complete", m.batch_complete)
      .bind("in_flight_max", m.in_flight_max)
      .bind("imported_figures", run.imported_figures)
      .bind("imported_iops", run.imported.iops)
      .bind("imported_bandwidth_bytes_per_s", run.imported.bandwidth_bytes_per_s)
      .bind("imported_latency_mean_ns", run.imported.latency_mean_ns)
      .bind("temperature_celsius", run.health.temperature_celsius)
      .bind("temperature_limit_celsius", run.health.temperature_limit_celsius)
      .bind("wear_percent_used", run.health.wear_percent_used)
      .bind("hole_percent", run.hole_percent)
      .bind("governor", run.governor)
      .bind("container", run.container)
      .bind("fsync_ios", m.fsync.ios)
      .bind("fsync_latency", fsync_latency)
      .bind("read_latency", encode_histogram(m.read.latency))
      .bind("write_latency", encode_histogram(m.write.latency))
      .bind("samples", encode_samples(m.samples))
      .bind("samples_variation", m.samples_variation)
      .bind("jobs", encode_jobs(m.jobs));
}

void read_figures(Statement& row, Run& run) {
  Measurement& m = run.measurement;
  m.measured_ns = row.unsigned64("measured_ns");
  m.read.ios = row.unsigned64("read_ios");
  m.read.bytes = row.unsigned64("read_bytes");
  m.read.errors = row.unsigned64("read_errors");
  m.write.ios = row.unsigned64("write_ios");
  m.write.bytes = row.unsigned64("write_bytes");
  m.write.errors = row.unsigned64("write_errors");
  m.cpu_user_ns = row.unsigned64("cpu_user_ns");
  m.cpu_system_ns = row.unsigned64("cpu_system_ns");
  m.machine_cpu_busy_percent = row.real("machine_cpu_busy_percent");
  m.load_average = row.real("load_average");
  m.wakeup_delay.count = row.unsigned64("wakeup_delay_count");
  m.wakeup_delay.p50_ns = row.unsigned64("wakeup_delay_p50_ns");
  m.wakeup_delay.p99_ns = row.unsigned64("wakeup_delay_p99_ns");
  m.wakeup_delay.max_ns = row.unsigned64("wakeup_delay_max_ns");
  m.wakeup_reference.count = row.unsigned64("wakeup_reference_count");
  m.wakeup_reference.p50_ns = row.unsigned64("wakeup_reference_p50_ns");
  m.wakeup_reference.p99_ns = row.unsigned64("wakeup_reference_p99_ns");
  m.wakeup_reference.max_ns = row.unsigned64("wakeup_reference_max_ns");
  m.voluntary_context_switches = row.unsigned64("voluntary_context_switches");
  m.involuntary_context_switches = row.unsigned64("involuntary_context_switches");
  m.minor_page_faults = row.unsigned64("minor_page_faults");
  m.major_page_faults = row.unsigned64("major_page_faults");
  m.verified_bytes = row.unsigned64("verified_bytes");
  m.rounds = row.unsigned32("rounds");
  m.rounds_steady = row.boolean("rounds_steady");
  m.device_read_ios = row.unsigned64("device_read_ios");
  m.device_write_ios = row.unsigned64("device_write_ios");
  m.device_read_bytes = row.unsigned64("device_read_bytes");
  m.device_write_bytes = row.unsigned64("device_write_bytes");
  m.device_counters_known = row.boolean("device_counters_known");
  m.clock_source = word(row, "clock_source", parse_clock_source);
  m.ioengine = word(row, "ioengine", parse_ioengine);
  m.direct = row.boolean("direct");
  m.engine_flags = row.unsigned32("engine_flags");
  m.batch_submit = row.unsigned32("batch_submit");
  m.batch_complete = row.unsigned32("batch_complete");
  m.in_flight_max = row.unsigned32("in_flight_max");
  run.imported_figures = row.boolean("imported_figures");
  run.imported.iops = row.real("imported_iops");
  run.imported.bandwidth_bytes_per_s = row.real("imported_bandwidth_bytes_per_s");
  run.imported.latency_mean_ns = row.real("imported_latency_mean_ns");
  run.health.temperature_celsius = row.real("temperature_celsius");
  run.health.temperature_limit_celsius = row.real("temperature_limit_celsius");
  run.health.wear_percent_used = row.real("wear_percent_used");
  run.hole_percent = row.real("hole_percent");
  run.governor = row.text("governor");
  run.container = row.text("container");
  m.fsync.ios = row.unsigned64("fsync_ios");
  if (!row.is_null("fsync_latency")) m.fsync.latency = decode_histogram(row.blob("fsync_latency"));
  m.read.latency = decode_histogram(row.blob("read_latency"));
  m.write.latency = decode_histogram(row.blob("write_latency"));
  m.samples = decode_samples(row.blob("samples"));
  if (!row.is_null("samples_variation")) m.samples_variation = row.real("samples_variation");
  m.jobs = decode_jobs(row.blob("jobs"));
}

}  // namespace

std::int64_t keep_circumstances(Connection& connection, const Circumstances& circumstances) {
  Statement insert(connection, R"sql(
    INSERT INTO circumstances (host, os, cpu, program_version, build_type, compiler, memory_bytes,
                               cpus, target, target_kind, model, serial, firmware, filesystem,
                               mount_options, io_scheduler, target_bytes, logical_sector_bytes,
                               physical_sector_bytes, virtual_machine, in_use, block_storage,
                               database_on_target)
    VALUES (:host, :os, :cpu, :program_version, :build_type, :compiler, :memory_bytes,
            :cpus, :target, :target_kind, :model, :serial, :firmware, :filesystem,
            :mount_options, :io_scheduler, :target_bytes, :logical_sector_bytes,
            :physical_sector_bytes, :virtual_machine, :in_use, :block_storage,
            :database_on_target)
    ON CONFLICT DO NOTHING)sql");
  bind_circumstances(insert, circumstances);
  insert.run();
  if (connection.changes() == 1) return connection.last_insert_id();
  Statement find(connection, R"sql(
    SELECT id
      FROM circumstances
     WHERE host = :host AND os = :os AND cpu = :cpu AND program_version = :program_version
       AND build_type = :build_type AND compiler = :compiler AND memory_bytes = :memory_bytes
       AND cpus = :cpus AND target = :target AND target_kind = :target_kind AND model = :model
       AND serial = :serial AND firmware = :firmware AND filesystem = :filesystem
       AND mount_options = :mount_options AND io_scheduler = :io_scheduler
       AND target_bytes = :target_bytes AND logical_sector_bytes = :logical_sector_bytes
       AND physical_sector_bytes = :physical_sector_bytes AND virtual_machine = :virtual_machine
       AND in_use = :in_use AND block_storage = :block_storage
       AND database_on_target = :database_on_target
     ORDER BY id)sql");
  bind_circumstances(find, circumstances);
  if (!find.step()) throw Error(ErrorCode::internal, "circumstances neither new nor known");
  return find.integer("id");
}

Circumstances read_circumstances(Connection& connection, std::int64_t id) {
  Statement row(connection, R"sql(
    SELECT host, os, cpu, program_version, build_type, compiler, memory_bytes, cpus, target,
           target_kind, model, serial, firmware, filesystem, mount_options, io_scheduler,
           target_bytes, logical_sector_bytes, physical_sector_bytes, virtual_machine, in_use,
           block_storage, database_on_target
      FROM circumstances
     WHERE id = :id
     ORDER BY id)sql");
  Circumstances c;
  if (!row.bind("id", id).step()) return c;
  c.host = row.text("host");
  c.os = row.text("os");
  c.cpu = row.text("cpu");
  c.program_version = row.text("program_version");
  c.build_type = row.text("build_type");
  c.compiler = row.text("compiler");
  c.memory_bytes = row.unsigned64("memory_bytes");
  c.cpus = row.unsigned32("cpus");
  c.target = row.text("target");
  c.target_kind = row.text("target_kind");
  c.model = row.text("model");
  c.serial = row.text("serial");
  c.firmware = row.text("firmware");
  c.filesystem = row.text("filesystem");
  c.mount_options = row.text("mount_options");
  c.io_scheduler = row.text("io_scheduler");
  c.target_bytes = row.unsigned64("target_bytes");
  c.logical_sector_bytes = row.unsigned32("logical_sector_bytes");
  c.physical_sector_bytes = row.unsigned32("physical_sector_bytes");
  c.virtual_machine = row.boolean("virtual_machine");
  c.in_use = row.boolean("in_use");
  c.block_storage = row.boolean("block_storage");
  c.database_on_target = row.boolean("database_on_target");
  return c;
}

void drop_circumstances(Connection& connection, std::int64_t id) {
  Statement(connection, R"sql(
    DELETE FROM circumstances
     WHERE id = :id
       AND NOT EXISTS (SELECT 1 FROM runs WHERE circumstances_id = circumstances.id))sql")
      .bind("id", id)
      .run();
}

void insert_measurement(Connection& connection, const Run& run) {
  Statement insert(connection, R"sql(
    INSERT INTO measurements (run_id, measured_ns, read_ios, read_bytes, read_errors, write_ios,
                              write_bytes, write_errors, cpu_user_ns, cpu_system_ns,
                              machine_cpu_busy_percent, load_average, wakeup_delay_count,
                              wakeup_delay_p50_ns, wakeup_delay_p99_ns, wakeup_delay_max_ns,
                              wakeup_reference_count, wakeup_reference_p50_ns,
                              wakeup_reference_p99_ns, wakeup_reference_max_ns, device_read_bytes,
                              device_write_bytes, device_counters_known, clock_source, ioengine,
                              direct, engine_flags, batch_submit, batch_complete, in_flight_max,
                              imported_figures, imported_iops, imported_bandwidth_bytes_per_s,
                              imported_latency_mean_ns, voluntary_context_switches,
                              involuntary_context_switches, minor_page_faults, major_page_faults,
                              verified_bytes, rounds, rounds_steady, device_read_ios,
                              device_write_ios, temperature_celsius, temperature_limit_celsius,
                              wear_percent_used, hole_percent, governor,
                              container, fsync_ios, fsync_latency, read_latency, write_latency,
                              samples, samples_variation, jobs)
    VALUES (:run_id, :measured_ns, :read_ios, :read_bytes, :read_errors, :write_ios,
            :write_bytes, :write_errors, :cpu_user_ns, :cpu_system_ns,
            :machine_cpu_busy_percent, :load_average, :wakeup_delay_count,
            :wakeup_delay_p50_ns, :wakeup_delay_p99_ns, :wakeup_delay_max_ns,
            :wakeup_reference_count, :wakeup_reference_p50_ns,
            :wakeup_reference_p99_ns, :wakeup_reference_max_ns, :device_read_bytes,
            :device_write_bytes, :device_counters_known, :clock_source, :ioengine,
            :direct, :engine_flags, :batch_submit, :batch_complete, :in_flight_max,
            :imported_figures, :imported_iops, :imported_bandwidth_bytes_per_s,
            :imported_latency_mean_ns, :voluntary_context_switches,
            :involuntary_context_switches, :minor_page_faults, :major_page_faults,
            :verified_bytes, :rounds, :rounds_steady, :device_read_ios, :device_write_ios,
            :temperature_celsius, :temperature_limit_celsius, :wear_percent_used, :hole_percent,
            :governor, :container,
            :fsync_ios, :fsync_latency, :read_latency, :write_latency, :samples,
            :samples_variation, :jobs))sql");
  bind_figures(insert, run);
  insert.run();
  if (run.imported_figures) insert_printed_figures(connection, run);
}

void read_measurement(Connection& connection, Run& run) {
  Statement row(connection, R"sql(
    SELECT measured_ns, read_ios, read_bytes, read_errors, write_ios, write_bytes, write_errors,
           cpu_user_ns, cpu_system_ns, machine_cpu_busy_percent, load_average, wakeup_delay_count,
           wakeup_delay_p50_ns, wakeup_delay_p99_ns, wakeup_delay_max_ns, wakeup_reference_count,
           wakeup_reference_p50_ns, wakeup_reference_p99_ns, wakeup_reference_max_ns,
           device_read_bytes, device_write_bytes, device_counters_known, clock_source, ioengine,
           direct, engine_flags, batch_submit, batch_complete, in_flight_max, imported_figures,
           imported_iops, imported_bandwidth_bytes_per_s, imported_latency_mean_ns,
           voluntary_context_switches, involuntary_context_switches, minor_page_faults,
           major_page_faults, verified_bytes, rounds, rounds_steady, device_read_ios,
           device_write_ios, temperature_celsius, temperature_limit_celsius, wear_percent_used,
           hole_percent, governor, container, fsync_ios, fsync_latency, read_latency,
           write_latency, samples, samples_variation, jobs
      FROM measurements
     WHERE run_id = :run_id
     ORDER BY run_id)sql");
  if (row.bind("run_id", run.id).step()) read_figures(row, run);
  if (run.imported_figures) read_printed_figures(connection, run);
}

Setting read_setting(Statement& row) {
  Setting setting;
  setting.rw = word(row, "rw", parse_rw);
  setting.block_bytes = row.unsigned32("block_bytes");
  setting.iodepth = row.unsigned32("iodepth");
  setting.numjobs = row.unsigned32("numjobs");
  return setting;
}

RunSummary read_summary(Statement& row) {
  RunSummary summary;
  summary.run_id = row.integer("id");
  summary.sweep_id = row.integer("sweep_id");
  summary.setting = read_setting(row);
  summary.repeat = row.unsigned32("repeat");
  summary.is_drift_check = row.boolean("is_drift_check");
  summary.state = word(row, "state", parse_run_state);
  summary.started_at_ns = row.integer("started_at_ns");
  summary.finished_at_ns = row.integer("finished_at_ns");
  summary.error = row.text("error");
  summary.target = row.text("target");
  summary.serial = row.text("serial");
  summary.model = row.text("model");
  summary.host = row.text("host");
  summary.ioengine = word(row, "ioengine", parse_ioengine);
  summary.direct = row.boolean("direct");
  summary.engine_flags = row.unsigned32("engine_flags");
  summary.iops = row.real("iops");
  summary.bandwidth_bytes_per_s = row.real("bandwidth_bytes_per_s");
  summary.latency_mean_ns = row.real("latency_mean_ns");
  summary.latency_min_ns = row.unsigned64("latency_min_ns");
  summary.latency_p50_ns = row.unsigned64("latency_p50_ns");
  summary.latency_p90_ns = row.unsigned64("latency_p90_ns");
  summary.latency_p99_ns = row.unsigned64("latency_p99_ns");
  summary.latency_p99_9_ns = row.unsigned64("latency_p99_9_ns");
  summary.latency_p99_99_ns = row.unsigned64("latency_p99_99_ns");
  summary.latency_max_ns = row.unsigned64("latency_max_ns");
  summary.concurrency = row.real("concurrency");
  summary.depth_attained = row.real("depth_attained");
  summary.cpu_user_percent = row.real("cpu_user_percent");
  summary.cpu_system_percent = row.real("cpu_system_percent");
  summary.cpu_per_io_ns = row.real("cpu_per_io_ns");
  summary.load_average = row.real("load_average");
  summary.wakeup_delay_p99_ns = row.unsigned64("wakeup_delay_p99_ns");
  summary.measured_seconds = row.real("measured_seconds");
  return summary;
}

}  // namespace iobenchd::storage
