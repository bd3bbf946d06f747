// The jobs of a run: processes or threads that set themselves up, wait at the gate, run and say so.
// Used by the control thread alone, which is the only thread when the jobs are made.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <vector>

#include "daemon/engine/worker.h"

namespace iobenchd::engine {

class Crew {
 public:
  // `control_fd` is closed in job processes: the service sees the end of this one at once.
  Crew(Board& board, int control_fd) : board_(board), control_fd_(control_fd) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // False with `failure` filled in.
  [[nodiscard]] bool start(FailureBody& failure);
  void open_gate();  // everything the jobs read from the board has been written

  // Readable when there is news; take_news() then counts them.
  [[nodiscard]] int news_fd() const noexcept { return news_read_; }
  // False with `failure` filled in when a job has failed, or a job process was killed.
  [[nodiscard]] bool take_news(FailureBody& failure);
  [[nodiscard]] bool all_ready() const noexcept { return ready_ == board_.worker_count; }
  [[nodiscard]] bool all_ended() const noexcept { return ended_ == board_.worker_count; }

  void join();  // threads, after all_ended()
  // Ends job processes; waits for nothing, because they may hang with their disk. Threads end with
  // this process.
  void kill();

 private:
  [[nodiscard]] bool start_processes(FailureBody& failure);
  [[nodiscard]] bool start_threads(FailureBody& failure);
  [[nodiscard]] bool look_for_deaths(FailureBody& failure);
  [[noreturn]] void be_job(std::uint32_t job, int parent_pid);

  Board& board_;
  int control_fd_;
  int news_read_ = -1, news_write_ = -1;
  int gate_read_ = -1, gate_write_ = -1;
  std::uint32_t ready_ = 0, ended_ = 0;
  std::vector<int> pids_;  // 0: reaped
  std::vector<pthread_t> threads_;
};

// Waits until no job process is left, because what is left of one still holds the lease of the
// disk: the last thing an engine does.
void reap_jobs();

// The life of one job, in its own process or thread. `gate` ends when the run may begin; a byte is
// written to `news` for each worker: 'r' ready, 'e' ended, 'f' failed.
void run_job(Board& board, std::uint32_t job, int gate, int news);

}  // namespace iobenchd::engine
