#include "daemon/launcher/signals.h"

#include <signal.h>

#include "daemon/launcher/process.h"

namespace iobenchd::launcher {

volatile std::sig_atomic_t asked_to_stop = 0;
volatile std::sig_atomic_t asked_to_reload = 0;

namespace {

void on_signal(int number) {
  if (number == SIGTERM || number == SIGINT) asked_to_stop = 1;
  if (number == SIGHUP) asked_to_reload = 1;
}

}  // namespace

sigset_t install_signals() {
  reset_signals();
  struct sigaction action {};
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
  action.sa_handler = on_signal;
  sigset_t blocked, before;
  sigemptyset(&blocked);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD}) {
    sigaddset(&blocked, number);
    sigaction(number, &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &blocked, &before);
  return before;
}

}  // namespace iobenchd::launcher
