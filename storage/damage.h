// Whether the file can be trusted. What is noted first stays, until the daemon is started anew.
// Safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace iobenchd::storage {

// "the database ... is damaged (why): ", and the cure.
[[nodiscard]] std::string damage_text(const std::string& path, const std::string& why);

class Damage {
 public:
  using Listener = std::function<void(const std::string& why)>;

  void note(const std::string& why);
  [[nodiscard]] bool noted() const noexcept { return noted_; }
  [[nodiscard]] std::string text() const;  // empty while all is well
  void refuse() const;                     // throws Error{unavailable} once something is noted
  // Told once, on the thread that found it; now, where something is noted already.
  void listen(Listener listener);

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> noted_{false};
  std::string text_;
  Listener listener_;
};

}  // namespace iobenchd::storage
