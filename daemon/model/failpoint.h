// Named places in the life of a sweep at which the fault tests stop this process, so that what they
// kill dies exactly there. CMake chooses: failpoint_armed.cpp where IOBENCHD_FAILPOINTS is on, and
// failpoint_none.cpp, which does nothing, in every other build; a release has no other. Safe from
// any thread.
#pragma once

namespace iobenchd {

// Armed by a file "failpoint-NAME" in the directory that the environment's IOBENCHD_FAILPOINTS
// names. Who passes first turns it into "failpoint-NAME.reached" and stops the whole process
// (SIGSTOP); the test kills whom it will and lets the others go on.
void failpoint(const char* name) noexcept;

}  // namespace iobenchd
