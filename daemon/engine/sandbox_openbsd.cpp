#include <unistd.h>

#include "daemon/engine/sandbox.h"

namespace iobenchd::engine {

// stdio: read, write and fsync of descriptors that are open already, memory, threads, clocks.
// proc: the control thread ends its jobs and waits for them. Pledges are a process's, and a job
// thread shares its control thread's, so both ask for the same.
void enter_sandbox(Cell) {
  pledge("stdio proc", nullptr);
}

}  // namespace iobenchd::engine
