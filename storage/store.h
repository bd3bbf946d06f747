// The one database of a daemon: SQLite in WAL mode with synchronous=FULL. One connection does all
// writes and all checkpoints (behind a mutex); readers are read-only and pooled. A lock file beside
// it keeps a second daemon out. Every public function is one transaction and safe from any thread.
// Throws Error{storage_full, unavailable, not_found, conflict, internal}.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/audit.h"
#include "daemon/model/clock.h"
#include "daemon/model/history.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"
#include "daemon/model/sweep_schedule.h"

namespace iobenchd::storage {

inline constexpr std::uint32_t page_limit_default = 50;
inline constexpr std::uint32_t page_limit_most = 500;
inline constexpr std::uint32_t audit_rows_most = 5000;    // of each kind
inline constexpr std::uint32_t model_sweeps_most = 1000;  // that a sweep is held against

// Keyset page, newest first (by created_at of sweeps and started_at of runs, then by id).
// `next_before`: pass it as `before` to go on; 0 at the end.
template <typename T>
struct Page {
  std::vector<T> items;
  std::int64_t next_before = 0;
};

struct SweepFilter {
  std::optional<SweepState> state;
  std::optional<std::string> target, label, host;
  std::optional<Rw> rw;
  std::optional<Origin> origin;
  std::optional<std::int64_t> schedule_id;
  std::optional<std::int64_t> since_ns, until_ns;  // created_at in [since, until)
};

struct RunFilter {
  std::optional<std::int64_t> sweep_id;
  std::optional<RunState> state;
  std::optional<std::string> target, label, host, serial;
  std::optional<Rw> rw;
  std::optional<Origin> origin;
  std::optional<std::uint32_t> block_bytes, iodepth, numjobs;
  std::optional<IoEngine> ioengine;
  std::optional<std::int64_t> since_ns, until_ns;  // started_at in [since, until)
};

struct AuditFilter {
  std::optional<AuditKind> kind;
  std::optional<std::int64_t> since_ns, until_ns;  // at in [since, until)
};

// Which series, and how much of them. target and host: those with a run from there.
struct HistoryFilter {
  std::optional<std::string> serial, target, host;
  std::optional<Rw> rw;
  std::optional<std::uint32_t> block_bytes, iodepth, numjobs, size_class;
  std::optional<IoEngine> ioengine;
  std::optional<bool> direct;
  // The newest run of a series is in [since, until); runs from `until` on don't exist.
  std::optional<std::int64_t> since_ns, until_ns;
};

class Backup;
class Database;
class Retention;
struct RetentionRules;  // storage/retention.h
class SweepStore;
class RunStore;
class HistoryStore;
class ScheduleStore;
class AuditStore;

class Store {
 public:
  // Opens or creates, takes the lock, migrates. A damaged database of which something can be read
  // is opened, never written and left as it is: see damage(). Throws Error{unavailable} with the
  // path and the cure: in use by another daemon, not writable, made by a newer version, damaged so
  // that nothing can be read, not a database of ours.
  explicit Store(const std::string& path, WallClock now = wall_now_ns);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  [[nodiscard]] SweepStore& sweeps() noexcept { return *sweeps_; }
  [[nodiscard]] RunStore& runs() noexcept { return *runs_; }
  [[nodiscard]] HistoryStore& history() noexcept { return *history_; }
  [[nodiscard]] ScheduleStore& schedules() noexcept { return *schedules_; }
  [[nodiscard]] AuditStore& audit() noexcept { return *audit_; }

  // Why the file is only read any more: it is damaged, or was moved away under us. Every write is
  // refused with it (Error{unavailable}) until the daemon is started anew. Empty while all is well.
  [[nodiscard]] std::string damage() const;
  // Told once when that is found out, whoever's thread finds it; now, where it is known already.
  void on_damage(std::function<void(const std::string& why)> listener);
  // After a crash or kill -9 the file is read through in the background; false until that is over.
  [[nodiscard]] bool is_looked_through() const;

  // Wants 16 MiB beside the database (`<database>.ballast`, made by tend()) that are given up on a
  // full disk, so that runs under way are stored and sweeps can be deleted. Until there is room for
  // them again nothing new is begun: create(), set_started(), begin(), import() and a schedule's
  // create() throw Error{storage_full}.
  void keep_ballast();

  // Housekeeping, one small step: call it now and then while nothing is measured. True: there is
  // more of it.
  bool tend(const RetentionRules& rules);

  // The whole of it as one file, made now. One at a time: Error{unavailable} while another is being
  // made; Error{storage_full} where it doesn't fit beside the database.
  [[nodiscard]] std::unique_ptr<Backup> backup();
  // What takes long ends soon, with Error{unavailable}: the daemon stops.
  void leave() noexcept { leaving_ = true; }

  // Empty when well, else why not (readyz). A read each time; a small write once a minute, and each
  // time while writing fails.
  [[nodiscard]] std::string trouble();

 private:
  WallClock now_;
  std::atomic<bool> leaving_{false};
  std::mutex backup_mutex_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SweepStore> sweeps_;
  std::unique_ptr<RunStore> runs_;
  std::unique_ptr<HistoryStore> history_;
  std::unique_ptr<ScheduleStore> schedules_;
  std::unique_ptr<AuditStore> audit_;
  std::mutex tend_mutex_;
  std::unique_ptr<Retention> retention_;
};

class SweepStore {
 public:
  SweepStore(Database& database, WallClock now);

  // Fills in id, uuid (UUIDv7), created_at_ns, and the seed where the spec has none. Durable when
  // it returns.
  [[nodiscard]] Sweep create(Sweep sweep);
  [[nodiscard]] std::optional<Sweep> find(std::int64_t id);
  [[nodiscard]] std::optional<std::int64_t> find_uuid(const std::string& uuid);
  [[nodiscard]] Page<Sweep> list(const SweepFilter& filter, std::int64_t before,
                                 std::uint32_t limit);
  [[nodiscard]] std::vector<Sweep> unfinished();  // queued and running, oldest first
  [[nodiscard]] std::uint32_t count_unfinished();
  // What the sweeps of our own on one target, queued since then and not cancelled before they
  // began, were planned to write: their share of write_budget.
  [[nodiscard]] std::uint64_t planned_writes(const std::string& target, std::int64_t since_ns);

  void set_started(std::int64_t id);  // queued -> running; keeps the first started_at_ns
  void set_queued(std::int64_t id);   // running -> queued (interrupted)
  void set_plan(std::int64_t id, const Plan& plan);
  void set_error(std::int64_t id,
                 const std::string& error);  // waiting, with a reason; empty clears it
  // done, failed or cancelled, with the sentence or the reason. finished_at_ns is now.
  void finish(std::int64_t id, SweepState state, const std::string& answer,
              const std::string& error);
  void describe(std::int64_t id, const std::optional<std::string>& label,
                const std::optional<std::string>& notes, const std::optional<bool>& pinned);
  void remove(std::int64_t id);  // with its runs; Error{conflict} while queued or running

  // Idempotency-Key: the sweep an earlier request with this key made, within 24 h.
  [[nodiscard]] std::optional<std::int64_t> find_key(const std::string& key);
  void remember_key(const std::string& key, std::int64_t sweep_id);

 private:
  Database& database_;
  WallClock now_;
};

class RunStore {
 public:
  RunStore(Database& database, WallClock now);

  // A run begins: a row in state running, so that a crash leaves a trace. Returns its id. Durable
  // when it returns.
  [[nodiscard]] std::int64_t begin(const Run& run);
  // A run ends: summary, histograms, samples and per-job figures in one transaction; counts it in
  // its sweep (failed runs in runs_done and runs_failed). When it throws, nothing has changed: keep
  // the run and call again.
  void finish(const Run& run, const RunSummary& summary);
  // An imported sweep with all its runs, in one transaction. Keeps uuid and created_at_ns where
  // they are set; Error{conflict} when the uuid is here already. Returns the sweep's id.
  [[nodiscard]] std::int64_t import(Sweep sweep, const std::vector<Run>& runs,
                                    const std::vector<RunSummary>& summaries);
  // After a crash: every run still `running` becomes `interrupted`. Returns how many.
  std::uint32_t interrupt_running();
  // How often this point of this sweep was interrupted.
  [[nodiscard]] std::uint32_t interruptions(std::int64_t sweep_id, const Setting& setting,
                                            std::uint32_t repeat);

  [[nodiscard]] std::optional<Run> find(std::int64_t id);
  [[nodiscard]] std::vector<Run> of_sweep(std::int64_t sweep_id);  // oldest first, with histograms
  [[nodiscard]] Page<RunSummary> list(const RunFilter& filter, std::int64_t before,
                                      std::uint32_t limit);
  // The good runs of sweeps that measured a disk of this model and were asked for before `sweep`,
  // imported ones among them; never its own. Of the newest `most`, newest first.
  [[nodiscard]] std::vector<ModelFigure> earlier_of_model(const std::string& model,
                                                          const Sweep& sweep,
                                                          std::uint32_t most = model_sweeps_most);

 private:
  Database& database_;
  WallClock now_;
};

inline constexpr std::uint32_t history_page_most = 50;  // series
// So many runs of one series, its newest; and a page ends where it holds twice as many.
inline constexpr std::uint32_t series_runs_most = 10'000;
// So many of the newest runs tell what was measured last: a bounded read, whatever the years hold.
inline constexpr std::uint32_t latest_runs_looked_at = 2'000;

class HistoryStore {
 public:
  explicit HistoryStore(Database& database) : database_(database) {}

  // Series by their newest runs, newest first, read from one snapshot; `next_before` is a run.
  [[nodiscard]] Page<Series> list(const HistoryFilter& filter, std::int64_t before,
                                  std::uint32_t limit);
  // What this machine measured last, each measurement's newest run, newest first; imported runs
  // aren't among them.
  [[nodiscard]] std::vector<LatestRun> latest(std::uint32_t most);

 private:
  Database& database_;
};

class ScheduleStore {
 public:
  ScheduleStore(Database& database, WallClock now);

  // Fills in id, created_at_ns and the seed of its jitter. Durable when it returns.
  [[nodiscard]] SweepSchedule create(SweepSchedule schedule);
  [[nodiscard]] std::vector<SweepSchedule> list();  // newest first
  void change(const SweepSchedule& schedule);       // all of it but what create() filled in
  void remove(std::int64_t id);                     // its sweeps stay

 private:
  Database& database_;
  WallClock now_;
};

class AuditStore {
 public:
  AuditStore(Database& database, WallClock now);

  // In one transaction; at_ns is now where it is 0. The oldest beyond audit_rows_most go.
  void add(const std::vector<AuditEntry>& entries);
  [[nodiscard]] Page<AuditEntry> list(const AuditFilter& filter, std::int64_t before,
                                      std::uint32_t limit);

 private:
  Database& database_;
  WallClock now_;
};

}  // namespace iobenchd::storage
