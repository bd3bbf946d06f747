#include "api/sse.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/handlers.h"
#include "api/parse_query.h"
#include "api/render.h"
#include "api/respond.h"
#include "api/server.h"
#include "api/strict_json.h"

namespace iobenchd::api {
namespace {

constexpr std::chrono::milliseconds patience{500};  // so that a stop is never far

std::string_view name_of(EventKind kind) {
  switch (kind) {
    case EventKind::progress:
      return "progress";
    case EventKind::run:
      return "run";
    case EventKind::state:
      return "state";
  }
  return "";
}

bool is_end(SweepState state) {
  return state == SweepState::done || state == SweepState::failed || state == SweepState::cancelled;
}

// 0 where there is none, or none of ours: then there is nothing to replay.
std::uint64_t last_event_id(const Request& request) {
  const std::string_view text = request.header("last-event-id");
  std::uint64_t value = 0;
  if (text.size() > 18) return 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

Event present_state(const Context& context, const Sweep& sweep) {
  Event event;
  event.sweep_id = sweep.id;
  event.kind = EventKind::state;
  event.state = sweep.state;
  event.answer = sweep.answer;
  event.error = sweep.error;
  if (const auto progress = context.scheduler.progress(sweep.id)) event.progress = *progress;
  return event;
}

Response stream_response(std::unique_ptr<events::Subscription> subscription,
                         std::vector<Event> present, std::int64_t sweep_id, bool over) {
  if (!subscription) return problem(503, "too many listen to events already");
  Response response;
  response.content_type = "text/event-stream";
  response.headers.emplace_back("Cache-Control", "no-store");
  const auto stream =
      std::make_shared<EventStream>(std::move(subscription), std::move(present), sweep_id, over);
  response.stream = [stream](std::string& chunk) { return stream->next(chunk); };
  return response;
}

}  // namespace

// Both listen first and look then: what happens in between is told twice, not lost.
Response get_events(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  auto subscription = context.hub.subscribe(0, last_event_id(request));
  std::vector<Event> present;
  for (const Sweep& sweep : context.store.sweeps().unfinished()) {
    present.push_back(present_state(context, sweep));
  }
  return stream_response(std::move(subscription), std::move(present), 0, false);
}

Response get_sweep_events(const Context& context, const Request& request) {
  QueryReader(request, {}).finish();
  const Sweep found = find_sweep(context, request.parameters.at(0));
  auto subscription = context.hub.subscribe(found.id, last_event_id(request));
  const Sweep sweep = context.store.sweeps().find(found.id).value_or(found);
  return stream_response(std::move(subscription), {present_state(context, sweep)}, sweep.id,
                         is_end(sweep.state));
}

EventStream::EventStream(std::unique_ptr<events::Subscription> subscription,
                         std::vector<Event> present, std::int64_t sweep_id, bool is_over,
                         std::chrono::milliseconds heartbeat)
    : subscription_(std::move(subscription)),
      present_(std::move(present)),
      sweep_id_(sweep_id),
      is_over_(is_over),
      heartbeat_(heartbeat),
      last_(std::chrono::steady_clock::now()) {}

bool EventStream::next(std::string& chunk) {
  if (!present_.empty()) {
    for (const Event& event : std::exchange(present_, {})) chunk += event_text(event);
    return true;
  }
  const auto wait = is_over_ ? std::chrono::milliseconds(0)
                             : std::min<std::chrono::milliseconds>(patience, heartbeat_);
  Event event;
  const auto now = std::chrono::steady_clock::now;
  switch (subscription_->next(event, wait)) {
    case events::Next::event:
      last_ = now();
      return tell(event, chunk);
    case events::Next::timeout:
      if (is_over_) return false;
      if (now() - last_ >= heartbeat_) {
        chunk += ": still here\n\n";
        last_ = now();
      }
      return true;
    case events::Next::dropped:
    case events::Next::closed:
      return false;
  }
  return false;
}

bool EventStream::tell(const Event& event, std::string& chunk) const {
  chunk += event_text(event);
  const bool is_last = sweep_id_ != 0 && event.kind == EventKind::state && is_end(event.state);
  return !is_last || is_over_;
}

std::string event_text(const Event& event) {
  std::string text = "event: ";
  text += name_of(event.kind);
  if (event.seq != 0) text += "\nid: " + std::to_string(event.seq);
  text += "\ndata: " + to_text(render_event(event)) + "\n";
  return text;
}

}  // namespace iobenchd::api
