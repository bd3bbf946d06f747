#include <array>
#include <utility>

#include "storage/rows.h"

namespace iobenchd::storage {
namespace {

using Direction = std::pair<const char*, DirectionFigures Run::Imported::*>;

constexpr std::array<Direction, 3> directions{{
    {"read", &Run::Imported::read},
    {"write", &Run::Imported::write},
    {"fsync", &Run::Imported::fsync},
}};

}  // namespace

void insert_printed_figures(Connection& connection, const Run& run) {
  for (const auto& [direction, member] : directions) {
    const DirectionFigures& figures = run.imported.*member;
    if (!(figures.iops > 0)) continue;
    Statement(connection, R"sql(
      INSERT INTO printed_figures (run_id, direction, iops, bandwidth_bytes_per_s, latency_mean_ns,
                                   latency_min_ns, latency_p50_ns, latency_p90_ns, latency_p99_ns,
                                   latency_p99_9_ns, latency_p99_99_ns, latency_max_ns)
      VALUES (:run_id, :direction, :iops, :bandwidth_bytes_per_s, :latency_mean_ns,
              :latency_min_ns, :latency_p50_ns, :latency_p90_ns, :latency_p99_ns,
              :latency_p99_9_ns, :latency_p99_99_ns, :latency_max_ns))sql")
        .bind("run_id", run.id)
        .bind("direction", direction)
        .bind("iops", figures.iops)
        .bind("bandwidth_bytes_per_s", figures.bandwidth_bytes_per_s)
        .bind("latency_mean_ns", figures.latency_mean_ns)
        .bind("latency_min_ns", figures.latency_min_ns)
        .bind("latency_p50_ns", figures.latency_p50_ns)
        .bind("latency_p90_ns", figures.latency_p90_ns)
        .bind("latency_p99_ns", figures.latency_p99_ns)
        .bind("latency_p99_9_ns", figures.latency_p99_9_ns)
        .bind("latency_p99_99_ns", figures.latency_p99_99_ns)
        .bind("latency_max_ns", figures.latency_max_ns)
        .run();
  }
}

void read_printed_figures(Connection& connection, Run& run) {
  Statement row(connection, R"sql(
    SELECT direction, iops, bandwidth_bytes_per_s, latency_mean_ns, latency_min_ns, latency_p50_ns,
           latency_p90_ns, latency_p99_ns, latency_p99_9_ns, latency_p99_99_ns, latency_max_ns
      FROM printed_figures
     WHERE run_id = :run_id
     ORDER BY direction)sql");
  row.bind("run_id", run.id);
  while (row.step()) {
    const std::string name = row.text("direction");
    for (const auto& [direction, member] : directions) {
      if (name != direction) continue;
      DirectionFigures& figures = run.imported.*member;
      figures.iops = row.real("iops");
      figures.bandwidth_bytes_per_s = row.real("bandwidth_bytes_per_s");
      figures.latency_mean_ns = row.real("latency_mean_ns");
      figures.latency_min_ns = row.unsigned64("latency_min_ns");
      figures.latency_p50_ns = row.unsigned64("latency_p50_ns");
      figures.latency_p90_ns = row.unsigned64("latency_p90_ns");
      figures.latency_p99_ns = row.unsigned64("latency_p99_ns");
      figures.latency_p99_9_ns = row.unsigned64("latency_p99_9_ns");
      figures.latency_p99_99_ns = row.unsigned64("latency_p99_99_ns");
      figures.latency_max_ns = row.unsigned64("latency_max_ns");
    }
  }
}

}  // namespace iobenchd::storage
