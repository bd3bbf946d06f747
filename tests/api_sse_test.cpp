// Server-sent events as a reader gets them, over a real hub.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/sse.h"
#include "daemon/events/hub.h"

namespace {

using iobenchd::Event;
using iobenchd::EventKind;
using iobenchd::SweepState;
using iobenchd::api::event_text;
using iobenchd::api::EventStream;
using iobenchd::events::Hub;
using namespace std::chrono_literals;

Event state_event(std::int64_t sweep_id, SweepState state) {
  Event event;
  event.sweep_id = sweep_id;
  event.kind = EventKind::state;
  event.state = state;
  return event;
}

Event plain_event(std::int64_t sweep_id, EventKind kind) {
  Event event;
  event.sweep_id = sweep_id;
  event.kind = kind;
  return event;
}

// All that a stream says until it ends; at most 1000 rounds.
std::string all_of(EventStream& stream) {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    if (!stream.next(text)) return text;
  }
  return text + "(no end)";
}

std::vector<std::string> events_of(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = text.find("event: ", at)) != std::string::npos; at += 7) {
    names.push_back(text.substr(at + 7, text.find('\n', at) - at - 7));
  }
  return names;
}

}  // namespace

TEST_CASE("an event is a name, an id where it can be asked for again, and one line of JSON") {
  Event event = state_event(3, SweepState::done);
  event.seq = 17;
  event.answer = "6 to 8 jobs.\nBeyond, latency doubles.";
  const std::string text = event_text(event);
  CHECK(text.rfind("event: state\nid: 17\ndata: {\"sweep_id\":3,", 0) == 0);
  CHECK(text.find("\"state\":\"done\"") != std::string::npos);
  CHECK(text.substr(text.size() - 3) == "}\n\n");
  CHECK(text.find("jobs.\\nBeyond") != std::string::npos);  // no line of its own
  CHECK(event_text(plain_event(3, EventKind::progress)).find("\nid: ") == std::string::npos);
}

TEST_CASE("a reader hears the present first, then what happens, and the end of its sweep") {
  Hub hub;
  EventStream stream(hub.subscribe(3, 0), {state_event(3, SweepState::running)}, 3, false);
  hub.publish(plain_event(3, EventKind::progress));
  hub.publish(plain_event(4, EventKind::run));  // another sweep's
  hub.publish(plain_event(3, EventKind::run));
  hub.publish(state_event(3, SweepState::done));
  hub.publish(plain_event(3, EventKind::progress));
  const std::string text = all_of(stream);
  CHECK(events_of(text) == std::vector<std::string>{"state", "progress", "run", "state"});
  CHECK(text.find("\"state\":\"running\"") < text.find("\"state\":\"done\""));
}

TEST_CASE("a reader of all sweeps goes on when one ends, until the daemon stops") {
  Hub hub;
  EventStream stream(hub.subscribe(0, 0), {}, 0, false);
  hub.publish(state_event(3, SweepState::done));
  hub.publish(state_event(4, SweepState::running));
  hub.close();
  CHECK(events_of(all_of(stream)) == std::vector<std::string>{"state", "state"});
}

TEST_CASE("who was away is told what it missed, also when the sweep is over by then") {
  Hub hub;
  auto before = hub.subscribe(3, 0);
  hub.publish(plain_event(3, EventKind::run));
  Event first;
  REQUIRE(before->next(first, 1000ms) == iobenchd::events::Next::event);
  hub.publish(plain_event(3, EventKind::run));
  hub.publish(state_event(3, SweepState::failed));
  EventStream stream(hub.subscribe(3, first.seq), {state_event(3, SweepState::failed)}, 3, true);
  const std::string text = all_of(stream);
  CHECK(events_of(text) == std::vector<std::string>{"state", "run", "state"});
  CHECK(text.find("id: " + std::to_string(first.seq) + "\n") == std::string::npos);
  CHECK(text.find("id: " + std::to_string(first.seq + 1) + "\n") != std::string::npos);
}

TEST_CASE("a stream of a sweep that is over says so and ends") {
  Hub hub;
  EventStream stream(hub.subscribe(3, 0), {state_event(3, SweepState::cancelled)}, 3, true);
  CHECK(events_of(all_of(stream)) == std::vector<std::string>{"state"});
}

TEST_CASE("a reader that is too slow is let go, so that it asks again") {
  Hub hub;
  EventStream stream(hub.subscribe(0, 0), {}, 0, false);
  for (std::size_t i = 0; i <= iobenchd::events::subscriber_queue_limit; ++i) {
    hub.publish(plain_event(3, EventKind::run));
  }
  CHECK(all_of(stream) == "");
}

TEST_CASE("silence is broken by a heartbeat") {
  Hub hub;
  EventStream stream(hub.subscribe(0, 0), {}, 0, false, 20ms);
  std::string text;
  for (int i = 0; i < 100 && text.empty(); ++i) REQUIRE(stream.next(text));
  CHECK(text == ": still here\n\n");
}
