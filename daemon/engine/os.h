// What differs between systems, one file each: os_linux.cpp, os_openbsd.cpp, os_freebsd.cpp.
// Safe from any thread.
#pragma once

#include <cstdint>

#include "daemon/model/workload.h"

namespace iobenchd::engine {

// The descriptor bypasses the page cache: opened with O_DIRECT, or a raw device where those are
// direct by nature.
[[nodiscard]] bool is_direct(int descriptor) noexcept;

// The queue of the device beneath can be polled for completions. Asked of a system or a target that
// doesn't tell, it says yes: the first read will know.
[[nodiscard]] bool queue_polls(int descriptor) noexcept;

// What is read next comes from the medium, as far as the system can be told: nothing that has been
// synced stays in memory.
void forget_cached(int descriptor) noexcept;

// The kernel itself keeps time with the processor's cycle counter: it has then checked that the
// counter is steady and the same on every processor.
[[nodiscard]] bool kernel_trusts_cycles() noexcept;

// Binds this thread to these CPUs. Returns 0 or an errno; ENOSYS: this system can't.
[[nodiscard]] int run_on_cpus(const CpuSet& cpus) noexcept;

// This thread is woken when it asked to be, as exactly as the system can.
void wake_punctually() noexcept;

// How late a sleep may end on an idle machine. What comes on top is other load: to spin it away
// would only add to it.
[[nodiscard]] std::uint64_t wakes_late_ns() noexcept;

// Called by a job process: it ends when its parent does, whatever it is doing.
void end_with_parent(int parent_pid) noexcept;

}  // namespace iobenchd::engine
