// The scheduler's way to engines and disks, over the control socket: asks the launcher, which opens
// and forks. One thread of its own reads what the launcher says. Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/model/control.h"
#include "daemon/model/settings.h"
#include "daemon/scheduler/engine_host.h"

namespace iobenchd {

class ServiceHost final : public scheduler::EngineHost {
 public:
  // `on_settings` runs on the reading thread at each reload. Neither must outlive what it calls.
  ServiceHost(int control, std::function<void(const Settings&)> on_settings);
  ~ServiceHost() override;  // every EngineProcess must be gone
  ServiceHost(const ServiceHost&) = delete;
  ServiceHost& operator=(const ServiceHost&) = delete;

  [[nodiscard]] std::unique_ptr<scheduler::EngineProcess> open(const OpenRun& request) override;
  [[nodiscard]] std::vector<TargetFacts> probe(const std::string& path) override;

  // Asked of a probe. Nothing known where none answers.
  [[nodiscard]] TargetFacts counters(const std::string& leaf) noexcept;

  void tell_ready(bool ok, const std::string& text);
  // Until the launcher says stop, or is gone.
  void wait_for_stop();
  // Who waits for an answer gets Error{unavailable} now, and so does who asks later.
  void abandon();

 private:
  friend class LaunchedEngine;
  // What is known of one run or probe that was asked for.
  struct Asked {
    int descriptor = -1;
    std::optional<int> wait_status;
  };

  [[nodiscard]] std::vector<TargetFacts> put(Probe question);
  void read_messages();
  [[nodiscard]] bool read_message();
  void take_descriptor(std::uint64_t token, int descriptor);
  void take_end(std::uint64_t token, int wait_status);
  [[nodiscard]] std::uint64_t ask();
  // The descriptor that answers; forgets the token and throws when none comes in 5 s.
  [[nodiscard]] int wait_for_descriptor(std::uint64_t token, const char* what);
  void forget(std::uint64_t token);
  [[nodiscard]] std::optional<int> wait_status(std::uint64_t token);
  [[nodiscard]] bool abandoned();
  template <typename Message>
  [[nodiscard]] bool try_to_send(const Message& message) const;
  template <typename Message>
  void send_message(const Message& message);

  const int control_;
  const std::function<void(const Settings&)> on_settings_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Asked> asked_;
  std::uint64_t last_token_ = 0;
  bool stop_said_ = false, abandoned_ = false, launcher_gone_ = false;
  std::thread reader_;
};

// Waits for the first message of a service's life. Throws Error{internal} when it is another.
[[nodiscard]] Settings receive_settings(int control);
// Before there is a host to say it through.
void tell_not_ready(int control, const std::string& why);

}  // namespace iobenchd
