// The audit trail: what is refused is folded and written by a thread of its own, and handlers leave
// their rows.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "api/audit.h"
#include "api/audit_trail.h"
#include "api/handlers.h"
#include "api/strict_json.h"
#include "tests/scheduler_workshop.h"

using namespace iobenchd;
using api::AuditTrail;
using api::Method;
using api::RefusedFold;
using api::Request;
using scheduler::fakes::grid_on;
using scheduler::fakes::Life;
using scheduler::fakes::wait_until;
using scheduler::fakes::Workshop;

namespace {

AuditEntry refusal(const std::string& peer, int status, std::int64_t at_ns = 1) {
  AuditEntry entry;
  entry.at_ns = at_ns;
  entry.peer = peer;
  entry.path = "/x" + std::to_string(at_ns);
  entry.status = status;
  return entry;
}

Request request_to(Method method, const std::string& path, const std::string& parameter = "") {
  Request request;
  request.method = method;
  request.path = path;
  request.peer = "127.0.0.1";
  request.caller.token = "cleaner";
  if (!parameter.empty()) request.parameters.push_back(parameter);
  return request;
}

}  // namespace

TEST_CASE("the same refusal from the same address is one row with its number of times") {
  RefusedFold fold;
  for (int i = 1; i <= 1000; ++i) fold.add(refusal("10.0.0.1", 401, i));
  fold.add(refusal("10.0.0.1", 403, 5));
  fold.add(refusal("10.0.0.2", 401, 6));
  REQUIRE(fold.rows().size() == 3);
  CHECK(fold.rows()[0].times == 1000);
  CHECK(fold.rows()[0].path == "/x1");  // the first
  CHECK(fold.rows()[0].at_ns == 1000);  // the last
  CHECK(fold.rows()[1].times == 1);
}

TEST_CASE("more addresses than are told apart are one row together") {
  RefusedFold fold;
  for (int i = 0; i < 5000; ++i) fold.add(refusal("10.0." + std::to_string(i), 401));
  REQUIRE(fold.rows().size() == RefusedFold::rows_most + 1);
  CHECK(fold.rows().back().peer == "others");
  CHECK(fold.rows().back().times == 5000 - RefusedFold::rows_most);
  fold.add(refusal("10.0.3", 401));  // one of the first is still its own
  CHECK(fold.rows()[3].times == 2);
}

TEST_CASE("what is refused is written soon, and the rest when it stops") {
  std::mutex mutex;
  std::vector<AuditEntry> kept;
  AuditTrail trail(
      [&](const std::vector<AuditEntry>& rows) {
        const std::lock_guard lock(mutex);
        kept.insert(kept.end(), rows.begin(), rows.end());
      },
      std::chrono::milliseconds(20));
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return kept.size();
  };
  trail.start();
  trail.refused(refusal("10.0.0.1", 401));
  CHECK(wait_until([&] { return count() == 1; }));
  trail.refused(refusal("10.0.0.2", 401));
  trail.stop();
  CHECK(count() == 2);
}

TEST_CASE("what can't be written is kept until it can") {
  std::atomic<int> attempts = 0;
  std::atomic<std::uint32_t> times = 0;
  AuditTrail trail(
      [&](const std::vector<AuditEntry>& rows) {
        if (++attempts == 1) throw std::runtime_error("no room");
        times += rows.at(0).times;
      },
      std::chrono::milliseconds(5));
  trail.start();
  trail.refused(refusal("10.0.0.1", 401));
  CHECK(wait_until([&] { return attempts > 0; }));
  trail.refused(refusal("10.0.0.1", 401));
  trail.stop();
  CHECK(times == 2);
}

TEST_CASE("of what handlers refuse, 403 and 428 belong into the trail, and dry runs don't") {
  Request request = request_to(Method::post, "/api/v1/sweeps");
  const Error forbidden(ErrorCode::forbidden, "no");
  CHECK(api::is_audited(request, forbidden));
  CHECK(api::is_audited(request, Error(ErrorCode::confirmation_needed, "confirm", "say it")));
  CHECK_FALSE(api::is_audited(request, Error(ErrorCode::conflict, "no")));
  for (const char* yes : {"", "1", "true"}) {
    request.query = {{"dry_run", yes}};
    CHECK_FALSE(api::is_audited(request, forbidden));
  }
  request.query = {{"dry_run", "false"}};
  CHECK(api::is_audited(request, forbidden));
}

TEST_CASE("a sweep that overwrites a device and a deletion leave rows that say what and who") {
  Workshop workshop;
  workshop.settings.targets[0].write = 1;
  workshop.settings.workers = 0;  // what is queued stays queued
  Life life(workshop);
  const api::Context context{life.store, life.hub, life.scheduler};
  Request post = request_to(Method::post, "/api/v1/sweeps");
  post.body =
      R"({"target": "/dev/sda", "rw": "randwrite", "numjobs": 1, "size": "1m", "runtime": "1s",
          "confirm": "destroy Test Disk S1 1.1 GB"})";
  REQUIRE(api::post_sweep(context, post).status == 202);
  post.body = R"({"target": "/dev/sda", "numjobs": 1})";
  REQUIRE(api::post_sweep(context, post).status == 202);  // reads only: no row
  life.scheduler.cancel(1);
  REQUIRE(api::delete_sweep(context, request_to(Method::del, "/api/v1/sweeps/1", "1")).status ==
          204);
  const auto rows = life.store.audit().list({}, 0, 10).items;
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].kind == AuditKind::overwrite);
  CHECK(rows[1].token == "cleaner");
  CHECK(rows[1].what.find("sweep 1 overwrites /dev/sda (destroy Test Disk S1 1.1 GB): ") == 0);
  CHECK(rows[0].kind == AuditKind::deleted);
  CHECK(rows[0].what == "sweep 1 of /dev/sda with its 0 runs");
  const auto listed = api::list_audit(context, request_to(Method::get, "/api/v1/audit"));
  const auto page = api::parse_strict(listed.body);
  REQUIRE(page.at("items").size() == 2);
  CHECK(page.at("items").at(0).at("what") == "sweep 1 of /dev/sda with its 0 runs");
  CHECK(page.at("items").at(0).at("peer") == "127.0.0.1");
  life.scheduler.cancel(2);
}
