// What a sweep that is over can be taken away as: each format is one pure function from the sweep,
// its answer and its runs to text. JSON and fio's JSON hold histograms and are made run by run
// (export_json.h, export_fio.h). Safe from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/curve.h"
#include "daemon/model/run.h"
#include "daemon/model/sweep.h"

namespace iobenchd::api {

struct Exported {
  const Sweep& sweep;
  const SweepResult& result;
  std::span<const Run> runs;
};

[[nodiscard]] std::string export_csv(const Exported& exported);
[[nodiscard]] std::string export_markdown(const Exported& exported);
[[nodiscard]] std::string export_fio_job(const Exported& exported);
[[nodiscard]] std::string export_html(const Exported& exported);

// What a reader must know to believe the numbers: disk, machine, system, how it was measured. Names
// and texts, in the order of a page; what isn't known is left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> facts_of(const Exported& exported);
// "Sweep 7, nightly"
[[nodiscard]] std::string title_of(const Sweep& sweep);
// The sentence: the one said when the sweep ended, else what the runs say.
[[nodiscard]] std::string answer_of(const Exported& exported);
// What the curves are worth one by one, where there are several: each with its heading.
[[nodiscard]] std::string curve_sentence(const Curve& curve);
// The first good run of a setting, or null: what the numbers of its point were measured with.
[[nodiscard]] const Run* run_of(std::span<const Run> runs, const Setting& setting);

}  // namespace iobenchd::api
