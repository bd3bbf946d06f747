// An engine that lies, for tests/fault/false_engine.sh, which puts it in iobenchd-engine's place.
// The file "behaviour" beside it says how a measurement goes wrong; layouts go well.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "daemon/model/control.h"
#include "daemon/model/frame.h"
#include "daemon/model/load.h"

namespace {

using namespace iobenchd;  // NOLINT(google-build-using-namespace): a guest of one house

constexpr std::uint64_t second_ns = 1'000'000'000;

bool send_bytes(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = send(control_fd, from, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

class Liar {
 public:
  explicit Liar(const Load& load) : load_(load) {}

  bool send_frame() {
    frame_->header.sequence = sequence_++;
    return send_bytes(frame_.get(), sizeof(Frame));
  }
  Frame& tick(Phase phase, std::uint64_t ios) {
    TickBody body;
    body.span_ns = tick_ns;
    body.read = traffic(ios);
    begin(FrameKind::tick, phase).body.tick = body;
    return *frame_;
  }
  Frame& jobs(std::uint32_t count) {
    JobsBody body;
    body.count = count;
    begin(FrameKind::jobs, Phase::drain).body.jobs = body;
    return *frame_;
  }
  Frame& final() {
    FinalBody body;
    body.measured_ns = load_.task == Task::measure ? load_.runtime_ns : second_ns;
    body.ioengine = load_.ioengine;
    body.in_flight_max = load_.numjobs;
    if (load_.task == Task::measure) body.read = traffic(1000);
    begin(FrameKind::final, Phase::drain).body.final = body;
    return *frame_;
  }
  Frame& frame() { return *frame_; }
  void be_good() {
    if (load_.task == Task::measure) {
      tick(Phase::measure, 1000);
      send_frame();
    }
    final();
    send_frame();
  }

 private:
  [[nodiscard]] Traffic traffic(std::uint64_t ios) const {
    Traffic result;
    result.ios = result.latency.count = ios;
    result.bytes = ios * load_.block_bytes;
    if (ios == 0) return result;
    constexpr std::uint64_t latency_ns = 100'000;
    result.latency.buckets[bucket_index(latency_ns)] = ios;
    result.latency.sum_ns = ios * latency_ns;
    result.latency.min_ns = result.latency.max_ns = latency_ns;
    return result;
  }
  Frame& begin(FrameKind kind, Phase phase) {
    *frame_ = Frame{};
    frame_->header.kind = kind;
    frame_->header.phase = phase;
    return *frame_;
  }

  Load load_;
  std::unique_ptr<Frame> frame_ = std::make_unique<Frame>();
  std::uint32_t sequence_ = 0;
};

void wait_for_ever() {
  for (;;) pause();
}

using Behaviour = void (*)(Liar&);

const std::map<std::string, Behaviour> behaviours{
    {"good", [](Liar& liar) { liar.be_good(); }},
    {"none", [](Liar&) {}},
    {"half",
     [](Liar& liar) {
       liar.tick(Phase::measure, 1000);
       send_bytes(&liar.frame(), sizeof(Frame) / 2);
     }},
    {"noise",
     [](Liar&) {
       const std::string noise(2 * sizeof(Frame), 'x');
       send_bytes(noise.data(), noise.size());
       wait_for_ever();
     }},
    {"version",
     [](Liar& liar) {
       liar.tick(Phase::measure, 1000).header.version = frame_version + 1;
       liar.send_frame();
       wait_for_ever();
     }},
    {"gap",
     [](Liar& liar) {
       liar.tick(Phase::measure, 1000);
       liar.send_frame();
       liar.frame().header.sequence = 7;
       send_bytes(&liar.frame(), sizeof(Frame));
       wait_for_ever();
     }},
    {"oversized",
     [](Liar& liar) {
       liar.jobs(4'000'000'000U);
       liar.send_frame();
       wait_for_ever();
     }},
    {"wrapped",  // sums that would wrap to what is expected
     [](Liar& liar) {
       Traffic& read = liar.tick(Phase::measure, 1000).body.tick.read;
       read.latency.buckets[0] = ~std::uint64_t{0} - 999;
       read.latency.buckets[1] = 1000;
       liar.send_frame();
       wait_for_ever();
     }},
    {"unending text",
     [](Liar& liar) {
       liar.final().header.kind = FrameKind::failure;
       FailureBody body;
       body.text.fill('x');
       body.operation.fill('x');
       liar.frame().body.failure = body;
       liar.send_frame();
       wait_for_ever();
     }},
    {"many jobs",
     [](Liar& liar) {
       for (liar.jobs(jobs_per_frame); liar.send_frame();) {
       }
     }},
    {"flood",
     [](Liar& liar) {
       for (liar.tick(Phase::measure, 1000); liar.send_frame();) {
       }
     }},
    {"crash",
     [](Liar& liar) {
       liar.tick(Phase::measure, 1000);
       liar.send_frame();
       std::raise(SIGSEGV);
     }},
    {"abort after the result",  // what was said stands
     [](Liar& liar) {
       liar.be_good();
       std::raise(SIGABRT);
     }},
    {"late",  // the disk works and works, and the engine never ends
     [](Liar& liar) {
       do {
         usleep(static_cast<useconds_t>(tick_ns / 1000));
         liar.tick(Phase::measure, 1);
       } while (liar.send_frame());
     }},
    {"clinging",  // the result is told, and the engine stays
     [](Liar& liar) {
       liar.be_good();
       wait_for_ever();
     }},
};

std::string behaviour() {
  std::array<char, PATH_MAX> program{};
  if (readlink("/proc/self/exe", program.data(), program.size() - 1) <= 0) return "good";
  const std::string path(program.data());
  std::ifstream file(path.substr(0, path.rfind('/')) + "/behaviour");
  std::string word;
  return std::getline(file, word) ? word : "good";
}

}  // namespace

int main() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, SIG_IGN);
  Load load;
  auto* const to = reinterpret_cast<char*>(&load);
  for (std::size_t got = 0; got < sizeof load;) {
    const ssize_t part = recv(control_fd, to + got, sizeof load - got, 0);
    if (part <= 0) return 0;
    got += static_cast<std::size_t>(part);
  }
  Liar liar(load);
  if (load.task != Task::measure) {
    liar.be_good();
    return 0;
  }
  const auto found = behaviours.find(behaviour());
  if (found == behaviours.end()) return 3;
  found->second(liar);
  return 0;
}
