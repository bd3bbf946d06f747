// /proc/self/mountinfo as a list. Plain values; `root` stands before every path, so that tests can
// bring their own tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace iobenchd::platform {

struct Mount {
  int id = 0;
  unsigned major = 0, minor = 0;  // of the filesystem; major 0 is none (btrfs, NFS, tmpfs)
  std::string point;              // unescaped
  std::string filesystem;         // "ext4"
  std::string source;             // "/dev/sda1", "pool/home", "host:/export"
  std::string options;            // of the mount and of the filesystem, together
};

[[nodiscard]] std::vector<Mount> read_mounts(const std::string& root);
// The mount an open descriptor lives in, by the kernel's own word (/proc/self/fdinfo). -1 unknown.
[[nodiscard]] int mount_id_of(int descriptor);
// False for what is memory, a network or a program: a figure of it says nothing of a disk.
[[nodiscard]] bool is_block_storage(std::string_view filesystem) noexcept;
[[nodiscard]] bool exists(const std::string& path);
// Sorted, without "." and ".."; empty when it can't be read.
[[nodiscard]] std::vector<std::string> entries_of(const std::string& directory);
// A whole small file; empty when it can't be read.
[[nodiscard]] std::string read_text(const std::string& path);
// The same without its trailing blanks and newlines.
[[nodiscard]] std::string read_word(const std::string& path);
// Splits at blanks; several in a row count as one.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

}  // namespace iobenchd::platform
