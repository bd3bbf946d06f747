// What a person sees after curl: the article's table, the sentence, the doubts.
#include <doctest/doctest.h>

#include "api/render.h"

using namespace iobenchd;

namespace {

Point point_of(std::uint32_t numjobs, double iops, double mean_us, const char* note) {
  Point point;
  point.setting = {Rw::randread, 4096, 32, numjobs};
  point.repeats = 1;
  point.iops = iops;
  point.bandwidth_bytes_per_s = iops * 4096;
  point.latency_mean_ns = mean_us * 1000;
  point.latency_p99_ns = static_cast<std::uint64_t>(mean_us * 2000);
  point.note = note;
  return point;
}

SweepResult article() {
  SweepResult result;
  result.points = {point_of(1, 121318, 26.41, "baseline"), point_of(8, 439728, 58.22, "near_peak")};
  Curve curve;
  curve.setting = {Rw::randread, 4096, 32, 0};
  curve.points = {0, 1};
  curve.no_sweet_spot = Named{"too_few_points", "Two points are too few."};
  result.curves = {curve};
  result.answer = "6 to 8 jobs.";
  return result;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the table is the article's, aligned, thousands apart") {
  const std::string text = api::render_text(Sweep{}, article());
  CHECK(says(text,
             "randread, bs 4k, iodepth 32\n"
             "  numjobs    MiB/s     IOPS  mean µs  p99 µs  note\n"
             "        1    473.9  121 318     26.4    52.8  baseline\n"
             "        8  1 717.7  439 728     58.2   116.4  near peak\n"));
  CHECK(says(text, "\n6 to 8 jobs.\n"));
}

TEST_CASE("with one curve the answer stands alone; with several each curve has its sentence") {
  SweepResult result = article();
  CHECK_FALSE(says(api::render_text(Sweep{}, result), "Two points are too few."));
  result.curves.push_back(result.curves.front());
  result.curves.back().setting.rw = Rw::randwrite;
  const std::string text = api::render_text(Sweep{}, result);
  CHECK(says(text, "randwrite, bs 4k, iodepth 32\n"));
  CHECK(says(text, "Two points are too few."));
}

TEST_CASE("what isn't known is a dash, and a failed point says so") {
  SweepResult result = article();
  result.points[0].has_percentiles = false;
  result.points[1].failed = true;
  const std::string text = api::render_text(Sweep{}, result);
  CHECK(says(text, "  473.9  121 318     26.4       -  baseline\n"));
  CHECK(says(text, "      -        -        -       -  failed\n"));
}

TEST_CASE("a mixed workload has reads and writes apart behind what they are together") {
  SweepResult result = article();
  Point& point = result.points[0];
  point.setting.rw = result.curves[0].setting.rw = Rw::randrw;
  result.curves[0].points = {0};
  point.read.emplace().iops = 84923;
  point.read->latency_p99_ns = 40'000;
  point.write.emplace().iops = 36395;
  point.write->latency_p99_ns = 90'000;
  CHECK(says(api::render_text(Sweep{}, result),
             "  numjobs  MiB/s     IOPS  mean µs  p99 µs  reads/s  writes/s  read p99 µs  "
             "write p99 µs  note\n"
             "        1  473.9  121 318     26.4    52.8   84 923    36 395         40.0          "
             "90.0  baseline\n"));
}

TEST_CASE("where there were fsyncs their p99 has a column") {
  SweepResult result = article();
  result.points[1].fsync.emplace().latency_p99_ns = 1'234'500;
  CHECK(says(api::render_text(Sweep{}, result),
             "  numjobs    MiB/s     IOPS  mean µs  p99 µs  fsync p99 µs  note\n"
             "        1    473.9  121 318     26.4    52.8             -  baseline\n"
             "        8  1 717.7  439 728     58.2   116.4       1 234.5  near peak\n"));
}

TEST_CASE("points measured more than once have half their interval beside the IOPS") {
  SweepResult result = article();
  result.points[0].iops_ci95 = {120000, 122400};
  CHECK(says(api::render_text(Sweep{}, result),
             "  numjobs    MiB/s     IOPS     95 %  mean µs  p99 µs  note\n"
             "        1    473.9  121 318  ± 1 200     26.4    52.8  baseline\n"
             "        8  1 717.7  439 728        -     58.2   116.4  near peak\n"));
}

TEST_CASE("doubts of all severities are one line, the worst first") {
  SweepResult result = article();
  result.answer = "4 jobs.";
  result.warnings = {{"short", Severity::info, "It was short."},
                     {"noisy", Severity::caution, "It was noisy."},
                     {"drifted", Severity::caution, "It drifted."},
                     {"cached", Severity::invalid, "It was cached."}};
  CHECK(api::render_text(Sweep{}, result)
            .ends_with("4 jobs.\nDoubts (don't use these numbers): It was cached. It was noisy. "
                       "It drifted. Remarks: It was short.\n"));
  result.warnings.pop_back();
  CHECK(api::render_text(Sweep{}, result)
            .ends_with("4 jobs.\nDoubts: It was noisy. It drifted. Remarks: It was short.\n"));
  result.warnings.erase(result.warnings.begin());
  CHECK(
      api::render_text(Sweep{}, result).ends_with("4 jobs.\nDoubts: It was noisy. It drifted.\n"));
  result.warnings = {{"short", Severity::info, "It was short."}};
  CHECK(api::render_text(Sweep{}, result).ends_with("4 jobs.\nRemarks: It was short.\n"));
  result.warnings.clear();
  CHECK(api::render_text(Sweep{}, result).ends_with("4 jobs.\n"));
}

TEST_CASE("points on no curve are shown with all that names them") {
  SweepResult result = article();
  result.curves.clear();
  const std::string text = api::render_text(Sweep{}, result);
  CHECK(says(text, "randread  4k       32        8  1 717.7"));
}

TEST_CASE("a sweep without a measurement and one that failed say so") {
  Sweep sweep;
  sweep.id = 7;
  sweep.state = SweepState::failed;
  sweep.spec.label = "nightly";
  sweep.error = "the disk is gone";
  const std::string text = api::render_text(sweep, SweepResult{});
  CHECK(says(text, "Sweep 7, failed, \"nightly\""));
  CHECK(says(text, "No point was measured to its end.\n"));
  CHECK(says(text, "Error: the disk is gone\n"));
  CHECK(text.back() == '\n');
  sweep.state = SweepState::running;
  CHECK(says(api::render_text(sweep, SweepResult{}), "Nothing is measured yet.\n"));
}

TEST_CASE("a curve along the block size has block sizes in its first column") {
  SweepResult result = article();
  result.curves.front().axis = "bs";
  result.curves.front().setting = {Rw::randread, 0, 32, 4};
  result.points[1].setting.block_bytes = 65536;
  const std::string text = api::render_text(Sweep{}, result);
  CHECK(says(text, "randread, iodepth 32, numjobs 4\n"));
  CHECK(says(text, "   4k    473.9"));
  CHECK(says(text, "  64k  1 717.7"));
}

TEST_CASE("a progress line says what is measured, how fast, and for how long") {
  Progress progress;
  progress.runs_done = 2;
  progress.runs_total = 9;
  progress.phase = SweepPhase::measure;
  progress.has_current = true;
  progress.current = {Rw::randread, 4096, 1, 4};
  progress.iops = 12345;
  progress.latency_mean_ns = 80100;
  progress.eta_s = 31.2;
  CHECK(api::render_progress_line(progress) ==
        "measure, run 3 of at most 9, randread 4k, iodepth 1, numjobs 4: 12 345 IOPS, 80.1 µs; "
        "32 s left\n");
}

TEST_CASE("while a file is laid out the line says how much of it") {
  Progress progress;
  progress.phase = SweepPhase::layout;
  progress.layout_done_bytes = std::uint64_t{1} << 30;
  progress.layout_total_bytes = std::uint64_t{4} << 30;
  CHECK(api::render_progress_line(progress) == "layout 1 GiB of 4 GiB\n");
}
