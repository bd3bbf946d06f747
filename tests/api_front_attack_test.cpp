// The front as a hostile client meets it: real sockets, raw bytes.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include "tests/api_front_client.h"

using namespace front_test;  // NOLINT(google-build-using-namespace): one house, one guest

namespace {

long peak_memory_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

TEST_CASE("no second request is smuggled in behind one that two parsers could read two ways") {
  House house;
  const std::string hidden = "POST /hit HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(hidden.size()) + "\r\n";
  const std::string host = "Host: localhost\r\n";
  const std::string echo = "POST /echo HTTP/1.1\r\n" + host;
  const std::vector<std::string> attacks{
      "GET /healthz HTTP/1.1\r\n" + host + length + "\r\n" + hidden,
      "HEAD /healthz HTTP/1.1\r\n" + host + length + "\r\n" + hidden,
      "DELETE /gone HTTP/1.1\r\n" + host + length + "\r\n" + hidden,
      echo + "Content-Length: 0\r\n" + length + "\r\n" + hidden,
      echo + length + "Content-Length: 0\r\n\r\n" + hidden,
      echo + "Content-Length: 0, 5\r\n\r\n" + hidden,
      echo + "Content-Length: 0x\r\n\r\n" + hidden,
      echo + "Content-Length: -1\r\n\r\n" + hidden,
      echo + "Content-Length: 18446744073709551616\r\n\r\n" + hidden,
      echo + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + "Transfer-Encoding: chunked\r\n\r\n-2\r\n" + hidden,
      echo + length + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + "Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + " Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
      echo + "X: a\n" + length + "\r\n" + hidden,
      echo + "X: a\rContent-Length: 0\r\n\r\n" + hidden,
      echo + "X: a\r\n\n" + hidden,
      echo + "Host: other\r\n\r\n" + hidden,
      "POST /echo HTTP/1.1\r\n\r\n" + hidden,
      "POST /echo HTTP/1.1\n" + host + "\n" + hidden,
      "\r\n" + hidden,
      "POST /nowhere HTTP/1.1\r\n" + host + length + "\r\n" + hidden,
      "POST /cancel HTTP/1.1\r\n" + host + length + "\r\n" + hidden,
      echo + length + "Content-Type: text/plain\r\n\r\n" + hidden,
      echo + length + "\r\n" + hidden,
      echo + length + "Content-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n" + hidden,
      echo + length + "Content-Type: application/json\r\nOrigin: http://evil.example\r\n\r\n" +
          hidden,
      echo + length + "Content-Type: application/json\r\nExpect: x\r\n\r\n" + hidden,
  };
  for (const std::string& attack : attacks) {
    CAPTURE(attack);
    Client client(house.port);
    client.send(attack);
    const Reply reply = client.reply(attack.rfind("HEAD", 0) == 0);
    CHECK(reply.status >= 400);
    CHECK(reply.status < 500);
    CHECK(reply.has("Connection: close"));
    const std::string rest = client.rest();
    CHECK(rest.find("HTTP/1.1") == std::string::npos);
  }
  CHECK(house.hits == 0);
  CHECK(Client(house.port).ask(hidden).status == 202);  // asked for openly it works
  CHECK(house.hits == 1);
}

TEST_CASE("a header of 64 MiB costs 16 KiB and is answered") {
  House house;
  const long before = peak_memory_kib();
  Client client(house.port);
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
  const std::string piece(1U << 20U, 'a');
  for (int i = 0; i < 64 && client.send(piece); ++i) {
  }
  CHECK(client.reply().status == 431);
  CHECK(peak_memory_kib() - before < 32 * 1024);
}

TEST_CASE("three hundred thousand headers are too many") {
  House house;
  Client client(house.port);
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");
  std::string lines;
  for (int i = 0; i < 300'000; ++i) lines += "A:\r\n";
  client.send(lines);
  CHECK(client.reply().status == 431);
}

TEST_CASE("a slow head is cut off, however it trickles, and a silent client without a word") {
  CoreLimits limits;
  limits.loop.head_time = 400ms;
  House house(limits);
  Client silent(house.port);
  Client slow(house.port);
  const auto start = Clock::now();
  const std::string text = get("/healthz", "X: " + std::string(100, 'x') + "\r\n");
  for (const char c : text) {
    if (since(start) > 600ms || !slow.send(std::string(1, c))) break;
    std::this_thread::sleep_for(20ms);
  }
  CHECK(slow.reply().status == 408);
  CHECK(since(start) < soon);
  CHECK(silent.is_closed());
}

TEST_CASE("a body that doesn't come is waited for so long and no longer") {
  CoreLimits limits;
  limits.loop.body_time = 300ms;
  House house(limits);
  Client client(house.port);
  const auto start = Clock::now();
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 10\r\n\r\n{");
  CHECK(client.reply().status == 408);
  CHECK(since(start) < soon);
}

TEST_CASE("two hundred idle and two hundred half-said requests keep nobody waiting") {
  House house;
  std::vector<Client> crowd;
  for (int i = 0; i < 400; ++i) {
    crowd.emplace_back(house.port);
    if (i % 2 == 0) crowd.back().send("POST /echo HTTP/1.1\r\nHost: lo");
  }
  const auto start = Clock::now();
  for (int i = 0; i < 50; ++i) CHECK(Client(house.port).ask(get("/healthz")).status == 200);
  CHECK(since(start) < soon);
}

TEST_CASE("readers that don't read cost no worker") {
  House house;
  std::vector<Client> crowd;
  for (int i = 0; i < 12; ++i) {
    crowd.emplace_back(house.port);
    crowd.back().send(get("/big"));
  }
  std::this_thread::sleep_for(100ms);
  const auto start = Clock::now();
  CHECK(Client(house.port).ask(get("/healthz")).status == 200);
  CHECK(since(start) < soon);
  CHECK(crowd.front().reply().body.size() == big_bytes);  // and get all of it when they do
}

TEST_CASE("a reader that never reads is dropped in the end") {
  CoreLimits limits;
  limits.loop.write_time = 300ms;
  limits.loop.connections = 1;
  House house(limits);
  Client stuck(house.port);
  stuck.send(get("/big"));
  REQUIRE(stuck.more());  // it is under way
  CHECK(Client(house.port).ask(get("/healthz")).status == 503);
  CHECK(health_in_the_end(house.port) == 200);
}

TEST_CASE("who sends too much sees why") {
  House house;
  Client client(house.port);
  const std::string body(2U << 20U, 'x');
  client.send(post("/echo", body));  // all of it, whatever the server says meanwhile
  const Reply reply = client.reply();
  CHECK(reply.status == 413);
  CHECK(reply.body.find("1048576 bytes at most") != std::string::npos);
}

TEST_CASE("large bodies share a bounded room") {
  CoreLimits limits;
  limits.loop.bodies_bytes = 3U << 19U;  // 1.5 MiB
  House house(limits);
  std::vector<Client> crowd;
  const std::string all = post("/echo", std::string(1U << 20U, 'x'));
  for (int i = 0; i < 3; ++i) {
    crowd.emplace_back(house.port);
    crowd.back().send(std::string_view(all).substr(0, all.size() - 1));
  }
  int refused = 0;
  for (Client& client : crowd) {
    if (client.more(500ms)) refused += client.reply().status == 503 ? 1 : 0;
  }
  CHECK(refused >= 1);
  crowd.clear();
  int status = 503;
  for (int i = 0; i < 200 && status != 200; ++i) {  // the room is given back
    std::this_thread::sleep_for(25ms);
    status = Client(house.port).ask(all).status;
  }
  CHECK(status == 200);
}

TEST_CASE("over the cap a client is told so at once") {
  CoreLimits limits;
  limits.loop.connections = 10;
  House house(limits);
  std::vector<Client> crowd;
  for (int i = 0; i < 10; ++i) {
    crowd.emplace_back(house.port);
    CHECK(crowd.back().ask(get("/healthz")).status == 200);
    crowd.back().send("GET /healthz HTTP/1.1\r\nHo");  // it is about to ask
  }
  Client late(house.port);
  const Reply reply = late.ask(get("/healthz"));
  CHECK(reply.status == 503);
  CHECK(reply.has("Retry-After: "));
  late.rest();
  crowd.pop_back();  // the late one is still connected, and takes nobody's place
  CHECK(health_in_the_end(house.port) == 200);
}

TEST_CASE("who is idle gives way to who asks, and who is asking doesn't") {
  CoreLimits limits;
  limits.loop.connections = 10;
  House house(limits);
  Client half(house.port);
  CHECK(half.ask(get("/healthz")).status == 200);
  half.send("GET /healthz HTTP/1.1\r\nHo");
  CHECK(Client(house.port).ask(get("/healthz")).status == 200);  // a round later it is read
  std::vector<Client> crowd;
  for (int i = 0; i < 40; ++i) {
    crowd.emplace_back(house.port);
    CHECK(crowd.back().ask(get("/healthz")).status == 200);
  }
  CHECK(crowd.front().is_closed());
  CHECK(half.ask("st: localhost\r\n\r\n").status == 200);
}

TEST_CASE("a header's value is what was sent, and none says who asks") {
  House house;
  const std::string headers =
      "Accept: text/plain%0D%0AX: 1\r\nREMOTE_ADDR: 10.9.8.7\r\nX-Forwarded-For: 10.9.8.7\r\n";
  CHECK(Client(house.port).ask(get("/mirror", headers)).body == "text/plain%0D%0AX: 1|127.0.0.1\n");
}

TEST_CASE("a path of eight thousand letters is too long, whatever is in it") {
  House house;
  for (const char* piece : {"a", "/", "%61", ".", "(", "a/"}) {
    std::string path = "/";
    while (path.size() < 8000) path += piece;
    CHECK(Client(house.port).ask(get(path)).status == 414);
  }
}

TEST_CASE("a zip bomb isn't unpacked") {
  House house;
  const std::string headers = "Content-Type: application/json\r\nContent-Encoding: ";
  for (const char* encoding : {"gzip", "deflate", "br", "x-gzip", "gzip, gzip"}) {
    const std::string bomb(1000, '\x1f');
    CHECK(Client(house.port).ask(post("/echo", bomb, headers + encoding + "\r\n")).status == 415);
  }
}

TEST_CASE("ranges and encodings a client asks for change nothing") {
  House house;
  Client client(house.port);
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 500; ++i) ranges += ",0-";
  const Reply reply = client.ask(get("/big", ranges + "\r\nAccept-Encoding: br, gzip\r\n"));
  CHECK(reply.status == 200);
  CHECK(reply.body.size() == big_bytes);
  CHECK(!reply.has("Content-Encoding"));
  CHECK(client.ask(get("/healthz", "Range: bytes=999999-\r\n")).status == 200);
}

TEST_CASE("what is thrown inside stays inside, and the house stands") {
  House house;
  Client client(house.port);
  const Reply reply = client.ask(get("/throw"));
  CHECK(reply.status == 500);
  CHECK((reply.head + reply.body).find("secret") == std::string::npos);
  CHECK(client.ask(get("/healthz")).status == 200);
}

TEST_CASE("a handler's header stays one line") {
  House house;
  Client client(house.port);
  const Reply reply = client.ask(get("/inject"));
  CHECK(reply.has("Location: /a  Set-Cookie: b=c\r\n"));
  CHECK(!reply.has("\nSet-Cookie"));
}

TEST_CASE("pages from elsewhere get nowhere") {
  House house;
  CHECK(Client(house.port).ask("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n").status ==
        421);
  CHECK(Client(house.port)
            .ask(post("/echo", "{}", "Content-Type: application/json\r\nOrigin: http://a\r\n"))
            .status == 403);
  CHECK(Client(house.port).ask(post("/echo", "a=b", "")).status == 415);
  CHECK(Client(house.port)
            .ask(post("/echo", "a=b", "Content-Type: application/x-www-form-urlencoded\r\n"))
            .status == 415);
}

TEST_CASE("a client that vanishes in the middle of anything is forgotten") {
  House house;
  for (int i = 0; i < 20; ++i) {
    const std::string all = post("/echo", std::string(1000, 'x'));
    const std::size_t part = all.size() * static_cast<std::size_t>(i) / 20;
    Client(house.port).send(std::string_view(all).substr(0, part));
    if (i % 5 == 0) Client(house.port).send(get("/big"));
    Client(house.port).send(get("/endless"));
  }
  CHECK(Client(house.port).ask(get("/healthz")).status == 200);
}
