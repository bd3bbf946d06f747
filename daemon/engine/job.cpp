#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <vector>

#include "daemon/engine/crew.h"
#include "daemon/engine/loop.h"
#include "daemon/engine/os.h"
#include "daemon/engine/sandbox.h"
#include "daemon/engine/thread.h"
#include "daemon/engine/verifier.h"

namespace iobenchd::engine {
namespace {

struct Seat {
  Board* board;
  Worker* worker;
  int gate;
  int news;
};

void tell(int news, char what) {
  while (write(news, &what, 1) < 0 && errno == EINTR) {
  }
}

// Blocks until the other end is closed.
void wait_at(int gate) {
  char byte = 0;
  while (read(gate, &byte, 1) < 0 && errno == EINTR) {
  }
}

// As fio's cpus_allowed_policy=shared: all jobs may use all of them. Before the loop is made, so
// that its memory is near.
bool find_place(const Seat& seat) {
  const CpuSet& cpus = seat.board->load.cpus;
  if (cpus == CpuSet{}) return true;
  const int error_number = run_on_cpus(cpus);
  if (error_number == 0) return true;
  seat.worker->fail("cpus_allowed", error_number, 0,
                    error_number == ENOSYS
                        ? "this system doesn't bind threads to CPUs: leave cpus_allowed out"
                        : "none of these CPUs is there, or may be used by us: ask for others");
  return false;
}

void run_worker(const Seat& seat) {
  if (!find_place(seat)) return tell(seat.news, 'f');
  if (seat.board->load.workload.rate_iops != 0) wake_punctually();
  Verifier verifier(*seat.worker, *seat.board);
  const bool verify = seat.board->load.workload.verify != 0;
  if (verify && !verifier.prepare()) return tell(seat.news, 'f');
  seat.worker->verifier = verify ? &verifier : nullptr;
  std::unique_ptr<Loop> loop = make_loop(*seat.worker, *seat.board);
  if (!loop) return tell(seat.news, 'f');
  enter_sandbox(Cell::job);
  tell(seat.news, 'r');
  wait_at(seat.gate);
  if (seat.board->stop.load(std::memory_order_relaxed) == 0) loop->run();
  loop.reset();  // a mapping would keep in memory what is to be read from the medium
  if (verify && !seat.worker->failed()) verifier.read_back();
  tell(seat.news, seat.worker->failed() ? 'f' : 'e');
}

// The one catch of a thread: what is thrown here is memory that isn't there.
void* worker_thread(void* argument) {
  const Seat& seat = *static_cast<const Seat*>(argument);
  try {
    run_worker(seat);
  } catch (const std::exception& error) {
    seat.worker->fail("setup", ENOMEM, 0, error.what());
    tell(seat.news, 'f');
  }
  return nullptr;
}

}  // namespace

void run_job(Board& board, std::uint32_t job, int gate, int news) {
  std::vector<Seat> seats;
  for (std::uint32_t i = 0; i < board.workers_per_job; ++i)
    seats.push_back({&board, &board.workers[job * board.workers_per_job + i], gate, news});
  // The job's own thread is its first worker.
  std::vector<pthread_t> threads;
  for (std::size_t i = 1; i < seats.size(); ++i) {
    pthread_t thread{};
    const int error_number = start_thread(thread, worker_thread, &seats[i]);
    if (error_number == 0) {
      threads.push_back(thread);
      continue;
    }
    seats[i].worker->fail("pthread_create", error_number, 0,
                          "the system gives no more threads: ask for less numjobs or iodepth");
    tell(news, 'f');
    break;
  }
  worker_thread(&seats[0]);
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
}

}  // namespace iobenchd::engine
