// The front as a well-behaved client meets it: real sockets, a small table of routes.
#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "tests/api_front_client.h"

using namespace front_test;  // NOLINT(google-build-using-namespace): one house, one guest

namespace {

// A directory of ours, gone with the object.
struct Directory {
  Directory() {
    const char* parent = ::getenv("TMPDIR");
    path = std::string(parent != nullptr ? parent : "/tmp") + "/iobenchd-front-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
  }
  ~Directory() { ::rmdir(path.c_str()); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string path;
};

std::string unix_answer(const std::string& path, const std::string& text) {
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof where.sun_path);
  std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0);
  REQUIRE(::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  std::array<char, 4096> bytes{};
  const ssize_t size = ::recv(fd, bytes.data(), bytes.size(), 0);
  ::close(fd);
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

TEST_CASE("a POST without a body is answered at once") {
  House house;
  Client client(house.port);
  const auto start = Clock::now();
  const Reply reply = client.ask("POST /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(reply.status == 200);
  CHECK(reply.body == "/echo||");
  CHECK(since(start) < soon);
}

TEST_CASE("a request arrives as it was meant") {
  House house;
  Client client(house.port);
  CHECK(client.ask(post("/echo?label=100%25&x=a%26b+c", "{\"a\": \"%41\"}")).body ==
        "/echo|{\"a\": \"%41\"}|label=100%|x=a&b c|");
  CHECK(client.ask(get("/echo/%C3%A9+7?q=%C3%A9")).body ==
        "/echo/\xC3\xA9+7||\xC3\xA9+7|q=\xC3\xA9|");
  const std::string body(1U << 20U, 'j');
  CHECK(client.ask(post("/echo", body)).body == "/echo|" + body + "|");
}

TEST_CASE("a connection is kept for a hundred requests, pipelined ones too, and then closed") {
  CoreLimits limits;
  limits.loop.requests_per_connection = 4;
  House house(limits);
  Client client(house.port);
  CHECK(!client.ask(get("/healthz")).has("Connection: close"));
  client.send(get("/healthz") + post("/echo", "{}") + get("/healthz") + get("/healthz"));
  CHECK(client.reply().body == "ok\n");
  CHECK(client.reply().body == "/echo|{}|");
  const Reply last = client.reply();
  CHECK(last.status == 200);
  CHECK(last.has("Connection: close"));
  CHECK(client.is_closed());
}

TEST_CASE("an idle connection is closed in its time, and one that asks for it at once") {
  CoreLimits limits;
  limits.loop.idle_time = 200ms;
  House house(limits);
  Client client(house.port);
  CHECK(client.ask(get("/healthz")).status == 200);
  const auto start = Clock::now();
  CHECK(client.is_closed());
  CHECK(since(start) >= 150ms);
  CHECK(since(start) < soon);
  Client polite(house.port);
  CHECK(polite.ask(get("/healthz", "Connection: close\r\n")).has("Connection: close"));
  CHECK(polite.is_closed());
  Client old(house.port);
  CHECK(old.ask("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n").body == "ok\n");
  CHECK(old.is_closed());
}

TEST_CASE("HEAD, OPTIONS, 204, 404 and 405 say what they should") {
  House house;
  Client client(house.port);
  client.send("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const Reply head = client.reply(true);
  CHECK(head.status == 200);
  CHECK(head.has("Content-Length: 3\r\n"));
  const Reply options = client.ask("OPTIONS /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(options.status == 204);
  CHECK(options.has("Allow: POST, OPTIONS\r\n"));
  CHECK(!options.has("Access-Control"));
  const Reply gone = client.ask("DELETE /gone HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(gone.status == 204);
  CHECK(!gone.has("Content-Length"));
  const Reply wrong = client.ask("DELETE /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(wrong.status == 405);
  CHECK(wrong.has("Allow: POST, OPTIONS\r\n"));
  CHECK(wrong.has("Content-Type: application/problem+json\r\n"));
  CHECK(client.ask(get("/nowhere")).status == 404);
  CHECK(client.ask(get("/healthz")).status == 200);  // all on one connection
}

TEST_CASE("every answer carries what keeps a browser careful") {
  House house;
  Client client(house.port);
  const Reply reply = client.ask(get("/healthz"));
  CHECK(reply.has("X-Content-Type-Options: nosniff\r\n"));
  CHECK(reply.has("Referrer-Policy: no-referrer\r\n"));
  CHECK(reply.has("Cache-Control: no-cache\r\n"));
  CHECK(!reply.has("Keep-Alive"));
  CHECK(!reply.has("Accept-Ranges"));
}

TEST_CASE("who expects a nudge gets one before it sends its body") {
  House house;
  Client client(house.port);
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.reply(true).status == 100);
  CHECK(client.ask("{}").body == "/echo|{}|");
  Client refused(house.port);
  CHECK(refused
            .ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                 "Content-Length: 2000000\r\nExpect: 100-continue\r\n\r\n")
            .status == 413);
}

TEST_CASE("streams come in chunks, and a broken one is not taken for a whole one") {
  House house;
  Client client(house.port);
  client.send(get("/stream"));
  const std::string whole = client.rest();
  CHECK(whole.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(whole.find("Connection: close\r\n") != std::string::npos);
  CHECK(whole.find("\r\n\r\n7\r\nline 0\n\r\n7\r\nline 2\n\r\n0\r\n\r\n") != std::string::npos);
  Client broken(house.port);
  broken.send(get("/broken"));
  const std::string part = broken.rest();
  CHECK(part.find("line 0\n") != std::string::npos);
  CHECK(part.find("0\r\n\r\n") == std::string::npos);
  CHECK(part.find("secret") == std::string::npos);
  Client old(house.port);
  old.send("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n");
  const std::string plain = old.rest();
  CHECK(plain.find("chunked") == std::string::npos);
  CHECK(plain.find("\r\n\r\nline 0\nline 2\n") != std::string::npos);
}

TEST_CASE("sixteen long answers run beside the others, and the next is told to wait") {
  House house;
  std::vector<Client> readers;
  for (int i = 0; i < 16; ++i) {
    readers.emplace_back(house.port);
    readers.back().send(get("/endless"));
  }
  for (Client& reader : readers) CHECK(reader.reply(true).status == 200);
  Client late(house.port);
  const Reply refused = late.ask(get("/endless"));
  CHECK(refused.status == 503);
  CHECK(refused.has("Retry-After: "));
  for (int i = 0; i < 20; ++i) CHECK(Client(house.port).ask(get("/healthz")).status == 200);
  CHECK(Client(house.port).ask(get("/stream")).status == 200);  // another kind, its own places
  readers.pop_back();                                           // who hangs up makes room
  int status = 503;
  for (int i = 0; i < 100 && status == 503; ++i) {
    std::this_thread::sleep_for(20ms);
    Client next(house.port);
    next.send(get("/endless"));
    status = next.reply(true).status;
  }
  CHECK(status == 200);
}

TEST_CASE("a report on what is done already gives way where no stream has room") {
  House house;
  const std::string report =
      "POST /report HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  std::vector<Client> readers;
  for (int i = 0; i < 16; ++i) {
    readers.emplace_back(house.port);
    readers.back().send(report);
  }
  for (Client& reader : readers) CHECK(reader.reply(true).status == 200);
  CHECK(Client(house.port).ask(report).status == 202);
}

TEST_CASE("a stop ends streams in order, keeps nobody waiting, and takes under two seconds") {
  House house;
  Client reader(house.port);
  reader.send(get("/endless"));
  CHECK(reader.reply(true).status == 200);
  const Client idle(house.port);
  Client half(house.port);
  half.send("POST /echo HTTP/1.1\r\nHost: localhost\r\n");
  const auto start = Clock::now();
  house.core.stop();
  CHECK(since(start) < 2s);
  const std::string rest = reader.rest();
  REQUIRE(rest.size() >= 5);
  CHECK(rest.substr(rest.size() - 5) == "0\r\n\r\n");
  CHECK(half.is_closed());
  house.core.stop();  // again is fine
}

TEST_CASE("a stop before the start, or in the same breath, isn't lost") {
  const auto answer = [](const Route&, const Request&) { return Response{}; };
  ServerCore never(table, answer, settings_for("127.0.0.1:0"));
  never.stop();
  for (int i = 0; i < 20; ++i) {
    ServerCore core(table, answer, settings_for("127.0.0.1:0"));
    core.start();
    core.stop();
  }
}

// With Nagle's algorithm the second of two takes 40 ms: it waits until the first is acknowledged.
TEST_CASE("small answers on one connection don't wait for one another") {
  CoreLimits limits;
  limits.loop.requests_per_connection = 1000;
  House house(limits);
  Client client(house.port);
  const auto start = Clock::now();
  for (int i = 0; i < 300; ++i) {
    client.send(get("/healthz") + get("/healthz"));
    CHECK(client.reply().status == 200);
    CHECK(client.reply().status == 200);
  }
  CHECK(since(start) < soon);
}

TEST_CASE("a taken address is named, and port 0 is resolved") {
  House house;
  CHECK(house.port != 0);
  const std::string address = "127.0.0.1:" + std::to_string(house.port);
  CHECK(house.core.addresses().at(0) == address);
  CHECK_THROWS_WITH_AS(
      House({}, address),
      ("can't listen on " + address + ": another program listens there already").c_str(),
      iobenchd::Error);
  for (const char* bad : {"127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", "nohost:80", "unix:a"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(House({}, bad), iobenchd::Error);
  }
}

TEST_CASE("beyond loopback it doesn't start without a token") {
  CHECK_THROWS_WITH_AS(House({}, "0.0.0.0:0"), doctest::Contains("token_file"), iobenchd::Error);
}

TEST_CASE("a Unix socket is private to its group, outlives no daemon and isn't stolen") {
  const Directory directory;
  const std::string path = directory.path + "/sock";
  const std::string address = "unix:" + path;
  struct stat facts {};
  {
    House house({}, address);
    REQUIRE(::stat(path.c_str(), &facts) == 0);
    CHECK((facts.st_mode & 0777U) == 0660);
    CHECK(unix_answer(path, get("/healthz")).find("200 OK") != std::string::npos);
    CHECK_THROWS_WITH_AS(House({}, address), doctest::Contains("listens there already"),
                         iobenchd::Error);
    CHECK(unix_answer(path, get("/healthz")).find("200 OK") != std::string::npos);
  }
  CHECK(::stat(path.c_str(), &facts) != 0);
  // What a killed daemon leaves.
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  std::memcpy(where.sun_path, path.c_str(), path.size() + 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0);
  ::close(fd);
  House house({}, address);
  CHECK(unix_answer(path, get("/healthz")).find("200 OK") != std::string::npos);
}
