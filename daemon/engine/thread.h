// A thread with a small stack: std::thread can't ask for one, and 4096 of the default size are
// 32 GiB of address space. Returns 0 or an errno. Safe from any thread.
#pragma once

#include <pthread.h>

#include <cstddef>

namespace iobenchd::engine {

inline constexpr std::size_t thread_stack_bytes = std::size_t{512} * 1024;

[[nodiscard]] inline int start_thread(pthread_t& thread, void* (*entry)(void*), void* argument) {
  pthread_attr_t attributes;
  int error_number = pthread_attr_init(&attributes);
  if (error_number != 0) return error_number;
  pthread_attr_setstacksize(&attributes, thread_stack_bytes);
  error_number = pthread_create(&thread, &attributes, entry, argument);
  pthread_attr_destroy(&attributes);
  return error_number;
}

}  // namespace iobenchd::engine
