// iobench backup: the daemon's database into an open file.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "api/client.h"
#include "api/client_call.h"
#include "daemon/model/error.h"

namespace iobenchd::api {
namespace {

// A large database is copied before its first byte comes.
constexpr int copy_patience_s = 600;

bool write_all(int descriptor, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(descriptor, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

std::uint64_t fetch_backup(const std::string& server, int descriptor) {
  Caller caller(server);
  caller.http().set_read_timeout(copy_patience_s);
  int status = 0, write_error = 0;
  std::uint64_t bytes = 0;
  std::string problem;
  const httplib::Result result = caller.http().Get(
      "/api/v1/backup", caller.headers("application/vnd.sqlite3"),
      [&](const httplib::Response& response) {
        status = response.status;
        return true;
      },
      [&](const char* data, std::size_t size) {
        if (status != 200) {
          constexpr std::size_t problem_most = 65536;
          problem.append(data,
                         std::min(size, problem_most - std::min(problem_most, problem.size())));
          return true;
        }
        if (!write_all(descriptor, data, size)) {
          write_error = errno;
          return false;
        }
        bytes += size;
        return true;
      });
  if (write_error != 0)
    throw Error(ErrorCode::unavailable,
                std::string("the backup can't be written: ") + std::strerror(write_error));
  if (!result && status == 0) caller.no_answer(result.error());
  if (status != 200) caller.refused(status, problem);
  if (!result)
    throw Error(ErrorCode::unavailable, "the backup broke off after " + std::to_string(bytes) +
                                            " bytes (" + httplib::to_string(result.error()) +
                                            "); the daemon's log may say why");
  return bytes;
}

}  // namespace iobenchd::api
