#include "api/guesses.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace iobenchd::api {
namespace {

using std::chrono::seconds;

constexpr seconds longest_wait{60};
constexpr seconds forgotten_after{15 * 60};

// Whoever has one IPv6 address has its /64: "[2001:db8::7]" -> "2001:db8::".
std::string network_of(const std::string& peer) {
  if (peer.size() < 2 || peer.front() != '[') return peer;
  in6_addr address{};
  if (::inet_pton(AF_INET6, peer.substr(1, peer.size() - 2).c_str(), &address) != 1) return peer;
  std::fill(address.s6_addr + 8, address.s6_addr + 16, std::uint8_t{0});
  char text[INET6_ADDRSTRLEN] = {};
  ::inet_ntop(AF_INET6, &address, text, sizeof text);
  return text;
}

seconds wait_after(std::uint32_t wrong) {
  if (wrong < Guesses::free_guesses) return seconds{0};
  const std::uint32_t doublings = std::min<std::uint32_t>(wrong - Guesses::free_guesses, 6);
  return std::min(seconds{1U << doublings}, longest_wait);
}

}  // namespace

std::uint32_t Guesses::wait_s(const std::string& peer, TimePoint now) const {
  if (guessers_.empty()) return 0;
  const auto found = guessers_.find(network_of(peer));
  if (found == guessers_.end() || now >= found->second.until) return 0;
  return static_cast<std::uint32_t>(std::chrono::ceil<seconds>(found->second.until - now).count());
}

void Guesses::count(const std::string& peer, TimePoint now) {
  const std::string network = network_of(peer);
  if (guessers_.find(network) == guessers_.end()) make_room(now);
  Guesser& guesser = guessers_[network];
  if (guesser.wrong > 0 && now - guesser.last >= forgotten_after) guesser = Guesser{};
  guesser.wrong = std::min(guesser.wrong + 1, 1000U);
  guesser.last = now;
  guesser.until = now + wait_after(guesser.wrong);
}

void Guesses::make_room(TimePoint now) {
  if (guessers_.size() < addresses_most) return;
  std::erase_if(guessers_,
                [&](const auto& entry) { return now - entry.second.last >= forgotten_after; });
  if (guessers_.size() < addresses_most) return;
  guessers_.erase(std::min_element(
      guessers_.begin(), guessers_.end(),
      [](const auto& one, const auto& other) { return one.second.last < other.second.last; }));
}

}  // namespace iobenchd::api
