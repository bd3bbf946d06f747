// A crowd of clients that hurt: idle, silent, slow to read, slow to send. While it stands, and
// comes back as often as it is sent away, an honest client asks for /healthz.
//
//   crowd PORT SECONDS IDLE SILENT READERS SENDERS     what /healthz did meanwhile
//   crowd PORT requests COUNT                          one after the other, kept alive
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds beat{50};  // a slow client's next byte, an honest one's next question
constexpr milliseconds comes_back_in{1000};  // who was sent away
constexpr milliseconds patience{10'000};

enum class Kind { idle, silent, reader, sender };

struct Guest {
  Kind kind = Kind::idle;
  int socket = -1;
  std::size_t said = 0;      // bytes of a sender's request
  Clock::time_point next{};  // when it does something
};

sockaddr_in door(unsigned port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return where;
}

int connect_to(unsigned port, bool small_buffer) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int bytes = 2048;  // of a reader that must not have it all in the kernel's hands
  if (small_buffer) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  const sockaddr_in where = door(port);
  const int result = connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where);
  if (result == 0 || errno == EINPROGRESS) return fd;
  close(fd);
  return -1;
}

bool wait_for(int fd, short what, Clock::time_point until) {
  pollfd watched{fd, what, 0};
  const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
  return poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) > 0;
}

// The status of one answer with a length; 0: none.
int ask(int fd, std::string_view request) {
  const Clock::time_point until = Clock::now() + patience;
  if (!wait_for(fd, POLLOUT, until)) return 0;
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) != ssize_t(request.size())) return 0;
  std::string answer;
  std::array<char, 4096> part{};
  for (;;) {
    const std::size_t head = answer.find("\r\n\r\n");
    const std::size_t at = answer.find("Content-Length: ");
    if (head != std::string::npos && at < head) {
      const auto length = static_cast<std::size_t>(std::atoll(answer.c_str() + at + 16));
      if (answer.size() >= head + 4 + length) return std::atoi(answer.c_str() + 9);
    }
    if (!wait_for(fd, POLLIN, until)) return 0;
    const ssize_t got = recv(fd, part.data(), part.size(), 0);
    if (got <= 0) return 0;
    answer.append(part.data(), static_cast<std::size_t>(got));
  }
}

constexpr std::string_view health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view large = "GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr std::string_view slow_request =
    "POST /api/v1/sweeps HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: 2\r\nX-Slow: 0123456789012345678901234567890123456789\r\n\r\n{}";

class Crowd {
 public:
  Crowd(unsigned port, const std::array<int, 4>& counts) : port_(port) {
    constexpr std::array<Kind, 4> kinds{Kind::idle, Kind::silent, Kind::reader, Kind::sender};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      for (int i = 0; i < counts[kind]; ++i) guests_.push_back({kinds[kind], -1, 0, {}});
    }
  }
  ~Crowd() {
    for (const Guest& guest : guests_) {
      if (guest.socket >= 0) close(guest.socket);
    }
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  // Everybody whose moment has come does the next thing.
  void act() {
    const Clock::time_point now = Clock::now();
    for (Guest& guest : guests_) {
      if (now < guest.next) continue;
      guest.next = now + beat;
      if (guest.socket < 0) {
        come(guest);
      } else if (!carry_on(guest)) {
        close(guest.socket);
        guest.socket = -1;
        guest.next = now + comes_back_in;
      }
    }
  }
  [[nodiscard]] std::size_t inside() const {
    return static_cast<std::size_t>(std::count_if(
        guests_.begin(), guests_.end(), [](const Guest& guest) { return guest.socket >= 0; }));
  }

 private:
  void come(Guest& guest) const {
    guest.socket = connect_to(port_, guest.kind == Kind::reader);
    guest.said = 0;
    if (guest.socket < 0) guest.next = Clock::now() + comes_back_in;
  }

  // False: it was sent away.
  static bool carry_on(Guest& guest) {
    std::array<char, 512> bytes{};
    const std::size_t most = guest.kind == Kind::reader ? 1 : bytes.size();
    const ssize_t got = recv(guest.socket, bytes.data(), most, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != ENOTCONN)) return false;
    switch (guest.kind) {
      case Kind::silent:
        return true;
      case Kind::idle:
        return guest.said > 0 || say(guest, health, health.size());
      case Kind::reader:
        return guest.said > 0 || say(guest, large, large.size());
      case Kind::sender:
        return guest.said >= slow_request.size() || say(guest, slow_request, 1);
    }
    return true;
  }
  static bool say(Guest& guest, std::string_view all, std::size_t most) {
    const std::string_view part = all.substr(guest.said, most);
    const ssize_t sent = send(guest.socket, part.data(), part.size(), MSG_NOSIGNAL);
    if (sent > 0) guest.said += static_cast<std::size_t>(sent);
    return sent > 0 || errno == EAGAIN || errno == ENOTCONN;
  }

  unsigned port_;
  std::vector<Guest> guests_;
};

struct Health {
  int asked = 0, good = 0, full = 0, lost = 0;
  double worst_ms = 0;

  void question(unsigned port) {
    const Clock::time_point start = Clock::now();
    const int fd = connect_to(port, false);
    const int status = fd < 0 ? 0 : ask(fd, health);
    if (fd >= 0) close(fd);
    ++asked;
    ++(status == 200 ? good : status == 503 ? full : lost);
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    worst_ms = std::max(worst_ms, took.count());
  }
};

int stand(unsigned port, double seconds, const std::array<int, 4>& counts) {
  Crowd crowd(port, counts);
  Health health_seen;
  std::size_t most = 0;
  const Clock::time_point until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                     std::chrono::duration<double>(seconds));
  Clock::time_point next = Clock::now() + comes_back_in;  // once everybody is there
  while (Clock::now() < until) {
    crowd.act();
    most = std::max(most, crowd.inside());
    if (Clock::now() < next) {
      usleep(5000);
      continue;
    }
    health_seen.question(port);
    next = Clock::now() + beat;
  }
  std::printf("asked %d\ngood %d\nfull %d\nlost %d\nworst_ms %.1f\nguests_at_once %zu\n",
              health_seen.asked, health_seen.good, health_seen.full, health_seen.lost,
              health_seen.worst_ms, most);
  return 0;
}

int request_on(unsigned port, int count) {
  int fd = -1, good = 0, connections = 0;
  for (int i = 0; i < count; ++i) {
    if (fd < 0) {
      fd = connect_to(port, false);
      ++connections;
    }
    const int status = fd < 0 ? 0 : ask(fd, health);
    good += status == 200 ? 1 : 0;
    // The house closes a connection after a hundred answers.
    const bool closed = status != 200 || wait_for(fd, POLLIN, Clock::now());
    if (fd >= 0 && (closed || (i + 1) % 100 == 0)) {
      close(fd);
      fd = -1;
    }
  }
  if (fd >= 0) close(fd);
  std::printf("good %d\nconnections %d\n", good, connections);
  return good == count ? 0 : 1;
}

void raise_limit() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  raise_limit();
  const auto number = [&](int i) { return std::atoi(argv[i]); };
  if (argc == 4 && std::string_view(argv[2]) == "requests")
    return request_on(static_cast<unsigned>(number(1)), number(3));
  if (argc == 7)
    return stand(static_cast<unsigned>(number(1)), std::atof(argv[2]),
                 {number(3), number(4), number(5), number(6)});
  std::fputs("usage: crowd PORT SECONDS IDLE SILENT READERS SENDERS | crowd PORT requests COUNT\n",
             stderr);
  return 2;
}
