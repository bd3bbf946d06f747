// Built where there is no liburing.
#include <cerrno>

#include "daemon/engine/loop.h"

namespace iobenchd::engine {

std::unique_ptr<Loop> make_uring_loop(Worker& worker, const Board&) {
  worker.fail("io_uring_setup", ENOSYS, 0,
              "this engine was built without liburing: choose ioengine=psync or threads");
  return nullptr;
}

}  // namespace iobenchd::engine
