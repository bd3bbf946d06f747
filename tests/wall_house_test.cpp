// The walls of the house: who may include whom, who alone may use which library, how long a file,
// a function and a line may be. The table is DESIGN's; change both or none.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr std::size_t file_lines_most = 400;
constexpr std::size_t function_lines_most = 70;
constexpr std::size_t line_columns_most = 100;

const fs::path root = IOBENCHD_SOURCE_DIR;

// Longest prefix wins: a file in daemon/engine/ belongs to the engine, one in daemon/ itself to
// daemon.
const std::map<std::string, std::set<std::string>> may_include = {
    {"daemon/model", {}},
    {"daemon/platform", {"daemon/model"}},
    {"daemon/engine", {"daemon/model"}},
    {"daemon/analysis", {"daemon/model"}},
    {"daemon/events", {"daemon/model"}},
    {"storage", {"daemon/model"}},
    {"daemon/scheduler", {"daemon/model", "daemon/analysis", "daemon/events", "storage"}},
    {"api",
     {"daemon/model", "daemon/analysis", "daemon/events", "daemon/scheduler", "storage", "daemon"}},
    {"daemon/launcher", {"daemon/model", "daemon/platform"}},
    {"daemon",
     {"daemon/model", "daemon/platform", "daemon/engine", "daemon/analysis", "daemon/events",
      "daemon/scheduler", "daemon/launcher", "storage", "api"}},
};

// Library header -> the files (by prefix) that alone may include it.
const std::vector<std::pair<std::string, std::vector<std::string>>> libraries = {
    {"sqlite3", {"storage/"}},
    {"liburing", {"daemon/engine/uring_loop.", "daemon/engine/uring_ring."}},
    {"httplib", {"api/server", "api/front", "api/sse", "api/client"}},
    {"nlohmann", {"api/", "daemon/config."}},
    {"spdlog", {"api/", "daemon/"}},
};

std::string room_of(const std::string& file) {
  std::string room;
  for (const auto& [name, unused] : may_include) {
    if (file.starts_with(name + "/") && name.size() > room.size()) room = name;
  }
  return room;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const char* top : {"daemon", "api", "storage", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string extension = entry.path().extension().string();
      const bool foreign = entry.path().string().find("node_modules") != std::string::npos;
      if (!foreign && (extension == ".cpp" || extension == ".h")) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Lines lines_of(const fs::path& path) {
  std::ifstream in(path);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string name_of(const fs::path& path) {
  return fs::relative(path, root).generic_string();
}

std::vector<std::string> includes_of(const Lines& lines, char open, char close) {
  std::vector<std::string> found;
  const std::string start = std::string("#include ") + open;
  for (const std::string& line : lines) {
    if (!line.starts_with(start)) continue;
    const std::size_t end = line.find(close, start.size());
    if (end != std::string::npos) found.push_back(line.substr(start.size(), end - start.size()));
  }
  return found;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// In clang-format's layout a function begins on a line that ends in "{" and ends on the first line
// of the same indentation that begins with "}". Types and namespaces are passed over.
std::string longest_function(const Lines& lines) {
  static const std::vector<std::string> not_functions = {
      "namespace", "struct",           "class",       "enum", "union", "extern", "const",
      "constexpr", "inline constexpr", "static const"};
  std::string worst;
  std::size_t most = function_lines_most;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t indent = indent_of(line);
    if (line.empty() || indent > 2 || line.back() != '{' || line.find(')') == std::string::npos) {
      continue;
    }
    const std::string text = line.substr(indent);
    const bool other = std::any_of(not_functions.begin(), not_functions.end(),
                                   [&](const std::string& word) { return text.starts_with(word); });
    if (other && text.find('(') == std::string::npos) continue;
    std::size_t end = i + 1;
    while (end < lines.size() &&
           !(indent_of(lines[end]) == indent && lines[end].substr(indent).starts_with("}"))) {
      ++end;
    }
    if (end - i + 1 > most) {
      most = end - i + 1;
      worst = text + " (" + std::to_string(most) + " lines)";
    }
  }
  return worst;
}

// Columns as a reader sees them: bytes that continue a UTF-8 character don't count.
std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

TEST_CASE("every room includes only the rooms below it, by full path") {
  for (const fs::path& path : sources()) {
    const std::string file = name_of(path);
    const std::string room = room_of(file);
    for (const std::string& included : includes_of(lines_of(path), '"', '"')) {
      CAPTURE(file);
      CAPTURE(included);
      const bool generated = included == "daemon/version.h";
      CHECK_MESSAGE((generated || fs::exists(root / included)), "not a full path from the root");
      if (room.empty()) continue;  // tests may look into every room
      const std::string other = room_of(included);
      const bool allowed = other == room || generated || may_include.at(room).contains(other);
      CHECK_MESSAGE(allowed, "a wall stands between these rooms");
    }
  }
}

TEST_CASE("api sees nothing of daemon itself but the version") {
  for (const fs::path& path : sources()) {
    const std::string file = name_of(path);
    if (!file.starts_with("api/")) continue;
    for (const std::string& included : includes_of(lines_of(path), '"', '"')) {
      CAPTURE(file);
      CAPTURE(included);
      CHECK((room_of(included) != "daemon" || included == "daemon/version.h"));
    }
  }
}

TEST_CASE("a library is known only where its wall lets it in") {
  for (const fs::path& path : sources()) {
    const std::string file = name_of(path);
    if (room_of(file).empty()) continue;
    for (const std::string& included : includes_of(lines_of(path), '<', '>')) {
      CAPTURE(file);
      CAPTURE(included);
      CHECK_MESSAGE((included != "iostream" && included != "regex"), "not in our subset of C++");
      for (const auto& [library, homes] : libraries) {
        if (!included.starts_with(library)) continue;
        CHECK(std::any_of(homes.begin(), homes.end(),
                          [&](const std::string& home) { return file.starts_with(home); }));
      }
    }
  }
}

TEST_CASE("files, functions and lines stay short enough to read") {
  for (const fs::path& path : sources()) {
    const Lines lines = lines_of(path);
    CAPTURE(name_of(path));
    CHECK(lines.size() <= file_lines_most);
    CHECK(longest_function(lines) == "");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(i + 1);
      if (columns_of(lines[i]) > line_columns_most)
        CHECK(columns_of(lines[i]) <= line_columns_most);
    }
  }
}

TEST_CASE("a header opens with its purpose, and the system's name is in file names alone") {
  for (const fs::path& path : sources()) {
    const std::string file = name_of(path);
    if (room_of(file).empty()) continue;
    const Lines lines = lines_of(path);
    REQUIRE(!lines.empty());
    CAPTURE(file);
    if (path.extension() == ".h") CHECK(lines.front().starts_with("// "));
    for (const std::string& line : lines) {
      const bool asks_system = (line.starts_with("#if") || line.starts_with("#elif")) &&
                               (line.find("__linux__") != std::string::npos ||
                                line.find("__OpenBSD__") != std::string::npos ||
                                line.find("__FreeBSD__") != std::string::npos);
      CHECK_MESSAGE(!asks_system, line);
    }
  }
}

TEST_CASE("the wall sees what it is there to see") {
  Lines longish{"void f(int a) {"};
  longish.insert(longish.end(), 69, "  g();");
  longish.emplace_back("}");
  CHECK(longest_function(longish) == "void f(int a) { (71 lines)");
  longish.erase(longish.begin() + 1);
  CHECK(longest_function(longish) == "");
  CHECK(room_of("daemon/engine/clock.h") == "daemon/engine");
  CHECK(room_of("daemon/config.h") == "daemon");
  CHECK(columns_of("93.4 µs") == 7);
}
