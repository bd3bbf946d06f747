// Wrong tokens, counted by the address they came from: five are free, then each costs twice the
// wait of the one before, up to a minute. Nothing sleeps; who comes too early is told how long to
// wait. Bounded: where too many addresses guess, the one that was quiet longest is forgotten.
// Plain arithmetic on a clock of the caller's; one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace iobenchd::api {

class Guesses {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::size_t addresses_most = 1024;
  static constexpr std::uint32_t free_guesses = 5;

  // Seconds until this address is heard again; 0: now. `peer` as a connection has it.
  [[nodiscard]] std::uint32_t wait_s(const std::string& peer, TimePoint now) const;
  void count(const std::string& peer, TimePoint now);
  [[nodiscard]] std::size_t addresses() const noexcept { return guessers_.size(); }

 private:
  struct Guesser {
    std::uint32_t wrong = 0;
    TimePoint last;
    TimePoint until;
  };
  void make_room(TimePoint now);

  std::map<std::string, Guesser> guessers_;
};

}  // namespace iobenchd::api
