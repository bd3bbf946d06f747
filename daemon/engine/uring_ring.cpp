#include "daemon/engine/uring_ring.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "daemon/engine/os.h"

namespace iobenchd::engine {
namespace {

struct SetupFlag {
  std::uint32_t ours;
  std::uint32_t kernels;
};
// In the order in which older kernels lose them: 6.1, 6.0, 5.19. DEFER_TASKRUN stays on at every
// depth: beside COOP_TASKRUN alone it was 5 % cheaper where reads complete inline, and within the
// noise on a disk at depths 1 to 32.
constexpr std::array<SetupFlag, 3> optional_flags{
    {{engine_flag::defer_taskrun, IORING_SETUP_DEFER_TASKRUN},
     {engine_flag::single_issuer, IORING_SETUP_SINGLE_ISSUER},
     {engine_flag::coop_taskrun, IORING_SETUP_COOP_TASKRUN}}};

constexpr std::uint64_t registration_patience_ns = 2'000'000'000;

constexpr const char* how_to_poll =
    "this device doesn't poll for completions: NVMe does with nvme.poll_queues=1 on the kernel's "
    "command line (or modprobe nvme poll_queues=1), and with direct I/O alone; otherwise leave "
    "hipri out";

}  // namespace

bool Ring::prepare() {
  if (!buffers_.allocate(depth_, board_.load.block_bytes)) {
    worker_.fail("mmap", ENOMEM, 0, "no memory for the blocks: ask for fewer or smaller ones");
    return false;
  }
  if (!make_ring()) return false;
  if (board_.load.workload.rate_iops != 0 && (ring_.features & IORING_FEAT_EXT_ARG) == 0) {
    worker_.fail("io_uring_setup", 0, 0,
                 "rate_iops needs a ring that can wait for a while (Linux 5.11): choose "
                 "ioengine=psync or threads");
    return false;
  }
  register_buffers();
  register_file();
  // Spares a look-up per call; kernels before 5.18 don't know it.
  io_uring_register_ring_fd(&ring_);
  return restrict_and_enable() && can_poll();
}

std::uint32_t Ring::wanted_setup() const noexcept {
  std::uint32_t flags = 0;
  for (const SetupFlag& flag : optional_flags)
    if (wanted(flag.ours)) flags |= flag.ours;
  return flags;
}

bool Ring::make_ring() {
  std::uint32_t ours = wanted_setup();
  polled_ = board_.load.workload.hipri != 0 && wanted(engine_flag::polled);
  // A submission queue of one batch stays in the cache.
  const std::uint32_t entries = std::min(board_.batch_submit, depth_);
  for (std::size_t given_up = 0;; ++given_up) {
    // The kernel wants SINGLE_ISSUER beside DEFER_TASKRUN.
    if ((ours & engine_flag::single_issuer) == 0) ours &= ~engine_flag::defer_taskrun;
    io_uring_params params{};
    params.flags = IORING_SETUP_CQSIZE | IORING_SETUP_R_DISABLED;
    if (polled_) params.flags |= IORING_SETUP_IOPOLL;
    params.cq_entries = std::max(depth_, entries);
    for (const SetupFlag& flag : optional_flags)
      if ((ours & flag.ours) != 0) params.flags |= flag.kernels;
    const int result = io_uring_queue_init_params(entries, &ring_, &params);
    if (result == 0) break;
    if (result != -EINVAL || given_up == optional_flags.size()) {
      fail_setup(-result);
      return false;
    }
    ours &= ~optional_flags[given_up].ours;
  }
  made_ = true;
  worker_.engine_flags |= ours | (polled_ ? engine_flag::polled : 0);
  return true;
}

void Ring::fail_setup(int error_number) {
  worker_.fail("io_uring_setup", error_number, 0,
               error_number == ENOMEM
                   ? "locked memory is short: raise the limit (ulimit -l), or ask for less"
                   : "the kernel refuses io_uring: allow it (sysctl kernel.io_uring_disabled=0; "
                     "containers: the seccomp profile), or choose ioengine=psync or threads");
}

// The memory of a run that has just ended is given back late: falling back at once would change the
// engine in the middle of a curve.
void Ring::register_buffers() {
  if (!wanted(engine_flag::fixed_buffers)) return;
  std::vector<iovec> blocks(depth_);
  for (std::uint32_t i = 0; i < depth_; ++i)
    blocks[i] = {buffers_.block(i), board_.load.block_bytes};
  const std::uint64_t give_up_at = PosixClock::now() + registration_patience_ns;
  int result = io_uring_register_buffers(&ring_, blocks.data(), depth_);
  while (result == -ENOMEM && PosixClock::now() < give_up_at &&
         board_.stop.load(std::memory_order_relaxed) == 0) {
    sleep_ns(20'000'000);
    result = io_uring_register_buffers(&ring_, blocks.data(), depth_);
  }
  if (result != 0) return;
  operations_ = {IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};
  worker_.engine_flags |= engine_flag::fixed_buffers;
}

void Ring::register_file() {
  if (!wanted(engine_flag::fixed_files)) return;
  std::vector<int> descriptors(files_.count());
  for (std::uint32_t i = 0; i < files_.count(); ++i) descriptors[i] = files_.descriptor(i);
  if (io_uring_register_files(&ring_, descriptors.data(), files_.count()) != 0) return;
  file_ = 0;
  sqe_flags_ = IOSQE_FIXED_FILE;
  worker_.engine_flags |= engine_flag::fixed_files;
}

// From here on the ring transfers and syncs, and nothing else: its operations pass by seccomp.
bool Ring::restrict_and_enable() {
  constexpr std::array<std::uint8_t, 5> operations{IORING_OP_READ, IORING_OP_WRITE,
                                                   IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED,
                                                   IORING_OP_FSYNC};
  std::array<io_uring_restriction, operations.size() + 2> rules{};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    rules[i].opcode = IORING_RESTRICTION_SQE_OP;
    rules[i].sqe_op = operations[i];
  }
  rules[operations.size()].opcode = IORING_RESTRICTION_REGISTER_OP;
  rules[operations.size()].register_op = IORING_REGISTER_ENABLE_RINGS;
  rules[operations.size() + 1].opcode = IORING_RESTRICTION_SQE_FLAGS_ALLOWED;
  rules[operations.size() + 1].sqe_flags = IOSQE_FIXED_FILE;
  // The bare call: liburing 2.3 declares functions for these two and doesn't export them.
  const auto ring = static_cast<unsigned>(ring_.ring_fd);
  int result = io_uring_register(ring, IORING_REGISTER_RESTRICTIONS, rules.data(),
                                 static_cast<unsigned>(rules.size()));
  if (result == 0) result = io_uring_register(ring, IORING_REGISTER_ENABLE_RINGS, nullptr, 0);
  if (result == 0) return true;
  worker_.fail("io_uring_register", -result, 0,
               "the kernel can't restrict the ring (it should from 5.10 on): choose ioengine=psync "
               "or threads");
  return false;
}

// hipri: the device's queue says whether it polls, and one read whether the way to it does. Some
// kernels would otherwise wait for interrupts without a word.
bool Ring::can_poll() {
  if (!polled_) return true;
  if (board_.load.workload.fsync != 0) {
    worker_.fail("fsync", 0, 0, "a polled ring can't fsync: leave out hipri or fsync");
    return false;
  }
  if (!queue_polls(worker_.descriptor)) {
    worker_.fail("io_uring_setup", EOPNOTSUPP, 0, how_to_poll);
    return false;
  }
  if ((fcntl(worker_.descriptor, F_GETFL) & O_ACCMODE) == O_WRONLY) return true;
  io_uring_sqe* const sqe = io_uring_get_sqe(&ring_);
  put_transfer<false>(sqe, 0, false, board_.load.offset_bytes);
  if (!submit(1)) return false;
  io_uring_cqe* cqe = nullptr;
  const int result = io_uring_peek_cqe(&ring_, &cqe) == 0 ? cqe->res : -EIO;
  if (cqe != nullptr) io_uring_cqe_seen(&ring_, cqe);
  if (result >= 0) return true;
  worker_.fail("read", -result, board_.load.offset_bytes,
               result == -EOPNOTSUPP || result == -EINVAL ? how_to_poll : cure(-result));
  return false;
}

void Ring::aim(io_uring_sqe* sqe, std::uint64_t offset) const noexcept {
  const Place place = files_.at(offset);
  const bool fixed = (sqe_flags_ & IOSQE_FIXED_FILE) != 0;
  sqe->fd = fixed ? static_cast<int>(place.file) : place.descriptor;
  if (sqe->opcode != IORING_OP_FSYNC) sqe->off = place.offset_bytes;
}

void Ring::drain(std::uint32_t in_flight) noexcept {
  while (in_flight > 0) {
    if (!submit(1)) return;
    io_uring_cqe* cqe = nullptr;
    std::uint32_t head = 0;
    std::uint32_t reaped = 0;
    io_uring_for_each_cqe(&ring_, head, cqe)++ reaped;
    io_uring_cq_advance(&ring_, reaped);
    in_flight -= std::min(in_flight, reaped);
  }
}

void Ring::fail(const io_uring_cqe& cqe, std::uint64_t offset) noexcept {
  const Kind kind = kind_of(cqe.user_data);
  const std::uint64_t at = files_.at(offset).offset_bytes;
  if (kind == Kind::fsync) return worker_.fail("fsync", -cqe.res, at, cure_of_sync(-cqe.res));
  worker_.fail_transfer(kind == Kind::write, cqe.res, at, board_.load.block_bytes);
}

}  // namespace iobenchd::engine
