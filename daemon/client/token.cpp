#include "daemon/client/token.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/client/run.h"
#include "daemon/model/error.h"

namespace iobenchd::client {
namespace {

Error failure(const std::string& file, const std::string& what) {
  return {ErrorCode::unavailable, file + ": " + what + ": " + std::strerror(errno)};
}

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

void write_line(int fd, const std::string& line, const std::string& file) {
  std::size_t sent = 0;
  while (sent < line.size()) {
    const ssize_t part = ::write(fd, line.data() + sent, line.size() - sent);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) throw failure(file, "can't be written");
    sent += static_cast<std::size_t>(part);
  }
  if (::fsync(fd) != 0) throw failure(file, "can't be written");
}

// Never readable by anybody else, not for a moment. False: it is there already.
bool create(const std::string& file, const std::string& line) {
  const File made(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (made.fd() < 0) {
    if (errno == EEXIST) return false;
    throw failure(file, "can't be made");
  }
  try {
    write_line(made.fd(), line, file);
  } catch (const Error&) {
    ::unlink(file.c_str());
    throw;
  }
  return true;
}

// The last line may have no end yet.
bool ends_a_line(int fd, const std::string& file) {
  const off_t size = ::lseek(fd, 0, SEEK_END);
  if (size < 0) throw failure(file, "can't be read");
  char last = '\n';
  if (size > 0 && ::pread(fd, &last, 1, size - 1) != 1) throw failure(file, "can't be read");
  return last == '\n';
}

}  // namespace

TokenOptions parse_token_options(const std::vector<std::string>& arguments) {
  TokenOptions options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view one = arguments[i];
    const std::size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = one.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    }
    if (name == "--scope") {
      const std::optional<api::Duties> scopes = api::parse_scopes(value);
      if (!scopes)
        throw Error(ErrorCode::invalid, "--scope takes read, run and destroy, as in read,run");
      options.token.scopes = *scopes;
    } else if (name == "--name") {
      if (!api::is_token_name(value))
        throw Error(ErrorCode::invalid,
                    "--name takes up to 64 letters, digits, dots, dashes and underscores");
      options.token.name = value;
    } else if (name == "--append") {
      if (value.empty()) throw Error(ErrorCode::invalid, "--append takes a file");
      options.file = value;
    } else {
      throw Error(ErrorCode::invalid, std::string(name) +
                                          " is no option of iobench token, which knows --scope, "
                                          "--name and --append");
    }
  }
  return options;
}

std::string random_secret() {
  std::array<std::uint8_t, 32> bytes{};
  if (getentropy(bytes.data(), bytes.size()) != 0)
    throw Error(ErrorCode::internal, "the system gives no random bytes (getentropy)");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string secret;
  for (const std::uint8_t byte : bytes) {
    secret += digits[byte >> 4U];
    secret += digits[byte & 15U];
  }
  return secret;
}

void append_token(const api::Token& token, const std::string& file) {
  const std::string line = api::token_line(token) + "\n";
  if (create(file, line)) return;
  for (const api::Token& other : api::read_tokens(file)) {
    if (!token.name.empty() && other.name == token.name)
      throw Error(ErrorCode::invalid, file + " has a token " + token.name + " already, in line " +
                                          std::to_string(other.line) +
                                          "; remove it, or take another name");
  }
  const File old(::open(file.c_str(), O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (old.fd() < 0) throw failure(file, "can't be written");
  write_line(old.fd(), ends_a_line(old.fd(), file) ? line : "\n" + line, file);
}

int make_token(TokenOptions options) {
  api::Token& token = options.token;
  token.secret = random_secret();
  const std::string scopes = api::scopes_text(token.scopes);
  if (options.file.empty()) {
    std::printf("%s\n", api::token_line(token).c_str());
    std::fflush(stdout);  // before what is said about it
    std::fprintf(stderr,
                 "iobench: add this line to the file that token_file names (mode 0600, owned by "
                 "the daemon's user), send the daemon SIGHUP, and ask with\n"
                 "  curl --oauth2-bearer TOKEN ...\n");
    return status_good;
  }
  append_token(token, options.file);
  std::printf("%s\n", token.secret.c_str());
  std::fflush(stdout);
  std::fprintf(stderr,
               "iobench: %s has it with the scope %s; the file must be the daemon's user's. Send "
               "the daemon SIGHUP, and ask with\n"
               "  curl --oauth2-bearer TOKEN ...\n",
               options.file.c_str(), scopes.c_str());
  return status_good;
}

}  // namespace iobenchd::client
