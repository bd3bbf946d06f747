// Engines and disks made of threads and sockets, for the tests of the scheduler: what a real engine
// says, said by a script.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/model/error.h"
#include "daemon/model/frame.h"
#include "daemon/scheduler/engine_host.h"

namespace iobenchd::scheduler::fakes {

using std::chrono::milliseconds;

inline Traffic traffic(std::uint64_t ios, std::uint64_t latency_ns, std::uint32_t block_bytes) {
  Traffic result;
  result.ios = ios;
  result.bytes = ios * block_bytes;
  if (ios == 0) return result;
  result.latency.buckets[bucket_index(latency_ns)] = ios;
  result.latency.count = ios;
  result.latency.sum_ns = ios * latency_ns;
  result.latency.min_ns = result.latency.max_ns = latency_ns;
  return result;
}

// The engine's end of a run, in a script's hands.
class EngineEnd {
 public:
  explicit EngineEnd(int socket) : socket_(socket) {}

  Load load;

  bool receive_load() {
    char* to = reinterpret_cast<char*>(&load);
    for (std::size_t got = 0; got < sizeof load;) {
      const ssize_t part = recv(socket_, to + got, sizeof load - got, 0);
      if (part <= 0) return false;
      got += static_cast<std::size_t>(part);
    }
    return true;
  }

  Frame& begin(FrameKind kind, Phase phase) {
    *frame_ = Frame{};
    frame_->header.kind = kind;
    frame_->header.phase = phase;
    return *frame_;
  }
  bool send() {
    frame_->header.sequence = sequence_++;
    return send_bytes(frame_.get(), sizeof(Frame));
  }
  bool send_bytes(const void* bytes, std::size_t size) {
    const char* from = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t sent = ::send(socket_, from, size, MSG_NOSIGNAL);
      if (sent <= 0) return false;
      from += sent;
      size -= static_cast<std::size_t>(sent);
    }
    return true;
  }

  void tick(Phase phase, std::uint64_t ios, std::uint64_t latency_ns, std::uint64_t span_ns) {
    TickBody body;
    body.span_ns = span_ns;
    (writes(load.rw) ? body.write : body.read) = traffic(ios, latency_ns, load.block_bytes);
    begin(FrameKind::tick, phase).body.tick = body;
    send();
  }
  void layout_tick(std::uint64_t done, std::uint64_t total) {
    progress_tick(Phase::layout, done, total);
  }
  void progress_tick(Phase phase, std::uint64_t done, std::uint64_t total) {
    TickBody body;
    body.span_ns = tick_ns;
    body.done_bytes = done;
    body.total_bytes = total;
    begin(FrameKind::tick, phase).body.tick = body;
    send();
  }
  void final(std::uint64_t ios, std::uint64_t latency_ns) {
    FinalBody body;
    body.measured_ns = load.runtime_ns;
    body.ioengine = load.ioengine;
    body.engine_flags = load.engine_flags;
    body.direct = 1;
    body.in_flight_max = load.numjobs * load.iodepth;
    (writes(load.rw) ? body.write : body.read) = traffic(ios, latency_ns, load.block_bytes);
    begin(FrameKind::final, Phase::drain).body.final = body;
    send();
  }
  void failure(Phase phase, int error_number, const char* operation, std::uint64_t offset) {
    FailureBody body;
    body.error_number = error_number;
    body.offset_bytes = offset;
    set_text(body.operation, operation);
    begin(FrameKind::failure, phase).body.failure = body;
    send();
  }

  // True when the service said stop or went away within the time.
  bool stopped_within(milliseconds time) {
    pollfd waiting{socket_, POLLIN, 0};
    return poll(&waiting, 1, static_cast<int>(time.count())) > 0;
  }

 private:
  int socket_;
  std::uint32_t sequence_ = 0;
  std::unique_ptr<Frame> frame_ = std::make_unique<Frame>();
};

using Script = std::function<void(EngineEnd&, const OpenRun&)>;

struct FakeLife {
  std::mutex mutex;
  std::optional<int> wait_status;
  bool killable = true, killed = false;
  int engine_socket = -1;
};

class FakeEngine final : public EngineProcess {
 public:
  FakeEngine(const Script& script, const OpenRun& request, std::shared_ptr<FakeLife> life,
             std::function<void()> on_end)
      : life_(std::move(life)) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      throw Error(ErrorCode::internal, "socketpair");
    socket_ = ends[0];
    life_->engine_socket = ends[1];
    thread_ =
        std::thread([script, request, life = life_, socket = ends[1], on_end = std::move(on_end)] {
          EngineEnd end(socket);
          if (request.create != 0 || end.receive_load()) {
            if (request.create != 0) static_cast<void>(end.receive_load());
            script(end, request);
          }
          on_end();
          const std::lock_guard lock(life->mutex);
          close(socket);
          life->engine_socket = -1;
          if (life->killable || !life->killed) life->wait_status = life->killed ? SIGKILL : 0;
        });
  }
  ~FakeEngine() override {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  [[nodiscard]] int socket() const override { return socket_; }
  void kill() override {
    const std::lock_guard lock(life_->mutex);
    life_->killed = true;
    if (life_->killable && life_->engine_socket >= 0) shutdown(life_->engine_socket, SHUT_RDWR);
  }
  [[nodiscard]] std::optional<int> wait_status() override {
    const std::lock_guard lock(life_->mutex);
    return life_->wait_status;
  }

 private:
  std::shared_ptr<FakeLife> life_;
  int socket_ = -1;
  std::thread thread_;
};

inline TargetFacts directory_facts(const std::string& path, const std::string& leaf) {
  TargetFacts facts;
  facts.kind = TargetKind::directory;
  facts.size_bytes = std::uint64_t{100} << 30;
  facts.free_bytes = std::uint64_t{50} << 30;
  facts.logical_sector_bytes = 512;
  facts.device = 1;
  facts.leaf_count = 1;
  set_text(facts.leaves[0], leaf);
  set_text(facts.path, path);
  set_text(facts.real_path, path);
  return facts;
}

inline TargetFacts disk_facts(const std::string& path, const std::string& leaf) {
  TargetFacts facts = directory_facts(path, leaf);
  facts.kind = TargetKind::block_device;
  facts.size_bytes = std::uint64_t{1} << 30;
  set_text(facts.model, "Test Disk");
  set_text(facts.serial, "S1");
  return facts;
}

class FakeHost final : public EngineHost {
 public:
  std::map<std::string, TargetFacts> facts;
  std::function<void(const OpenRun&)> on_open = [](const OpenRun&) {};
  Script script;
  std::atomic<bool> killable = true;
  std::atomic<std::uint32_t> opened = 0, alive = 0, most_alive = 0;

  [[nodiscard]] std::shared_ptr<FakeLife> last_life() {
    const std::lock_guard lock(mutex_);
    return last_life_;
  }
  [[nodiscard]] std::unique_ptr<EngineProcess> open(const OpenRun& request) override {
    on_open(request);
    ++opened;
    const std::uint32_t now = ++alive;
    std::uint32_t most = most_alive;
    while (now > most && !most_alive.compare_exchange_weak(most, now)) {
    }
    auto life = std::make_shared<FakeLife>();
    life->killable = killable;
    {
      const std::lock_guard lock(mutex_);
      last_life_ = life;
    }
    return std::make_unique<FakeEngine>(script, request, life, [this] { --alive; });
  }
  [[nodiscard]] std::vector<TargetFacts> probe(const std::string& path) override {
    std::vector<TargetFacts> answer;
    if (path.empty()) {
      for (const auto& [name, one] : facts)
        if (one.kind == TargetKind::block_device) answer.push_back(one);
      return answer;
    }
    const auto at = facts.find(path);
    if (at != facts.end()) return {at->second};
    TargetFacts missing;
    set_text(missing.path, path);
    set_text(missing.real_path, path);
    return {missing};
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<FakeLife> last_life_;
};

// What every script begins with: layout and trial done at once.
inline bool prepares(EngineEnd& end) {
  if (end.load.task == Task::measure) return false;
  if (end.load.task == Task::layout) end.layout_tick(end.load.size_bytes, end.load.size_bytes);
  end.final(0, 0);
  return true;
}

// A disk that does iops(numjobs), told in one tick and a result at once.
inline Script disk_of(std::function<double(std::uint32_t)> iops) {
  return [iops = std::move(iops)](EngineEnd& end, const OpenRun&) {
    if (prepares(end)) return;
    const double seconds = static_cast<double>(end.load.runtime_ns) / 1e9;
    const double rate = iops(end.load.numjobs);
    const auto ios = static_cast<std::uint64_t>(rate * seconds);
    const auto latency_ns = static_cast<std::uint64_t>(end.load.numjobs / rate * 1e9);
    end.tick(Phase::measure, ios, latency_ns, end.load.runtime_ns);
    end.final(ios, latency_ns);
  };
}

}  // namespace iobenchd::scheduler::fakes
