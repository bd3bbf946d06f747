// The sweet spots that /metrics tells: of each curve the one of the newest sweep that measured it.
// What a sweep found is remembered, so that a scrape rarely analyses anything. Safe from any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/memory.h"
#include "api/metrics_text.h"
#include "api/server.h"

namespace iobenchd::api {

// Sorted by their labels. After a start they come in over the first few scrapes.
[[nodiscard]] std::vector<CurveSpot> newest_spots(const Context& context);
[[nodiscard]] MetricsText::Labels labels_of(const CurveSpot& spot);

}  // namespace iobenchd::api
