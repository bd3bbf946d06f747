// What lies on a disk, told by the marks that partition tables, filesystems and volume managers
// leave at fixed places: so that who overwrites it reads what goes. No mark is no proof of nothing.
// Reads whole aligned blocks, as raw devices want it. Safe from any thread; may hang with a broken
// disk.
#pragma once

#include <string>

namespace iobenchd::platform {

// "gpt ext": the marks found, with blanks between them; empty: none.
[[nodiscard]] std::string signatures_on(int descriptor);

}  // namespace iobenchd::platform
