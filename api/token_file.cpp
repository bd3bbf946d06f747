#include "api/token_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "api/head.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

constexpr std::size_t file_most_bytes = std::size_t{64} * 1024;
constexpr std::size_t name_most_bytes = 64;
constexpr std::array<Duty, 3> every_duty{Duty::read, Duty::run, Duty::destroy};

Error failure(const std::string& path, const std::string& why) {
  return {ErrorCode::invalid, "token_file", path + " " + why};
}

// Takes the next word of a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line = trimmed(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

// Only what any HTTP client can send.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// The value of "key=value"; none: another word.
std::optional<std::string_view> value_of(std::string_view word, std::string_view key) {
  if (word.size() <= key.size() || word[key.size()] != '=') return std::nullopt;
  if (word.substr(0, key.size()) != key) return std::nullopt;
  return word.substr(key.size() + 1);
}

// Why that word can't stand behind a token; empty: it is taken over.
std::string take_setting(std::string_view word, Token& token) {
  if (const auto list = value_of(word, "scope")) {
    const std::optional<Duties> scopes = parse_scopes(*list);
    if (!scopes) return "scope= takes read, run and destroy, with commas between them";
    token.scopes = *scopes;
    return {};
  }
  if (const auto name = value_of(word, "name")) {
    if (!is_token_name(*name)) {
      return "name= takes up to " + std::to_string(name_most_bytes) +
             " letters, digits, dots, dashes and underscores";
    }
    token.name = *name;
    return {};
  }
  return "only scope=read,run,destroy and name=WORD may follow a token";
}

// Why the line is wrong; empty: `token` holds it, or nothing where the line is a comment.
std::string parse_line(std::string_view line, Token& token) {
  std::string_view word = take_word(line);
  if (word.empty() || word.front() == '#') return {};
  if (word.size() < token_least_bytes || word.size() > token_most_bytes) {
    return "a token has " + std::to_string(token_least_bytes) + " to " +
           std::to_string(token_most_bytes) + " bytes, and this one " + std::to_string(word.size());
  }
  if (!is_printable(word)) return "a token is made of printable ASCII";
  token.secret = word;
  while (!(word = take_word(line)).empty() && word.front() != '#') {
    if (std::string why = take_setting(word, token); !why.empty()) return why;
  }
  return {};
}

// Why it can't stand beside the ones before it; empty: it can.
std::string clash(const Token& token, const std::vector<Token>& others) {
  for (const Token& other : others) {
    const std::string where = "line " + std::to_string(other.line);
    if (token.secret == other.secret) return "this token is " + where + "'s already";
    if (!token.name.empty() && token.name == other.name) {
      return "the name " + token.name + " is " + where + "'s already";
    }
  }
  return {};
}

class File {
 public:
  explicit File(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    if (fd_ < 0) throw failure(path, std::string("can't be read: ") + std::strerror(errno));
  }
  ~File() { ::close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

std::string said_of(const Token& token) {
  return token.name.empty() ? "the token of line " + std::to_string(token.line)
                            : "the token " + token.name;
}

std::optional<Duties> parse_scopes(std::string_view list) {
  Duties scopes;
  while (true) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view word = list.substr(0, comma);
    const auto* const found = std::find_if(every_duty.begin(), every_duty.end(),
                                           [&](Duty duty) { return to_string(duty) == word; });
    if (found == every_duty.end()) return std::nullopt;
    scopes.add(*found);
    if (comma == list.size()) return scopes;
    list.remove_prefix(comma + 1);
  }
}

std::string scopes_text(const Duties& scopes) {
  std::string text;
  for (const Duty duty : every_duty) {
    if (!scopes.has(duty)) continue;
    if (!text.empty()) text += ',';
    text += to_string(duty);
  }
  return text;
}

bool is_token_name(std::string_view name) {
  return !name.empty() && name.size() <= name_most_bytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '-' || c == '_';
         });
}

std::vector<Token> parse_tokens(std::string_view text, const std::string& path) {
  std::vector<Token> tokens;
  std::vector<FieldError> wrong;
  std::string summary;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    Token token;
    token.line = number;
    std::string why = parse_line(line, token);
    if (why.empty() && !token.secret.empty()) why = clash(token, tokens);
    if (!why.empty()) {
      why.insert(0, "line " + std::to_string(number) + ": ");
      if (!summary.empty()) summary += "; ";
      summary += why;
      wrong.push_back({"token_file", std::string(path).append(" ").append(why)});
    } else if (!token.secret.empty()) {
      tokens.push_back(std::move(token));
    }
  }
  if (!wrong.empty()) throw Error("token_file: " + path + " " + summary, std::move(wrong));
  if (tokens.empty()) throw failure(path, "holds no token; iobench token makes one");
  return tokens;
}

std::vector<Token> read_tokens(const std::string& path) {
  const File file(path);
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    throw failure(path, "is not a plain file");
  }
  if ((facts.st_mode & 077U) != 0) {
    throw failure(path, "may be read by others than its owner: chmod 600 it");
  }
  std::string text(file_most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t part = ::read(file.fd(), text.data() + size, text.size() - size);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw failure(path, std::string("can't be read: ") + std::strerror(errno));
    if (part == 0) break;
    size += static_cast<std::size_t>(part);
  }
  if (size > file_most_bytes) throw failure(path, "is larger than 64 KiB");
  return parse_tokens(std::string_view(text).substr(0, size), path);
}

std::string token_line(const Token& token) {
  std::string line = token.secret + " scope=" + scopes_text(token.scopes);
  if (!token.name.empty()) line += " name=" + token.name;
  return line;
}

}  // namespace iobenchd::api
