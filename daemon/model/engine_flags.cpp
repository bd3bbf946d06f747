#include "daemon/model/engine_flags.h"

#include <array>

#include "daemon/model/load.h"

namespace iobenchd {
namespace {

struct FlagName {
  std::uint32_t flag;
  std::string_view name;
};
constexpr std::array<FlagName, 6> flag_names{{{engine_flag::fixed_buffers, "fixed_buffers"},
                                              {engine_flag::fixed_files, "fixed_files"},
                                              {engine_flag::coop_taskrun, "coop_taskrun"},
                                              {engine_flag::single_issuer, "single_issuer"},
                                              {engine_flag::defer_taskrun, "defer_taskrun"},
                                              {engine_flag::polled, "polled"}}};

}  // namespace

std::vector<std::string_view> engine_flag_names(std::uint32_t flags) {
  std::vector<std::string_view> names;
  for (const FlagName& entry : flag_names) {
    if ((flags & entry.flag) != 0) names.push_back(entry.name);
  }
  return names;
}

}  // namespace iobenchd
