// What is fuzzed: everything that reads bytes of somebody else. Each takes one input, and ends the
// process (abort, a sanitizer, an exception that isn't an Error) where the reader broke a promise.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace iobenchd::fuzz {

void front(std::string_view input);    // a request's bytes, up to the decision who may ask
void sweep(std::string_view input);    // POST /sweeps
void query(std::string_view input);    // what stands behind a "?", cursors among it
void access(std::string_view input);   // Host, Origin, tokens
void config(std::string_view input);   // iobenchd.conf
void imports(std::string_view input);  // tables, fio's output, our own export
void jobfile(std::string_view input);  // fio job files
void frame(std::string_view input);    // what an engine says

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};
[[nodiscard]] std::span<const Target> targets() noexcept;

// Ends the process with the words where a promise is broken.
void promise(bool kept, const char* words);

}  // namespace iobenchd::fuzz
