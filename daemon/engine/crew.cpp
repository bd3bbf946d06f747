#include "daemon/engine/crew.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>

#include "daemon/engine/failure.h"
#include "daemon/engine/os.h"
#include "daemon/engine/thread.h"

namespace iobenchd::engine {
namespace {

void close_once(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

struct ThreadStart {
  Board* board;
  std::uint32_t job;
  int gate;
  int news;
};

void* job_thread(void* argument) {
  const std::unique_ptr<ThreadStart> start(static_cast<ThreadStart*>(argument));
  run_job(*start->board, start->job, start->gate, start->news);
  return nullptr;
}

}  // namespace

Crew::~Crew() {
  close_once(news_read_);
  close_once(gate_write_);
  // Threads may still use the other two; they close with the process.
}

bool Crew::start(FailureBody& failure) {
  std::array<int, 2> news{};
  std::array<int, 2> gate{};
  if (pipe(news.data()) != 0 || pipe(gate.data()) != 0) {
    failure = make_failure("pipe", errno, 0, "raise the limit of open files (ulimit -n)");
    return false;
  }
  news_read_ = news[0];
  news_write_ = news[1];
  gate_read_ = gate[0];
  gate_write_ = gate[1];
  fcntl(news_read_, F_SETFL, O_NONBLOCK);
  return board_.load.thread != 0 ? start_threads(failure) : start_processes(failure);
}

bool Crew::start_processes(FailureBody& failure) {
  const int own_pid = getpid();
  for (std::uint32_t job = 0; job < board_.load.numjobs; ++job) {
    const int pid = fork();
    if (pid == 0) be_job(job, own_pid);
    if (pid < 0) {
      failure = make_failure("fork", errno, 0,
                             "the system gives no more processes: ask for less numjobs, or "
                             "thread=true");
      return false;
    }
    pids_.push_back(pid);
  }
  return true;
}

void Crew::be_job(std::uint32_t job, int parent_pid) {
  end_with_parent(parent_pid);
  close(control_fd_);
  close(news_read_);
  close(gate_write_);
  run_job(board_, job, gate_read_, news_write_);
  _exit(0);
}

bool Crew::start_threads(FailureBody& failure) {
  for (std::uint32_t job = 0; job < board_.load.numjobs; ++job) {
    auto start = std::make_unique<ThreadStart>(ThreadStart{&board_, job, gate_read_, news_write_});
    pthread_t thread{};
    const int error_number = start_thread(thread, job_thread, start.get());
    if (error_number != 0) {
      failure = make_failure("pthread_create", error_number, 0,
                             "the system gives no more threads: ask for less numjobs");
      return false;
    }
    static_cast<void>(start.release());  // the thread's now
    threads_.push_back(thread);
  }
  return true;
}

void Crew::open_gate() {
  close_once(gate_write_);
}

bool Crew::take_news(FailureBody& failure) {
  std::array<char, 512> bytes{};
  ssize_t length = 0;
  bool failed = false;
  while ((length = read(news_read_, bytes.data(), bytes.size())) > 0) {
    for (ssize_t i = 0; i < length; ++i) {
      const char what = bytes[static_cast<std::size_t>(i)];
      if (what == 'r') ++ready_;
      if (what == 'e') ++ended_;
      if (what == 'f') failed = true;
    }
  }
  if (failed) {
    for (std::uint32_t i = 0; i < board_.worker_count; ++i) {
      if (!board_.workers[i].failed()) continue;
      failure = board_.workers[i].failure;
      return false;
    }
  }
  return look_for_deaths(failure);
}

bool Crew::look_for_deaths(FailureBody& failure) {
  int status = 0;
  int pid = 0;
  while (!pids_.empty() && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
    const auto found = std::find(pids_.begin(), pids_.end(), pid);
    if (found == pids_.end()) continue;
    *found = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    std::array<char, 96> text{};
    if (WIFSIGNALED(status)) {
      std::snprintf(text.data(), text.size(), "the job was ended by signal %d (%s)",
                    WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else {
      std::snprintf(text.data(), text.size(), "the job ended with status %d", WEXITSTATUS(status));
    }
    failure = make_failure("job", 0, 0, text.data());
    failure.job = static_cast<std::uint32_t>(found - pids_.begin());
    return false;
  }
  return true;
}

void Crew::join() {
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  threads_.clear();
}

void Crew::kill() {
  board_.stop.store(1, std::memory_order_relaxed);
  for (const int pid : pids_)
    if (pid != 0) ::kill(pid, SIGKILL);
}

void reap_jobs() {
  while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

}  // namespace iobenchd::engine
