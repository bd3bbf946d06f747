#include "storage/retention.h"

#include <algorithm>
#include <cmath>

#include "storage/codec.h"
#include "storage/database.h"
#include "storage/rows.h"

namespace iobenchd::storage {
namespace {

constexpr std::int64_t day_ns = 24LL * 3600 * 1'000'000'000;
constexpr std::int64_t ids_a_step = 500, at_the_end = -1;
constexpr std::size_t runs_a_transaction = 50, sweeps_a_transaction = 5;
constexpr std::size_t ramp_samples_most = 10;  // of samples_most
// A blob of as few samples as are kept is no longer: a version byte and ten numbers each.
constexpr std::size_t small_blob_bytes = 1 + 10 * samples_most;

std::int64_t limit_ns(std::int64_t now_ns, std::uint32_t days) {
  return now_ns - day_ns * std::int64_t{days};
}

std::uint64_t ios_of(const Sample& sample) {
  return sample.read_ios + sample.write_ios;
}

void add(Sample& sum, const Sample& next) {
  const auto before = static_cast<double>(ios_of(sum)), more = static_cast<double>(ios_of(next));
  if (before + more > 0) {
    const double mean = (static_cast<double>(sum.latency_mean_ns) * before +
                         static_cast<double>(next.latency_mean_ns) * more) /
                        (before + more);
    sum.latency_mean_ns = static_cast<std::uint64_t>(std::llround(mean));
  }
  sum.span_ns += next.span_ns;
  sum.read_ios += next.read_ios;
  sum.write_ios += next.write_ios;
  sum.read_bytes += next.read_bytes;
  sum.write_bytes += next.write_bytes;
  sum.latency_p50_ns = std::max(sum.latency_p50_ns, next.latency_p50_ns);
  sum.latency_p99_ns = std::max(sum.latency_p99_ns, next.latency_p99_ns);
  sum.latency_max_ns = std::max(sum.latency_max_ns, next.latency_max_ns);
}

// How many become one.
std::size_t neighbours(std::size_t samples, std::size_t most) {
  return std::max<std::size_t>(1, (samples + most - 1) / most);
}

// The next stretch of ids, and whether it is the last.
struct Stretch {
  std::int64_t after = 0, until = 0;
  bool last = false;
};
Stretch stretch_of(Connection& connection, const char* newest, std::int64_t after) {
  const std::int64_t until = after + ids_a_step;
  return {after, until, connection.integer(newest) <= until};
}

std::vector<std::int64_t> runs_due(Connection& connection, const Stretch& stretch,
                                   std::int64_t before_ns) {
  Statement row(connection, R"sql(
    SELECT runs.id AS run_id
      FROM runs
      JOIN sweeps ON sweeps.id = runs.sweep_id
      JOIN measurements ON measurements.run_id = runs.id
     WHERE runs.id > :after AND runs.id <= :until
       AND runs.finished_at_ns > 0 AND runs.finished_at_ns < :before_ns
       AND sweeps.pinned = 0
       AND samples_variation IS NULL AND length(samples) > :bytes
     ORDER BY runs.id)sql");
  row.bind("after", stretch.after)
      .bind("until", stretch.until)
      .bind("before_ns", before_ns)
      .bind("bytes", small_blob_bytes);
  std::vector<std::int64_t> ids;
  while (row.step()) ids.push_back(row.integer("run_id"));
  return ids;
}

void thin_run(Connection& connection, std::int64_t run_id, const RetentionRules& rules) {
  std::vector<Sample> samples;
  {
    Statement row(connection, R"sql(
      SELECT samples
        FROM measurements
        JOIN runs ON runs.id = run_id
        JOIN sweeps ON sweeps.id = sweep_id
       WHERE run_id = :run_id AND pinned = 0
       ORDER BY run_id)sql");
    if (!row.bind("run_id", run_id).step()) return;  // deleted or pinned a moment ago
    try {
      samples = decode_samples(row.blob("samples"));
    } catch (const Error&) {
      return;  // what can't be read stays as it is, and keeps nobody else from being thinned
    }
  }
  if (samples.size() <= samples_most) return;
  Statement(connection, R"sql(
    UPDATE measurements
       SET samples = :samples, samples_variation = :samples_variation
     WHERE run_id = :run_id)sql")
      .bind("samples", encode_samples(thinned(samples)))
      .bind("samples_variation", rules.variation(samples))
      .bind("run_id", run_id)
      .run();
}

std::vector<std::int64_t> sweeps_due(Connection& connection, const Stretch& stretch,
                                     std::int64_t before_ns) {
  Statement row(connection, R"sql(
    SELECT id
      FROM sweeps
     WHERE id > :after AND id <= :until
       AND state IN ('done', 'failed', 'cancelled')
       AND finished_at_ns > 0 AND finished_at_ns < :before_ns
       AND pinned = 0 AND origin = 'local'
     ORDER BY id)sql");
  row.bind("after", stretch.after).bind("until", stretch.until).bind("before_ns", before_ns);
  std::vector<std::int64_t> ids;
  while (row.step()) ids.push_back(row.integer("id"));
  return ids;
}

}  // namespace

std::vector<Sample> thinned(std::span<const Sample> samples) {
  const auto in_ramp = static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](const Sample& one) { return one.ramp; }));
  const std::size_t of_ramp = neighbours(in_ramp, ramp_samples_most);
  const std::size_t of_rest =
      neighbours(samples.size() - in_ramp, samples_most - ramp_samples_most);
  std::vector<Sample> kept;
  std::size_t in_last = 0;
  for (const Sample& sample : samples) {
    const std::size_t most = sample.ramp ? of_ramp : of_rest;
    if (kept.empty() || in_last == most || kept.back().ramp != sample.ramp) {
      kept.push_back(sample);
      in_last = 1;
      continue;
    }
    add(kept.back(), sample);
    ++in_last;
  }
  return kept;
}

bool Retention::step(Database& database, const RetentionRules& rules, std::int64_t now_ns) {
  if (over_ && now_ns >= over_at_ns_ && now_ns - over_at_ns_ < day_ns) return false;
  if (over_) {
    over_ = false;
    run_after_ = sweep_after_ = 0;
  }
  if (rules.samples_days > 0 && run_after_ != at_the_end) {
    thin_some(database, rules, now_ns);
    return true;
  }
  if (rules.sweeps_days > 0 && sweep_after_ != at_the_end) {
    delete_some(database, rules, now_ns);
    return true;
  }
  over_ = true;
  over_at_ns_ = now_ns;
  return false;
}

void Retention::thin_some(Database& database, const RetentionRules& rules, std::int64_t now_ns) {
  Stretch stretch;
  std::vector<std::int64_t> due = database.read([&](Connection& connection) {
    stretch = stretch_of(connection, "SELECT coalesce(max(id), 0) FROM runs", run_after_);
    return runs_due(connection, stretch, limit_ns(now_ns, rules.samples_days));
  });
  const bool all = due.size() <= runs_a_transaction;
  if (!all) due.resize(runs_a_transaction);
  run_after_ = !all ? due.back() : stretch.last ? at_the_end : stretch.until;
  if (due.empty()) return;
  database.write_new([&](Connection& connection) {
    for (const std::int64_t run_id : due) thin_run(connection, run_id, rules);
  });
}

void Retention::delete_some(Database& database, const RetentionRules& rules, std::int64_t now_ns) {
  Stretch stretch;
  std::vector<std::int64_t> due = database.read([&](Connection& connection) {
    stretch = stretch_of(connection, "SELECT coalesce(max(id), 0) FROM sweeps", sweep_after_);
    return sweeps_due(connection, stretch, limit_ns(now_ns, rules.sweeps_days));
  });
  const bool all = due.size() <= sweeps_a_transaction;
  if (!all) due.resize(sweeps_a_transaction);
  sweep_after_ = !all ? due.back() : stretch.last ? at_the_end : stretch.until;
  if (due.empty()) return;
  database.write_new([&](Connection& connection) {
    for (const std::int64_t id : due) static_cast<void>(delete_sweep(connection, id, false));
  });
}

}  // namespace iobenchd::storage
