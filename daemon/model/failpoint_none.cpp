#include "daemon/model/failpoint.h"

namespace iobenchd {

void failpoint(const char* /*name*/) noexcept {}

}  // namespace iobenchd
