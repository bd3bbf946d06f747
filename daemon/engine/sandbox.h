// The engine's cell: what a thread may still ask of the kernel once it is set up. One file per
// system. Each thread enters by itself, as its last step before the gate.
#pragma once

namespace iobenchd::engine {

// The control thread also ends jobs and waits for them; a job only transfers.
enum class Cell { control, job };

void enter_sandbox(Cell cell);

}  // namespace iobenchd::engine
