#include "daemon/platform/mounts_linux.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace iobenchd::platform {
namespace {

// The kernel writes blank, tab, newline and backslash as \040 and the like.
std::string unescape(const std::string& text) {
  std::string result;
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) &&
                         octal(text[i + 2]) && octal(text[i + 3]);
    if (!escaped) {
      result += text[i];
      continue;
    }
    const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
    result += static_cast<char>(value);
    i += 3;
  }
  return result;
}

// "36 35 98:0 /root /point rw,noatime shared:1 - ext3 /dev/sda1 rw,errors=continue": the fields
// before the lone dash vary in number.
bool parse_mount(const std::string& line, Mount& mount) {
  const std::vector<std::string> words = words_of(line);
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 3) return false;
  mount.id = std::atoi(words[0].c_str());
  char* rest = nullptr;
  mount.major = static_cast<unsigned>(std::strtoul(words[2].c_str(), &rest, 10));
  if (*rest != ':') return false;
  mount.minor = static_cast<unsigned>(std::strtoul(rest + 1, nullptr, 10));
  mount.point = unescape(words[4]);
  mount.filesystem = dash[1];
  mount.source = unescape(dash[2]);
  mount.options = words[5];
  if (words.end() - dash > 3) mount.options += "," + dash[3];
  return true;
}

struct DirectoryCloser {
  void operator()(DIR* stream) const { closedir(stream); }
};

}  // namespace

bool exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

std::vector<std::string> entries_of(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, DirectoryCloser> stream(opendir(directory.c_str()));
  if (!stream) return names;
  while (const dirent* entry = readdir(stream.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_text(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t length = 0;
  while ((length = read(descriptor, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(length));
  close(descriptor);
  return text;
}

std::string read_word(const std::string& path) {
  std::string text = read_text(path);
  const std::size_t last = text.find_last_not_of(std::string_view(" \t\r\n\0", 5));
  text.resize(last == std::string::npos ? 0 : last + 1);
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t\n", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::vector<Mount> read_mounts(const std::string& root) {
  std::vector<Mount> mounts;
  for (const std::string& line : lines_of(read_text(root + "/proc/self/mountinfo"))) {
    Mount mount;
    if (parse_mount(line, mount)) mounts.push_back(std::move(mount));
  }
  return mounts;
}

int mount_id_of(int descriptor) {
  constexpr std::string_view key = "mnt_id:";
  for (const std::string& line :
       lines_of(read_text("/proc/self/fdinfo/" + std::to_string(descriptor)))) {
    if (line.compare(0, key.size(), key) == 0) return std::atoi(line.c_str() + key.size());
  }
  return -1;
}

bool is_block_storage(std::string_view filesystem) noexcept {
  // An overlay's upper layer may be on a disk, but what is beneath can't be seen from here.
  constexpr std::array<std::string_view, 16> others{
      "tmpfs", "ramfs",    "devtmpfs", "nfs",     "nfs4",  "cifs",    "smb3", "9p",
      "proc",  "virtiofs", "overlay",  "fuseblk", "sysfs", "cgroup2", "ceph", "afs"};
  if (filesystem == "fuse" || filesystem.substr(0, 5) == "fuse.") return false;
  return std::find(others.begin(), others.end(), filesystem) == others.end();
}

}  // namespace iobenchd::platform
