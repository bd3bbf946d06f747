// Asks a daemon the same things again and again, on connections that are kept open, and says how
// long the answers took:
//   http-load PORT CONNECTIONS REQUESTS PATH...
// Each connection asks REQUESTS times in all, the paths in turn. One line of JSON: count, seconds,
// per_s, p50_us, p99_us, max_us, and how many answers were none of 200.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Tally {
  std::vector<std::uint32_t> us;
  std::uint64_t wrong = 0;
};

int connected(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  if (fd < 0 || connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    std::perror("http-load: connect");
    std::exit(1);
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// The length of the whole answer once its head is there; 0 before that.
std::size_t answer_bytes(std::string_view answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  constexpr std::string_view name = "Content-Length: ";
  const std::size_t at = answer.find(name);
  if (at == std::string_view::npos || at > end) {
    std::fputs("http-load: an answer without a length\n", stderr);
    std::exit(1);
  }
  return end + 4 + std::strtoull(answer.data() + at + name.size(), nullptr, 10);
}

// One request, one answer; the connection is made anew where the daemon has closed it (it does
// after 100 requests).
void exchange(int& fd, std::uint16_t port, const std::string& request, std::string& answer) {
  for (;;) {
    answer.clear();
    std::size_t whole = 0;
    bool gone = send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0;
    char bytes[65536];
    while (!gone && (whole == 0 || answer.size() < whole)) {
      const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
      gone = got <= 0;
      if (gone) break;
      answer.append(bytes, static_cast<std::size_t>(got));
      whole = answer_bytes(answer);
    }
    const bool closes = answer.find("Connection: close") < answer.find("\r\n\r\n");
    if (gone || closes) {
      close(fd);
      fd = connected(port);
    }
    if (!gone) return;
  }
}

void ask(std::uint16_t port, std::uint32_t requests, const std::vector<std::string>& paths,
         Tally& tally) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    texts.push_back("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  int fd = connected(port);
  std::string answer;
  tally.us.reserve(requests);
  for (std::uint32_t i = 0; i < requests; ++i) {
    const Clock::time_point start = Clock::now();
    exchange(fd, port, texts[i % texts.size()], answer);
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
    tally.us.push_back(static_cast<std::uint32_t>(took.count()));
    if (answer.compare(0, 12, "HTTP/1.1 200") != 0) ++tally.wrong;
  }
  close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("http-load PORT CONNECTIONS REQUESTS PATH...\n", stderr);
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::strtoul(argv[1], nullptr, 10));
  const auto connections = std::max<std::size_t>(std::strtoul(argv[2], nullptr, 10), 1);
  const auto requests = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  const std::vector<std::string> paths(argv + 4, argv + argc);
  std::vector<Tally> tallies(connections);
  std::vector<std::thread> threads;
  const Clock::time_point start = Clock::now();
  for (Tally& tally : tallies) {
    threads.emplace_back([&] { ask(port, requests, paths, tally); });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  Tally all;
  for (const Tally& tally : tallies) {
    all.us.insert(all.us.end(), tally.us.begin(), tally.us.end());
    all.wrong += tally.wrong;
  }
  std::sort(all.us.begin(), all.us.end());
  if (all.us.empty()) return 2;
  const auto at = [&](std::size_t thousandths) {
    return all.us[std::min(all.us.size() - 1, all.us.size() * thousandths / 1000)];
  };
  std::printf(
      "{\"count\":%zu,\"seconds\":%.3f,\"per_s\":%.0f,\"p50_us\":%u,\"p99_us\":%u,"
      "\"max_us\":%u,\"wrong\":%llu}\n",
      all.us.size(), seconds, static_cast<double>(all.us.size()) / seconds, at(500), at(990),
      all.us.back(), static_cast<unsigned long long>(all.wrong));
  return all.wrong == 0 ? 0 : 1;
}
