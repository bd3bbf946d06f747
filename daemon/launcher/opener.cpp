#include "daemon/launcher/opener.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <vector>

#include "daemon/launcher/judge.h"
#include "daemon/launcher/process.h"
#include "daemon/model/clock.h"
#include "daemon/model/frame.h"
#include "daemon/model/lease.h"
#include "daemon/platform/platform.h"

namespace iobenchd::launcher {
namespace {

// Others look at a disk for moments: udev after a change, a probe's own exclusive open.
constexpr std::uint64_t patience_ns = 2'000'000'000;
constexpr timespec between_tries{0, 50'000'000};

// Why no engine starts; becomes the failure frame.
struct Refusal {
  int error_number = 0;
  std::string text;
};

[[noreturn]] void refuse(const std::string& text, int error_number = 0) {
  throw Refusal{error_number, error_number == 0 ? text : text + ": " + std::strerror(error_number)};
}

void send_refusal(int socket, const Refusal& refusal) {
  const auto frame = std::make_unique<Frame>();
  frame->header.kind = FrameKind::failure;
  frame->body.failure = FailureBody{};
  frame->body.failure.error_number = refusal.error_number;
  set_text(frame->body.failure.operation, "open");
  set_text(frame->body.failure.text, refusal.text);
  const char* at = reinterpret_cast<const char*>(frame.get());
  std::size_t left = sizeof(Frame);
  while (left > 0) {
    const ssize_t sent = send(socket, at, left, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // nobody listens any more
    at += sent;
    left -= static_cast<std::size_t>(sent);
  }
}

// Opens, and again for a while where somebody else holds it for moments. -errno on failure.
int open_patiently(const std::string& path, bool write, bool& direct, int flags) {
  const std::uint64_t give_up_ns = monotonic_now_ns() + patience_ns;
  const bool wanted = direct;
  for (;;) {
    direct = wanted;
    const int descriptor = platform::open_target(path.c_str(), write, direct, flags);
    if (descriptor != -EBUSY || monotonic_now_ns() > give_up_ns) return descriptor;
    nanosleep(&between_tries, nullptr);
  }
}

// The lease: it belongs to the engine, since the lock lives as long as this open file does.
void take_lease(int descriptor, const std::string& path) {
  const std::uint64_t give_up_ns = monotonic_now_ns() + patience_ns;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) refuse("flock " + path, errno);
    if (monotonic_now_ns() > give_up_ns)
      throw Refusal{EBUSY, path + " is busy: another run holds it"};
    nanosleep(&between_tries, nullptr);
  }
}

struct stat status_of(int descriptor, const std::string& path) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) refuse("fstat " + path, errno);
  return info;
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_rdev == other.st_rdev;
}

std::string resolve(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) refuse(path, errno);
  return real.get();
}

// The service's rights, as long as it lives: a file in its directory is opened as it could open it
// itself, or a link there would lend it ours.
class AsService {
 public:
  explicit AsService(const Identity& identity) : changed_(identity.change) {
    if (changed_ && (setegid(identity.gid) != 0 || seteuid(identity.uid) != 0))
      refuse("seteuid " + identity.user, errno);
  }
  ~AsService() {
    // Not coming back only means fewer rights than expected: what follows fails by itself.
    if (changed_ && (seteuid(0) != 0 || setegid(0) != 0)) changed_ = false;
  }
  AsService(const AsService&) = delete;
  AsService& operator=(const AsService&) = delete;

 private:
  bool changed_;
};

struct Opened {
  std::vector<int> descriptors;
  bool direct = false;
};

// Whether a write has ended when the disk has it.
int flags_of(Sync sync) {
  return sync == Sync::sync ? O_SYNC : sync == Sync::dsync ? O_DSYNC : 0;
}

// The second, third, ... open file of a target: one shared by two jobs costs up to 15 % and would
// show as a limit that isn't there.
void open_more(const std::string& path, const OpenRun& request, const struct stat& first,
               Opened& opened) {
  const bool write = request.write != 0 || request.create != 0;
  bool direct = opened.direct;
  const int flags = O_NOFOLLOW | flags_of(request.sync);
  const int descriptor = platform::open_target(path.c_str(), write, direct, flags);
  if (descriptor < 0) refuse("open " + path, -descriptor);
  if (!is_same_file(first, status_of(descriptor, path)))
    refuse(path + " was replaced while it was opened");
  if (direct != opened.direct) refuse(path + " grants direct I/O to some of its readers only");
  opened.descriptors.push_back(descriptor);
}

Opened open_scratch(const OpenRun& request, const Settings& settings, const Identity& identity) {
  const AsService as_service(identity);
  const std::string base = text_of(settings.scratch_dir) + "/" + text_of(request.name) + ".";
  const bool create = request.create != 0, write = request.write != 0 || create;
  Opened opened;
  opened.direct = request.direct != 0;
  std::vector<struct stat> firsts;
  for (std::uint32_t j = 0; j < request.descriptors; ++j) {
    const std::string path = base + std::to_string(j % request.files);
    if (j >= request.files) {
      open_more(path, request, firsts[j % request.files], opened);
      continue;
    }
    bool direct = request.direct != 0;
    const int flags = O_NOFOLLOW | flags_of(request.sync) | (create ? O_CREAT | O_EXCL : 0);
    const int descriptor = platform::open_target(path.c_str(), write, direct, flags);
    if (descriptor < 0) refuse("open " + path, -descriptor);
    const struct stat info = status_of(descriptor, path);
    if (!S_ISREG(info.st_mode) || info.st_uid != geteuid()) refuse(path + " is not a file of ours");
    if (request.expected_bytes != 0 &&
        static_cast<std::uint64_t>(info.st_size) != request.expected_bytes)
      refuse(path + " has another size than it was laid out with");
    if (j > 0 && direct != opened.direct) refuse(path + " differs from the others in direct I/O");
    take_lease(descriptor, path);
    opened.direct = direct;
    opened.descriptors.push_back(descriptor);
    firsts.push_back(info);
  }
  return opened;
}

Opened open_named(const OpenRun& request, const Settings& settings) {
  const std::string path = resolve(text_of(request.name));
  const bool write = request.write != 0;
  // Judged before it is opened, for an open alone can have effects, and then once more on the
  // descriptor, for names can change hands in between.
  const TargetFacts facts = platform::facts_of(path);
  if (std::string why = refuse_target(facts, request, settings, false); !why.empty()) refuse(why);
  const bool exclusive = write && facts.kind == TargetKind::block_device;
  Opened opened;
  opened.direct = request.direct != 0;
  const int flags = O_NOFOLLOW | flags_of(request.sync) | (exclusive ? O_EXCL : 0);
  const int first = open_patiently(path, write, opened.direct, flags);
  if (first < 0) refuse("open " + path, -first);
  opened.descriptors.push_back(first);
  const TargetFacts judged = platform::facts_of(first, path);
  if (std::string why = refuse_target(judged, request, settings, exclusive); !why.empty())
    refuse(why);
  take_lease(first, path);
  const struct stat info = status_of(first, path);
  for (std::uint32_t j = 1; j < request.descriptors; ++j) open_more(path, request, info, opened);
  return opened;
}

Opened open_judged(const OpenRun& request, Settings settings, const Identity& identity) {
  if (std::string why = refuse_request(request); !why.empty()) refuse(why);
  // The judge compares resolved paths.
  const std::string scratch = resolve(text_of(settings.scratch_dir));
  set_text(settings.scratch_dir, scratch);
  if (request.scratch != 0) return open_scratch(request, settings, identity);
  const std::string path = resolve(text_of(request.name));
  const bool in_scratch = path.compare(0, scratch.size() + 1, scratch + "/") == 0;
  if (!in_scratch) return open_named(request, settings);
  const AsService as_service(identity);
  return open_named(request, settings);
}

// A lease for each physical device beneath, beside the database: two files on one disk, or a disk
// and its partition, are different files to flock. An engine that hangs in the kernel keeps them
// over a restart of the daemon. `iobench run` has no database and no second run either.
std::vector<int> lease_devices(const Opened& opened, const OpenRun& request,
                               const Settings& settings, const Identity& identity) {
  const std::string database = text_of(settings.database);
  std::vector<int> leases;
  if (database.empty()) return leases;
  const std::string directory = database.substr(0, database.find_last_of('/'));
  const TargetFacts facts = platform::facts_of(opened.descriptors.front(), text_of(request.name));
  const AsService as_service(identity);
  for (const std::string& leaf : leaves_of(facts)) {
    const std::string path = directory + "/" + lease_name(leaf);
    leases.push_back(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (leases.back() < 0) refuse("open " + path, errno);
    take_lease(leases.back(), "the disk " + leaf);
  }
  return leases;
}

void raise_limit(int resource, rlim_t wanted) {
  struct rlimit limit {};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted) return;
  struct rlimit raised {
    wanted, std::max(limit.rlim_max, wanted)
  };
  if (setrlimit(resource, &raised) == 0) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);  // as far as a plain user may go
  setrlimit(resource, &limit);
}

// The launcher's own sockets go first: an opener that hangs with its disk would keep them open, and
// the service would never see the launcher's end.
void keep_only(int socket) {
  dup2(socket, control_fd);
  closefrom(control_fd + 1);
}

[[noreturn]] void run_opener(const OpenRun& request, const Settings& settings,
                             const Identity& identity, const std::string& engine, int socket) {
  become_child();
  keep_only(socket);
  try {
    const gid_t group = identity.gid;
    if (identity.change && setgroups(1, &group) != 0) refuse("setgroups", errno);
    // Twice: exec_child moves them. A ring and a shared mapping or two come on top.
    raise_limit(RLIMIT_NOFILE, 2 * rlim_t{request.descriptors} + 64);
    raise_limit(RLIMIT_MEMLOCK, RLIM_INFINITY);
    const Opened opened = open_judged(request, settings, identity);
    const std::vector<int> leases = lease_devices(opened, request, settings, identity);
    const Program program(engine);
    if (!drop_privileges(identity)) refuse("give up privileges for " + identity.user, errno);
    // The leases come last: the engine never looks at them, it only has to live with them.
    std::vector<int> handed{control_fd};
    handed.insert(handed.end(), opened.descriptors.begin(), opened.descriptors.end());
    handed.insert(handed.end(), leases.begin(), leases.end());
    exec_child(program, "iobenchd-engine", handed);
    refuse("exec " + engine, errno);
  } catch (const Refusal& refusal) {
    send_refusal(control_fd, refusal);
  } catch (const std::exception& error) {
    send_refusal(control_fd, Refusal{0, error.what()});
  }
  _exit(1);
}

}  // namespace

int start_engine(const OpenRun& request, const Settings& settings, const Identity& identity,
                 const std::string& engine, int engine_side) {
  const pid_t child = fork();
  const int error = errno;
  if (child == 0) run_opener(request, settings, identity, engine, engine_side);
  close(engine_side);
  return child < 0 ? -error : child;
}

}  // namespace iobenchd::launcher
