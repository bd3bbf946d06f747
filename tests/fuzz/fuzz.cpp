// libFuzzer's entry: iobenchd-fuzz --target=NAME [libFuzzer's options] CORPUS...
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.h"

namespace iobenchd::fuzz {
namespace {

constexpr std::array<Target, 8> table{{
    {"front", front},
    {"sweep", sweep},
    {"query", query},
    {"access", access},
    {"config", config},
    {"imports", imports},
    {"jobfile", jobfile},
    {"frame", frame},
}};
const Target* chosen = nullptr;

}  // namespace

std::span<const Target> targets() noexcept {
  return table;
}

void promise(bool kept, const char* words) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", words);
  std::abort();
}

}  // namespace iobenchd::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Options with two dashes are ours: libFuzzer passes over them.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace iobenchd::fuzz;
  constexpr std::string_view option = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    if (argument.substr(0, option.size()) != option) continue;
    for (const Target& target : targets()) {
      if (argument.substr(option.size()) == target.name) chosen = &target;
    }
  }
  if (chosen != nullptr) return 0;
  std::fputs("iobenchd-fuzz --target=", stderr);
  for (const Target& target : targets()) {
    std::fprintf(stderr, "%s%s", &target == targets().data() ? "" : "|", target.name.data());
  }
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  iobenchd::fuzz::chosen->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
