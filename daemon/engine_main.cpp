// iobenchd-engine: started by the launcher, never by hand. Descriptor 3 is the service, 4 and up
// are the opened target.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "daemon/engine/engine.h"
#include "daemon/model/control.h"

int main() {
  if (fcntl(iobenchd::control_fd, F_GETFD) < 0) {
    std::fputs("iobenchd-engine is started by iobenchd; to measure by hand: iobench run\n", stderr);
    return 2;
  }
  // It ends when its socket does, not when somebody presses Ctrl-C.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  const int status = iobenchd::engine::serve(iobenchd::control_fd, iobenchd::first_target_fd);
  _exit(status);  // a thread may hang with its disk: nobody waits for it
}
