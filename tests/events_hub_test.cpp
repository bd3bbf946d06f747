#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "daemon/events/hub.h"

namespace iobenchd::events {
namespace {

using std::chrono::milliseconds;

Event state_of(std::int64_t sweep_id) {
  Event event;
  event.sweep_id = sweep_id;
  event.kind = EventKind::state;
  return event;
}

Event progress_of(std::int64_t sweep_id, std::uint32_t runs_done) {
  Event event;
  event.sweep_id = sweep_id;
  event.kind = EventKind::progress;
  event.progress.runs_done = runs_done;
  return event;
}

Hub hub_at(std::int64_t microseconds) {
  return Hub([microseconds] { return microseconds * 1000; });
}

TEST_CASE("numbers begin behind the wall clock in microseconds and grow by one") {
  Hub hub = hub_at(1'700'000'000'000'000);
  const auto listener = hub.subscribe(0, 0);
  hub.publish(state_of(1));
  hub.publish(progress_of(1, 3));
  hub.publish(state_of(2));
  Event event;
  REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
  CHECK(event.seq == 1'700'000'000'000'001);
  REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
  CHECK(event.seq == 0);  // progress has no number: it is never replayed
  REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
  CHECK(event.seq == 1'700'000'000'000'002);
  CHECK(listener->next(event, milliseconds(0)) == Next::timeout);
}

TEST_CASE("a listener to sweep 2 hears nothing of sweep 1") {
  Hub hub;
  const auto listener = hub.subscribe(2, 0);
  hub.publish(state_of(1));
  hub.publish(state_of(2));
  Event event;
  REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
  CHECK(event.sweep_id == 2);
  CHECK(listener->next(event, milliseconds(0)) == Next::timeout);
}

TEST_CASE("who comes back with the last number it saw gets exactly what it missed") {
  Hub hub = hub_at(10);
  for (std::int64_t sweep = 1; sweep <= 4; ++sweep) hub.publish(state_of(sweep));  // 11..14
  const auto listener = hub.subscribe(0, 12);
  hub.publish(state_of(5));
  Event event;
  for (const std::uint64_t expected : {std::uint64_t{13}, std::uint64_t{14}, std::uint64_t{15}}) {
    REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
    CHECK(event.seq == expected);
  }
  CHECK(listener->next(event, milliseconds(0)) == Next::timeout);
}

TEST_CASE("1024 events are kept for replay; replay alone never drops a listener") {
  Hub hub = hub_at(0);
  for (int i = 0; i < 1100; ++i) hub.publish(state_of(1));
  const auto listener = hub.subscribe(1, 1);
  for (std::size_t i = 0; i < subscriber_queue_limit; ++i) hub.publish(state_of(1));
  Event event;
  std::size_t count = 0;
  while (listener->next(event, milliseconds(0)) == Next::event) ++count;
  CHECK(count == replay_limit + subscriber_queue_limit);
}

TEST_CASE("a reader that sleeps over 256 events is dropped, the others are not") {
  Hub hub;
  const auto slow = hub.subscribe(0, 0);
  const auto quick = hub.subscribe(0, 0);
  Event event;
  for (std::size_t i = 0; i <= subscriber_queue_limit; ++i) {
    hub.publish(state_of(1));
    CHECK(quick->next(event, milliseconds(0)) == Next::event);
  }
  CHECK(slow->next(event, milliseconds(0)) == Next::dropped);
  CHECK(slow->next(event, milliseconds(0)) == Next::dropped);
}

TEST_CASE("unread progress is replaced by newer progress of the same sweep") {
  Hub hub;
  const auto listener = hub.subscribe(0, 0);
  for (std::uint32_t i = 1; i <= 1000; ++i) hub.publish(progress_of(1, i));
  Event event;
  REQUIRE(listener->next(event, milliseconds(0)) == Next::event);
  CHECK(event.progress.runs_done == 1000);
  CHECK(listener->next(event, milliseconds(0)) == Next::timeout);
}

TEST_CASE("the 65th listener is told to come again, and may when another has left") {
  Hub hub;
  std::vector<std::unique_ptr<Subscription>> listeners;
  for (std::size_t i = 0; i < subscriber_limit; ++i) listeners.push_back(hub.subscribe(0, 0));
  CHECK(hub.subscribe(0, 0) == nullptr);
  listeners.pop_back();
  CHECK(hub.subscribe(0, 0) != nullptr);
}

TEST_CASE("closing wakes who waits, after the events that were there before") {
  Hub hub;
  const auto listener = hub.subscribe(0, 0);
  hub.publish(state_of(7));
  std::atomic<bool> woke = false;
  std::thread reader([&] {
    Event event;
    CHECK(listener->next(event, milliseconds(5000)) == Next::event);
    CHECK(listener->next(event, milliseconds(5000)) == Next::closed);
    woke = true;
  });
  const auto begin = std::chrono::steady_clock::now();
  hub.close();
  reader.join();
  CHECK(woke);
  CHECK(std::chrono::steady_clock::now() - begin < milliseconds(2000));
  CHECK(hub.subscribe(0, 0) == nullptr);
}

TEST_CASE("a subscription may outlive its hub") {
  auto hub = std::make_unique<Hub>();
  const auto listener = hub->subscribe(0, 0);
  hub.reset();
  Event event;
  CHECK(listener->next(event, milliseconds(0)) == Next::closed);
}

TEST_CASE("four publishers and a reader: every event arrives once, in the order of its number") {
  Hub hub;
  const auto listener = hub.subscribe(0, 0);
  std::vector<std::thread> publishers;
  for (int publisher = 0; publisher < 4; ++publisher)
    publishers.emplace_back([&] {
      for (int i = 0; i < 60; ++i) hub.publish(state_of(1));  // 240 in all: under the limit
    });
  for (auto& publisher : publishers) publisher.join();
  Event event;
  std::uint64_t last = 0;
  int count = 0;
  while (listener->next(event, milliseconds(0)) == Next::event) {
    CHECK(event.seq > last);
    last = event.seq;
    ++count;
  }
  CHECK(count == 240);
}

}  // namespace
}  // namespace iobenchd::events
