// Server-sent events over the hub. An event only says that truth changed; whoever lost the stream
// asks again with GET. Handlers: safe from any thread. A stream: one owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/http.h"
#include "daemon/events/hub.h"
#include "daemon/model/event.h"

namespace iobenchd::api {

[[nodiscard]] Response get_events(const Context& context, const Request& request);
[[nodiscard]] Response get_sweep_events(const Context& context, const Request& request);

// What a reader is told: the present first, then what it missed, then what happens.
class EventStream {
 public:
  // `present`: state events without id. With `is_over` nothing more will happen: it ends once what
  // was missed is told. Else a stream of one sweep (`sweep_id` not 0) ends with that sweep.
  EventStream(std::unique_ptr<events::Subscription> subscription, std::vector<Event> present,
              std::int64_t sweep_id, bool is_over,
              std::chrono::milliseconds heartbeat = std::chrono::seconds(15));

  [[nodiscard]] bool next(std::string& chunk);  // as NextChunk

 private:
  [[nodiscard]] bool tell(const Event& event, std::string& chunk) const;

  std::unique_ptr<events::Subscription> subscription_;
  std::vector<Event> present_;
  std::int64_t sweep_id_;
  bool is_over_;
  std::chrono::milliseconds heartbeat_;
  std::chrono::steady_clock::time_point last_;
};

// "event: run\nid: 7\ndata: {...}\n\n"; no id line for progress and for what is told anew.
[[nodiscard]] std::string event_text(const Event& event);

}  // namespace iobenchd::api
