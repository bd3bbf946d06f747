// POST /sweeps?wait=true: one line a second while the sweep is under way, then its answer. A stream
// over the hub; what it missed there, it reads from the store.
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "api/answers.h"
#include "api/handlers.h"
#include "api/render.h"
#include "api/server.h"
#include "daemon/events/hub.h"
#include "daemon/model/clock.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {

namespace {

constexpr std::uint64_t line_every_ns = 1'000'000'000;
constexpr std::chrono::milliseconds patience{1000};

class Waiting {
 public:
  Waiting(Context context, Sweep sweep) : context_(std::move(context)), sweep_(std::move(sweep)) {
    subscription_ = context_.hub.subscribe(sweep_.id, 0);
  }

  bool next(std::string& chunk) {
    if (!std::exchange(greeted_, true)) {
      chunk += greeting();
      return !end_if_over(chunk);
    }
    if (!subscription_) {  // no place at the hub: the store alone is asked, now and then
      std::this_thread::sleep_for(patience);
      subscription_ = context_.hub.subscribe(sweep_.id, 0);
      return !end_if_over(chunk);
    }
    Event event;
    switch (subscription_->next(event, patience)) {
      case events::Next::event:
        return hear(event, chunk);
      case events::Next::timeout:
        return !end_if_over(chunk);
      case events::Next::dropped:
        subscription_.reset();
        return !end_if_over(chunk);
      case events::Next::closed:
        chunk +=
            "The daemon stops; the sweep goes on when it starts again. Ask then: GET "
            "/api/v1/sweeps/" +
            std::to_string(sweep_.id) + "\n";
        return false;
    }
    return false;
  }

 private:
  [[nodiscard]] std::string greeting() const {
    return "Sweep " + std::to_string(sweep_.id) + ": at most " + count_text(sweep_.plan.runs) +
           " runs in " + time_text(sweep_.plan.seconds) + " on " + sweep_.plan.target + "\n";
  }

  bool hear(const Event& event, std::string& chunk) {
    if (event.kind != EventKind::progress) return !end_if_over(chunk);
    const std::uint64_t now_ns = monotonic_now_ns();
    const bool over = event.progress.phase == SweepPhase::finished;
    if (over || now_ns - last_line_ns_ < line_every_ns) return true;
    last_line_ns_ = now_ns;
    chunk += render_progress_line(event.progress);
    return true;
  }

  // True with the answer in `chunk` when there is nothing more to wait for.
  bool end_if_over(std::string& chunk) {
    const auto sweep = context_.store.sweeps().find(sweep_.id);
    if (!sweep) {
      chunk += "The sweep was deleted.\n";
      return true;
    }
    if (!is_over(*sweep)) return false;
    chunk += "\n" + render_text(*sweep, *result_of(context_, *sweep));
    return true;
  }

  Context context_;
  Sweep sweep_;
  std::unique_ptr<events::Subscription> subscription_;
  std::uint64_t last_line_ns_ = 0;
  bool greeted_ = false;
};

}  // namespace

Response wait_for(const Context& context, const Sweep& sweep) {
  Response response = text_answer(200, "");
  // Shared, because a std::function is copied.
  response.stream = [waiting = std::make_shared<Waiting>(context, sweep)](std::string& chunk) {
    return waiting->next(chunk);
  };
  return response;
}

}  // namespace iobenchd::api
