// A loop device on a file of 1 MiB, for as long as it lives. Its path is empty where the machine
// doesn't let us have one (it needs root and losetup).
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "tests/temporary_tree.h"

namespace iobenchd {

class LoopDevice {
 public:
  explicit LoopDevice(const TemporaryTree& tree) {
    tree.file("disk", std::string(1 << 20, 'x'));
    if (geteuid() == 0)
      path = output_of("losetup --find --show '" + (tree / "disk") + "' 2>/dev/null");
  }
  ~LoopDevice() {
    if (!path.empty()) (void)output_of("losetup -d " + path);
  }
  LoopDevice(const LoopDevice&) = delete;
  LoopDevice& operator=(const LoopDevice&) = delete;

  std::string path;

 private:
  static std::string output_of(const std::string& command) {
    std::FILE* stream = popen(command.c_str(), "r");
    if (stream == nullptr) return {};
    std::array<char, 256> line{};
    const bool any = std::fgets(line.data(), line.size(), stream) != nullptr;
    const bool good = pclose(stream) == 0;
    std::string text = any && good ? line.data() : "";
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  }
};

}  // namespace iobenchd
