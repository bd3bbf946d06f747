#include <array>
#include <charconv>
#include <set>

#include "storage/rows.h"

namespace iobenchd::storage {
namespace {

[[noreturn]] void damaged(std::string_view text) {
  throw Error(ErrorCode::unavailable,
              "the database is damaged: \"" + std::string(text) + "\" is no list of ours");
}

template <typename Each>
void split(std::string_view text, char separator, Each each) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::uint32_t parse_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) damaged(text);
  return value;
}

Rw parse_known_rw(std::string_view text) {
  const auto value = parse_rw(text);
  if (!value) damaged(text);
  return *value;
}

std::optional<Statistic> parse_statistic(std::string_view text) {
  if (text == "p99") return Statistic::p99;
  if (text == "mean") return Statistic::mean;
  return std::nullopt;
}

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ',';
  list += item;
}

void bind_workload(Statement& statement, const Workload& workload) {
  statement.bind("rwmixread", workload.rwmixread)
      .bind("rate_iops", workload.rate_iops)
      .bind("rate_process", to_string(workload.rate_process))
      .bind("io_size_bytes", workload.io_size_bytes)
      .bind("fsync", workload.fsync)
      .bind("sync", to_string(workload.sync))
      .bind("norandommap", workload.norandommap == 1)
      .bind("random_distribution", to_string(workload.random_distribution))
      .bind("buffer_compress_percentage", workload.buffer_compress_percentage)
      .bind("hipri", workload.hipri == 1)
      .bind("verify", workload.verify == 1);
}

Workload read_workload(Statement& row) {
  Workload workload;
  workload.rwmixread = row.unsigned32("rwmixread");
  workload.rate_iops = row.unsigned64("rate_iops");
  workload.rate_process = word(row, "rate_process", parse_rate_process);
  workload.io_size_bytes = row.unsigned64("io_size_bytes");
  workload.fsync = row.unsigned32("fsync");
  workload.sync = word(row, "sync", parse_sync);
  workload.norandommap = row.boolean("norandommap") ? 1 : 0;
  workload.random_distribution = word(row, "random_distribution", parse_random_distribution);
  workload.buffer_compress_percentage = row.unsigned32("buffer_compress_percentage");
  workload.hipri = row.boolean("hipri") ? 1 : 0;
  workload.verify = row.boolean("verify") ? 1 : 0;
  return workload;
}

Plan read_plan(Statement& row) {
  Plan plan;
  plan.runs = row.unsigned32("plan_runs");
  plan.seconds = row.real("plan_seconds");
  plan.layout_bytes = row.unsigned64("plan_layout_bytes");
  plan.write_bytes = row.unsigned64("plan_write_bytes");
  plan.ioengine = row.text("plan_ioengine");
  plan.size_bytes = row.unsigned64("plan_size_bytes");
  plan.target = row.text("plan_target");
  plan.settings = parse_settings(row.text("plan_settings"));
  return plan;
}

}  // namespace

void bind_spec(Statement& statement, const SweepSpec& spec) {
  std::optional<std::string_view> layout, statistic;
  std::optional<std::uint64_t> limit_ns;
  if (spec.layout) layout = to_string(*spec.layout);
  if (spec.latency_limit) {
    statistic = spec.latency_limit->statistic == Statistic::p99 ? "p99" : "mean";
    limit_ns = spec.latency_limit->limit_ns;
  }
  statement.bind("preset", spec.preset)
      .bind("label", spec.label)
      .bind("target", spec.target)
      .bind("size_bytes", spec.size_bytes)
      .bind("offset_bytes", spec.offset_bytes)
      .bind("rw", list_text(spec.rw))
      .bind("bs", list_text(spec.bs))
      .bind("iodepth", list_text(spec.iodepth))
      .bind("numjobs", list_text(spec.numjobs))
      .bind("numjobs_auto", spec.numjobs_auto)
      .bind("runtime_ns", spec.runtime_ns)
      .bind("ramp_time_ns", spec.ramp_time_ns)
      .bind("repeats", spec.repeats)
      .bind("repeats_most", spec.repeats_most)
      .bind("repeats_auto", spec.repeats_auto)
      .bind("ci_percent", spec.ci_percent)
      .bind("steady_rounds", spec.steady_rounds)
      .bind("steady_round_ns", spec.steady_round_ns)
      .bind("precondition", spec.precondition)
      .bind("order", to_string(spec.order))
      .bind("ioengine", to_string(spec.ioengine))
      .bind("direct", spec.direct)
      .bind("thread", spec.thread)
      .bind("refine", spec.refine)
      .bind("keep_file", spec.keep_file)
      .bind("batch_submit", spec.batch_submit)
      .bind("batch_complete", spec.batch_complete)
      .bind("seed", spec.seed)
      .bind("layout", layout)
      .bind("cooldown_ns", spec.cooldown_ns)
      .bind("latency_limit_statistic", statistic)
      .bind("latency_limit_ns", limit_ns)
      .bind("on_restart", to_string(spec.on_restart))
      .bind("cpus_allowed", spec.cpus_allowed)
      .bind("yield_to_other_io", spec.yield_to_other_io)
      .bind("confirm", spec.confirm);
  bind_workload(statement, spec.workload);
}

SweepSpec read_spec(Statement& row) {
  SweepSpec spec;
  spec.preset = row.text("preset");
  spec.label = row.text("label");
  spec.target = row.text("target");
  spec.size_bytes = row.unsigned64("size_bytes");
  spec.offset_bytes = row.unsigned64("offset_bytes");
  spec.rw = parse_rws(row.text("rw"));
  spec.bs = parse_numbers(row.text("bs"));
  spec.iodepth = parse_numbers(row.text("iodepth"));
  spec.numjobs = parse_numbers(row.text("numjobs"));
  spec.numjobs_auto = row.boolean("numjobs_auto");
  spec.runtime_ns = row.unsigned64("runtime_ns");
  spec.ramp_time_ns = row.unsigned64("ramp_time_ns");
  spec.repeats = row.unsigned32("repeats");
  spec.repeats_most = row.unsigned32("repeats_most");
  spec.repeats_auto = row.boolean("repeats_auto");
  spec.ci_percent = row.real("ci_percent");
  spec.steady_rounds = row.unsigned32("steady_rounds");
  spec.steady_round_ns = row.unsigned64("steady_round_ns");
  spec.precondition = row.boolean("precondition");
  spec.order = word(row, "order", parse_order);
  spec.ioengine = word(row, "ioengine", parse_ioengine);
  spec.direct = row.boolean("direct");
  spec.thread = row.boolean("thread");
  spec.refine = row.boolean("refine");
  spec.keep_file = row.boolean("keep_file");
  spec.batch_submit = row.unsigned32("batch_submit");
  spec.batch_complete = row.unsigned32("batch_complete");
  if (!row.is_null("seed")) spec.seed = row.unsigned64("seed");
  if (!row.is_null("layout")) spec.layout = word(row, "layout", parse_layout);
  spec.cooldown_ns = row.unsigned64("cooldown_ns");
  if (!row.is_null("latency_limit_statistic")) {
    const Statistic statistic = word(row, "latency_limit_statistic", parse_statistic);
    spec.latency_limit = LatencyLimit{statistic, row.unsigned64("latency_limit_ns")};
  }
  spec.on_restart = word(row, "on_restart", parse_on_restart);
  spec.workload = read_workload(row);
  spec.cpus_allowed = row.text("cpus_allowed");
  if (!row.is_null("yield_to_other_io")) spec.yield_to_other_io = row.boolean("yield_to_other_io");
  spec.confirm = row.text("confirm");
  return spec;
}

std::string list_text(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) append(text, std::to_string(number));
  return text;
}

std::vector<std::uint32_t> parse_numbers(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  split(text, ',', [&](std::string_view item) { numbers.push_back(parse_number(item)); });
  return numbers;
}

std::string list_text(const std::vector<Rw>& values) {
  std::string text;
  for (const Rw value : values) append(text, to_string(value));
  return text;
}

std::vector<Rw> parse_rws(std::string_view text) {
  std::vector<Rw> values;
  split(text, ',', [&](std::string_view item) { values.push_back(parse_known_rw(item)); });
  return values;
}

std::string list_text(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& setting : settings) {
    append(text, to_string(setting.rw));
    for (const std::uint32_t number : {setting.block_bytes, setting.iodepth, setting.numjobs}) {
      text += '/' + std::to_string(number);
    }
  }
  return text;
}

std::vector<Setting> parse_settings(std::string_view text) {
  std::vector<Setting> settings;
  split(text, ',', [&](std::string_view item) {
    std::array<std::string_view, 4> parts;
    std::size_t count = 0;
    split(item, '/', [&](std::string_view part) {
      if (count == parts.size()) damaged(item);
      parts[count++] = part;
    });
    if (count != parts.size()) damaged(item);
    settings.push_back({parse_known_rw(parts[0]), parse_number(parts[1]), parse_number(parts[2]),
                        parse_number(parts[3])});
  });
  return settings;
}

void insert_sweep(Connection& connection, Sweep& sweep) {
  Statement insert(connection, R"sql(
    INSERT INTO sweeps (uuid, state, origin, host,
                        preset, label, target, size_bytes, offset_bytes, rw, bs, iodepth, numjobs,
                        numjobs_auto, runtime_ns, ramp_time_ns, repeats, "order", ioengine, direct,
                        thread, refine, keep_file, batch_submit, batch_complete, seed, layout,
                        cooldown_ns, latency_limit_statistic, latency_limit_ns, on_restart, confirm,
                        repeats_most, repeats_auto, ci_percent, steady_rounds, steady_round_ns,
                        precondition, rwmixread, rate_iops, rate_process,
                        io_size_bytes, fsync, sync, norandommap, random_distribution,
                        buffer_compress_percentage, hipri, verify, cpus_allowed,
                        yield_to_other_io,
                        plan_runs, plan_seconds, plan_layout_bytes, plan_write_bytes, plan_ioengine,
                        plan_size_bytes, plan_target, plan_settings,
                        created_at_ns, started_at_ns, finished_at_ns, answer, runs_done,
                        runs_failed, error, notes, pinned, schedule_id)
    VALUES (:uuid, :state, :origin, :host,
            :preset, :label, :target, :size_bytes, :offset_bytes, :rw, :bs, :iodepth, :numjobs,
            :numjobs_auto, :runtime_ns, :ramp_time_ns, :repeats, :order, :ioengine, :direct,
            :thread, :refine, :keep_file, :batch_submit, :batch_complete, :seed, :layout,
            :cooldown_ns, :latency_limit_statistic, :latency_limit_ns, :on_restart, :confirm,
            :repeats_most, :repeats_auto, :ci_percent, :steady_rounds, :steady_round_ns,
            :precondition, :rwmixread, :rate_iops, :rate_process,
            :io_size_bytes, :fsync, :sync, :norandommap, :random_distribution,
            :buffer_compress_percentage, :hipri, :verify, :cpus_allowed,
            :yield_to_other_io,
            :plan_runs, :plan_seconds, :plan_layout_bytes, :plan_write_bytes, :plan_ioengine,
            :plan_size_bytes, :plan_target, :plan_settings,
            :created_at_ns, :started_at_ns, :finished_at_ns, :answer, :runs_done,
            :runs_failed, :error, :notes, :pinned, :schedule_id))sql");
  insert.bind("uuid", sweep.uuid)
      .bind("state", to_string(sweep.state))
      .bind("origin", to_string(sweep.origin))
      .bind("host", sweep.host);
  bind_spec(insert, sweep.spec);
  std::optional<std::int64_t> schedule_id;
  if (sweep.schedule_id != 0) schedule_id = sweep.schedule_id;
  insert.bind("plan_runs", sweep.plan.runs)
      .bind("plan_seconds", sweep.plan.seconds)
      .bind("plan_layout_bytes", sweep.plan.layout_bytes)
      .bind("plan_write_bytes", sweep.plan.write_bytes)
      .bind("plan_ioengine", sweep.plan.ioengine)
      .bind("plan_size_bytes", sweep.plan.size_bytes)
      .bind("plan_target", sweep.plan.target)
      .bind("plan_settings", list_text(sweep.plan.settings))
      .bind("created_at_ns", sweep.created_at_ns)
      .bind("started_at_ns", sweep.started_at_ns)
      .bind("finished_at_ns", sweep.finished_at_ns)
      .bind("answer", sweep.answer)
      .bind("runs_done", sweep.runs_done)
      .bind("runs_failed", sweep.runs_failed)
      .bind("error", sweep.error)
      .bind("notes", sweep.notes)
      .bind("pinned", sweep.pinned)
      .bind("schedule_id", schedule_id)
      .run();
  sweep.id = connection.last_insert_id();
  for (const Rw rw : sweep.spec.rw) {
    // A list may name one twice; once is enough here.
    Statement(connection, R"sql(
      INSERT OR IGNORE INTO sweep_rw (rw, created_at_ns, sweep_id)
      VALUES (:rw, :created_at_ns, :sweep_id))sql")
        .bind("rw", to_string(rw))
        .bind("created_at_ns", sweep.created_at_ns)
        .bind("sweep_id", sweep.id)
        .run();
  }
}

Sweep read_sweep(Statement& row) {
  Sweep sweep;
  sweep.id = row.integer("id");
  sweep.uuid = row.text("uuid");
  sweep.state = word(row, "state", parse_sweep_state);
  sweep.origin = word(row, "origin", parse_origin);
  sweep.host = row.text("host");
  sweep.spec = read_spec(row);
  sweep.plan = read_plan(row);
  sweep.created_at_ns = row.integer("created_at_ns");
  sweep.started_at_ns = row.integer("started_at_ns");
  sweep.finished_at_ns = row.integer("finished_at_ns");
  sweep.answer = row.text("answer");
  sweep.runs_done = row.unsigned32("runs_done");
  sweep.runs_failed = row.unsigned32("runs_failed");
  sweep.error = row.text("error");
  sweep.notes = row.text("notes");
  sweep.pinned = row.boolean("pinned");
  if (!row.is_null("schedule_id")) sweep.schedule_id = row.integer("schedule_id");
  return sweep;
}

bool delete_sweep(Connection& connection, std::int64_t id, bool even_pinned) {
  std::set<std::int64_t> circumstances, identities;
  {
    Statement row(connection, R"sql(
      SELECT circumstances_id, identity_id
        FROM runs
       WHERE sweep_id = :id
       ORDER BY id)sql");
    row.bind("id", id);
    while (row.step()) {
      circumstances.insert(row.integer("circumstances_id"));
      if (!row.is_null("identity_id")) identities.insert(row.integer("identity_id"));
    }
  }
  Statement(connection, R"sql(
    DELETE FROM sweeps
     WHERE id = :id AND state NOT IN ('queued', 'running') AND pinned <= :even_pinned)sql")
      .bind("id", id)
      .bind("even_pinned", even_pinned)
      .run();
  if (connection.changes() == 0) return false;
  for (const std::int64_t unused : circumstances) drop_circumstances(connection, unused);
  for (const std::int64_t unused : identities) drop_identity(connection, unused);
  return true;
}

}  // namespace iobenchd::storage
