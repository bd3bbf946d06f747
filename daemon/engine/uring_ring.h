// The ring of one io_uring worker: set up, filled, submitted. It may read, write and fsync, and
// nothing else. One owner.
#pragma once

#include <liburing.h>

#include <array>
#include <cstdint>
#include <vector>

#include "daemon/engine/failure.h"
#include "daemon/engine/files.h"
#include "daemon/engine/loop.h"

namespace iobenchd::engine {

class Ring {
 public:
  Ring(Worker& worker, const Board& board) noexcept
      : worker_(worker),
        board_(board),
        files_(worker, board),
        depth_(board.load.iodepth),
        file_(worker.descriptor) {}
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (made_) io_uring_queue_exit(&ring_);
  }

  // False with the failure in the worker.
  [[nodiscard]] bool prepare();

  [[nodiscard]] io_uring* raw() noexcept { return &ring_; }
  [[nodiscard]] std::byte* block(std::uint32_t slot) const noexcept { return buffers_.block(slot); }
  [[nodiscard]] bool several_files() const noexcept { return files_.count() > 1; }
  [[nodiscard]] bool polled() const noexcept { return polled_; }

  // What comes back in user_data.
  [[nodiscard]] static std::uint64_t tag(std::uint32_t slot, Kind kind) noexcept {
    return (std::uint64_t{slot} << 2) | static_cast<std::uint64_t>(kind);
  }
  [[nodiscard]] static std::uint32_t slot_of(std::uint64_t tag) noexcept {
    return static_cast<std::uint32_t>(tag >> 2);
  }
  [[nodiscard]] static Kind kind_of(std::uint64_t tag) noexcept {
    return static_cast<Kind>(tag & 3);
  }

  // `several`: the job may have more than one file. A call that is never made would still cost the
  // compiler all it knows of the loop around it: 10 instructions an I/O.
  template <bool several>
  void put_transfer(io_uring_sqe* sqe, std::uint32_t slot, bool write,
                    std::uint64_t offset) const noexcept {
    io_uring_prep_rw(operations_[write ? 1 : 0], sqe, file_, buffers_.block(slot),
                     board_.load.block_bytes, offset);
    sqe->buf_index = static_cast<std::uint16_t>(slot);  // of fixed buffers; else nobody looks
    sqe->flags = sqe_flags_;
    sqe->user_data = tag(slot, write ? Kind::write : Kind::read);
    if constexpr (several) aim(sqe, offset);
  }

  // Of the file that holds `offset`. It waits for no write that is still under way, as fio's
  // doesn't.
  template <bool several>
  void put_sync(io_uring_sqe* sqe, std::uint32_t slot, std::uint64_t offset) const noexcept {
    io_uring_prep_fsync(sqe, file_, 0);
    sqe->flags = sqe_flags_;
    sqe->user_data = tag(slot, Kind::fsync);
    if constexpr (several) aim(sqe, offset);
  }

  // False with the failure in the worker.
  [[nodiscard]] bool submit(std::uint32_t wait_for) noexcept {
    return judge(io_uring_submit_and_wait(&ring_, wait_for));
  }
  // Submits, and looks for what has ended without waiting for it.
  [[nodiscard]] bool submit_and_look() noexcept {
    return judge(io_uring_submit_and_get_events(&ring_));
  }
  // Submits, and waits until something has ended, for so long at most.
  [[nodiscard]] bool submit_and_wait(std::uint64_t most_ns) noexcept {
    __kernel_timespec most{};
    most.tv_sec = static_cast<long long>(most_ns / 1'000'000'000);
    most.tv_nsec = static_cast<long long>(most_ns % 1'000'000'000);
    io_uring_cqe* unused = nullptr;
    return judge(io_uring_submit_and_wait_timeout(&ring_, &unused, 1, &most, nullptr));
  }
  // The kernel still writes into our buffers until everything has come back.
  void drain(std::uint32_t in_flight) noexcept;

  // A completion that isn't what was asked for: the failure is in the worker.
  void fail(const io_uring_cqe& cqe, std::uint64_t offset) noexcept;

 private:
  [[nodiscard]] bool make_ring();
  [[nodiscard]] std::uint32_t wanted_setup() const noexcept;
  void fail_setup(int error_number);
  void register_buffers();
  void register_file();
  [[nodiscard]] bool restrict_and_enable();
  [[nodiscard]] bool can_poll();
  // At the one of several files that holds `offset`.
  void aim(io_uring_sqe* sqe, std::uint64_t offset) const noexcept;

  [[nodiscard]] bool judge(int result) noexcept {
    if (result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY ||
        result == -ETIME) [[likely]]
      return true;
    worker_.fail("io_uring_enter", -result, 0, cure(-result));
    return false;
  }
  [[nodiscard]] bool wanted(std::uint32_t flag) const noexcept {
    return (board_.load.engine_flags & flag) != 0;
  }

  Worker& worker_;
  const Board& board_;
  const Files files_;
  const std::uint32_t depth_;
  // What all entries have in common; prepare() changes it once to what could be registered.
  int file_;
  std::uint8_t sqe_flags_ = 0;
  std::array<std::uint8_t, 2> operations_{IORING_OP_READ, IORING_OP_WRITE};
  Buffers buffers_;
  io_uring ring_{};
  bool made_ = false;
  bool polled_ = false;
};

}  // namespace iobenchd::engine
