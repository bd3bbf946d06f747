// What a run keeps as blobs: histograms, samples, job figures, as varints behind a version byte.
// A 30 s run is about 2 kB. Pure; safe from any thread. Decoders check everything they read and
// throw Error{unavailable}: a blob is damaged, not a bug.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "daemon/model/frame.h"
#include "daemon/model/histogram.h"
#include "daemon/model/run.h"
#include "storage/statement.h"

namespace iobenchd::storage {

[[nodiscard]] Blob encode_histogram(const Histogram& histogram);
[[nodiscard]] Histogram decode_histogram(std::span<const std::uint8_t> blob);

[[nodiscard]] Blob encode_samples(std::span<const Sample> samples);
[[nodiscard]] std::vector<Sample> decode_samples(std::span<const std::uint8_t> blob);

[[nodiscard]] Blob encode_jobs(std::span<const JobFigures> jobs);
[[nodiscard]] std::vector<JobFigures> decode_jobs(std::span<const std::uint8_t> blob);

}  // namespace iobenchd::storage
