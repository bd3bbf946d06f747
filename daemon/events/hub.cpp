#include "daemon/events/hub.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace iobenchd::events {

// An event is shared, not copied, between the replay and every queue.
using Shared = std::shared_ptr<const Event>;

struct Subscription::Queue {
  std::int64_t sweep_id = 0;  // 0: all
  std::deque<Shared> events;
  std::size_t replayed = 0;  // of them, still to be read from the replay: outside the limit
  bool dropped = false;
  std::condition_variable ready;
};

struct Hub::State {
  WallClock now;
  std::mutex mutex;
  std::vector<std::shared_ptr<Subscription::Queue>> queues;
  std::deque<Shared> replay;
  std::uint64_t last_seq = 0;
  bool closed = false;
};

namespace {

bool wants(std::int64_t sweep_id, const Event& event) noexcept {
  return sweep_id == 0 || sweep_id == event.sweep_id;
}

}  // namespace

Hub::Hub(WallClock now) : state_(std::make_shared<State>()) {
  state_->now = std::move(now);
}

Hub::~Hub() {
  close();
}

void Hub::publish(Event event) {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed) return;
  if (event.kind == EventKind::progress) {
    event.seq = 0;
  } else {
    if (state_->last_seq == 0)
      state_->last_seq =
          static_cast<std::uint64_t>(std::max<std::int64_t>(state_->now(), 0)) / 1000;
    event.seq = ++state_->last_seq;
  }
  const auto shared = std::make_shared<const Event>(std::move(event));
  if (shared->seq != 0) {
    state_->replay.push_back(shared);
    if (state_->replay.size() > replay_limit) state_->replay.pop_front();
  }
  for (const auto& queue : state_->queues) {
    if (queue->dropped || !wants(queue->sweep_id, *shared)) continue;
    // Progress not read yet is stale: the newer one takes its place, so that a slow reader is
    // dropped for events it must not miss only.
    const bool stale = shared->kind == EventKind::progress &&
                       queue->events.size() > queue->replayed &&
                       queue->events.back()->kind == EventKind::progress &&
                       queue->events.back()->sweep_id == shared->sweep_id;
    if (stale) {
      queue->events.back() = shared;
    } else if (queue->events.size() - queue->replayed >= subscriber_queue_limit) {
      queue->dropped = true;
      queue->events.clear();
      queue->replayed = 0;
    } else {
      queue->events.push_back(shared);
    }
    queue->ready.notify_one();
  }
}

std::unique_ptr<Subscription> Hub::subscribe(std::int64_t sweep_id, std::uint64_t after_seq) {
  const std::lock_guard lock(state_->mutex);
  if (state_->closed || state_->queues.size() >= subscriber_limit) return nullptr;
  auto queue = std::make_shared<Subscription::Queue>();
  queue->sweep_id = sweep_id;
  if (after_seq != 0) {
    for (const Shared& event : state_->replay) {
      if (event->seq > after_seq && wants(sweep_id, *event)) queue->events.push_back(event);
    }
    queue->replayed = queue->events.size();
  }
  state_->queues.push_back(queue);
  return std::unique_ptr<Subscription>(new Subscription(state_, std::move(queue)));
}

void Hub::close() {
  const std::lock_guard lock(state_->mutex);
  state_->closed = true;
  for (const auto& queue : state_->queues) queue->ready.notify_one();
}

Subscription::Subscription(std::shared_ptr<Hub::State> state, std::shared_ptr<Queue> queue)
    : state_(std::move(state)), queue_(std::move(queue)) {}

Subscription::~Subscription() {
  const std::lock_guard lock(state_->mutex);
  std::erase(state_->queues, queue_);
}

Next Subscription::next(Event& event, std::chrono::milliseconds timeout) {
  std::unique_lock lock(state_->mutex);
  queue_->ready.wait_for(lock, timeout, [this] {
    return !queue_->events.empty() || queue_->dropped || state_->closed;
  });
  if (queue_->dropped) return Next::dropped;
  if (!queue_->events.empty()) {
    event = *queue_->events.front();
    queue_->events.pop_front();
    if (queue_->replayed > 0) --queue_->replayed;
    return Next::event;
  }
  return state_->closed ? Next::closed : Next::timeout;
}

}  // namespace iobenchd::events
