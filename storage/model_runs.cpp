// What other sweeps of one disk model measured.
#include <limits>

#include "storage/database.h"
#include "storage/rows.h"
#include "storage/store.h"

namespace iobenchd::storage {
namespace {

// A model that half the world has must not make one answer read the whole database.
constexpr std::uint32_t sweeps_looked_at_most = 10'000;
constexpr std::size_t figures_most = 200'000;

struct ModelSweep {
  std::int64_t id = 0;
  std::int64_t created_at_ns = 0;
};

// The next smaller id of a sweep that measured a disk of this model.
std::optional<ModelSweep> next_sweep(Connection& connection, const std::string& model,
                                     std::int64_t before) {
  Statement row(connection, R"sql(
    SELECT sweep_id, created_at_ns
      FROM runs CROSS JOIN sweeps ON sweeps.id = sweep_id
     WHERE model = :model AND sweep_id < :before
     ORDER BY sweep_id DESC
     LIMIT 1)sql");
  row.bind("model", model).bind("before", before);
  if (!row.step()) return std::nullopt;
  return ModelSweep{row.integer("sweep_id"), row.integer("created_at_ns")};
}

// The null engine asks no disk; a drift check is a point's second look at itself.
void append_figures(Connection& connection, const std::string& model, std::int64_t sweep_id,
                    std::vector<ModelFigure>& figures) {
  Statement row(connection, R"sql(
    SELECT rw, block_bytes, iodepth, numjobs, direct, iops
      FROM runs
     WHERE sweep_id = :sweep_id AND +model = :model AND +state = 'done'
       AND is_drift_check = 0 AND +ioengine <> 'null'
     ORDER BY id)sql");
  row.bind("sweep_id", sweep_id).bind("model", model);
  while (row.step()) {
    figures.push_back({sweep_id, read_setting(row), row.boolean("direct"), row.real("iops")});
  }
}

bool is_earlier(const ModelSweep& other, const Sweep& sweep) noexcept {
  if (other.id == sweep.id) return false;
  if (other.created_at_ns != sweep.created_at_ns) return other.created_at_ns < sweep.created_at_ns;
  return other.id < sweep.id;
}

}  // namespace

std::vector<ModelFigure> RunStore::earlier_of_model(const std::string& model, const Sweep& sweep,
                                                    std::uint32_t most) {
  std::vector<ModelFigure> figures;
  if (model.empty()) return figures;
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  std::uint32_t taken = 0;
  for (std::uint32_t looked_at = 0; looked_at < sweeps_looked_at_most; ++looked_at) {
    if (taken == most || figures.size() >= figures_most) break;
    // A read of its own for each: a long one would keep the WAL from being emptied.
    const bool more = database_.read([&](Connection& connection) {
      const std::optional<ModelSweep> next = next_sweep(connection, model, before);
      if (!next) return false;
      before = next->id;
      if (is_earlier(*next, sweep)) {
        append_figures(connection, model, next->id, figures);
        ++taken;
      }
      return true;
    });
    if (!more) break;
  }
  return figures;
}

}  // namespace iobenchd::storage
