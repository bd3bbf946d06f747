#include "daemon/model/verdict.h"

namespace iobenchd {

std::string_view to_string(Severity value) noexcept {
  switch (value) {
    case Severity::invalid:
      return "invalid";
    case Severity::caution:
      return "caution";
    case Severity::info:
      return "info";
  }
  return "info";
}

}  // namespace iobenchd
