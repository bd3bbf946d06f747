// What people post, and what they are told when it won't do.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/parse.h"
#include "api/parse_lists.h"
#include "api/render.h"

using namespace iobenchd;
using api::parse_sweep;

namespace {

// The message for `field`, or "" when that field is fine.
std::string complaint(const std::string& body, const std::string& field) {
  try {
    (void)parse_sweep(body, "");
  } catch (const Error& error) {
    for (const FieldError& wrong : error.fields()) {
      if (wrong.field == field) return wrong.message;
    }
    return error.fields().empty() ? error.what() : "";
  }
  return "";
}

std::size_t count_wrong(const std::string& body) {
  try {
    (void)parse_sweep(body, "");
  } catch (const Error& error) {
    return error.fields().size();
  }
  return 0;
}

std::vector<std::string> wrong_fields(const std::string& body, const std::string& defaults) {
  std::vector<std::string> fields;
  try {
    (void)parse_sweep(body, defaults);
  } catch (const Error& error) {
    for (const FieldError& wrong : error.fields()) fields.push_back(wrong.field);
  }
  return fields;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using Numbers = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("an empty body is the quick preset") {
  for (const char* body : {"", "  \r\n", "{}", R"({"preset": "quick"})"}) {
    const SweepSpec spec = parse_sweep(body, "");
    CHECK(spec.preset == "quick");
    CHECK(spec.rw == std::vector{Rw::randread});
    CHECK(spec.bs == Numbers{4096});
    CHECK(spec.iodepth == Numbers{1});
    CHECK(spec.numjobs_auto);
    CHECK(spec.target.empty());
  }
}

TEST_CASE("the published preset is the article, and other fields override it") {
  const SweepSpec spec = parse_sweep(R"({"runtime": "5s", "preset": "published"})", "");
  CHECK(spec.rw == std::vector{Rw::randread, Rw::randwrite});
  CHECK(spec.numjobs == Numbers{1, 2, 4, 8, 18, 32});
  CHECK(spec.iodepth == Numbers{32});
  CHECK(spec.size_bytes == 68'719'476'736);
  CHECK(spec.runtime_ns == 5'000'000'000);
  CHECK(spec.ramp_time_ns == 10'000'000'000);
}

TEST_CASE("configured defaults change the preset, and the body changes the defaults") {
  const std::string defaults = R"({"bs": "16k", "repeats": 3})";
  CHECK(parse_sweep("", defaults).bs == Numbers{16384});
  CHECK(parse_sweep("", defaults).repeats == 3);
  const SweepSpec spec = parse_sweep(R"({"preset": "published", "repeats": 1})", defaults);
  CHECK(spec.bs == Numbers{16384});
  CHECK(spec.repeats == 1);
  CHECK(spec.iodepth == Numbers{32});
}

TEST_CASE("a preset among the defaults is taken unless the body names another") {
  const std::string defaults = R"({"preset": "published"})";
  CHECK(parse_sweep("", defaults).iodepth == Numbers{32});
  CHECK(parse_sweep(R"({"preset": "quick"})", defaults).iodepth == Numbers{1});
}

TEST_CASE("defaults that can't apply to a sweep are left out of it") {
  const std::string defaults = R"({"fsync": 8, "verify": true, "layout": "per_job"})";
  const Workload none = parse_sweep("", "").workload;
  CHECK(parse_sweep("", defaults).workload == none);  // it only reads
  CHECK(parse_sweep("", defaults).layout == Layout::per_job);
  const SweepSpec writing = parse_sweep(R"({"rw": ["randread", "randwrite"]})", defaults);
  CHECK(writing.workload.fsync == 8);
  CHECK(writing.workload.verify == 1);
  CHECK(parse_sweep(R"({"rw": "write", "ioengine": "null"})", defaults).workload.verify == 0);
  CHECK_FALSE(parse_sweep(R"({"target": "/dev/sdb"})", defaults).layout.has_value());
}

TEST_CASE("hipri as a default is for sweeps by io_uring, and gives way to an fsync that is asked") {
  const std::string defaults = R"({"hipri": true})";
  CHECK(parse_sweep("", defaults).workload.hipri == 0);
  CHECK(parse_sweep(R"({"ioengine": "io_uring"})", defaults).workload.hipri == 1);
  CHECK(parse_sweep(R"({"ioengine": "io_uring", "direct": false})", defaults).workload.hipri == 0);
  const char* syncing = R"({"ioengine": "io_uring", "rw": "write", "fsync": 1})";
  CHECK(parse_sweep(syncing, defaults).workload.hipri == 0);
  CHECK(parse_sweep(syncing, defaults).workload.fsync == 1);
  // And the other way about.
  const char* polling = R"({"ioengine": "io_uring", "rw": "write", "hipri": true})";
  CHECK(parse_sweep(polling, R"({"fsync": 1})").workload.hipri == 1);
  CHECK(parse_sweep(polling, R"({"fsync": 1})").workload.fsync == 0);
}

TEST_CASE("what the body itself asks for stays an error where it can't be") {
  const std::string defaults = R"({"fsync": 8, "verify": true, "hipri": true})";
  CHECK(wrong_fields(R"({"fsync": 8})", defaults) == std::vector<std::string>{"fsync"});
  CHECK(wrong_fields(R"({"verify": true})", defaults) == std::vector<std::string>{"verify"});
  CHECK(wrong_fields(R"({"hipri": true})", defaults) == std::vector<std::string>{"hipri"});
  CHECK(wrong_fields(R"({"target": "/dev/sdb", "layout": "per_job"})", defaults) ==
        std::vector<std::string>{"layout"});
}

TEST_CASE("one value and a list of one are the same; lists are sorted and each value counts once") {
  CHECK(parse_sweep(R"({"bs": "4k"})", "").bs == parse_sweep(R"({"bs": [4096]})", "").bs);
  CHECK(parse_sweep(R"({"bs": ["64k", 4096, "4k"]})", "").bs == Numbers{4096, 65536});
  CHECK(parse_sweep(R"({"numjobs": [8, 1, 8, 2]})", "").numjobs == Numbers{1, 2, 8});
  CHECK(parse_sweep(R"({"rw": ["randwrite", "randread", "randwrite"]})", "").rw ==
        std::vector{Rw::randwrite, Rw::randread});
}

TEST_CASE("numjobs is a number, a list, a range, doubling with *2, or auto") {
  CHECK(parse_sweep(R"({"numjobs": 3})", "").numjobs == Numbers{3});
  CHECK(parse_sweep(R"({"numjobs": "1-4"})", "").numjobs == Numbers{1, 2, 3, 4});
  CHECK(parse_sweep(R"({"numjobs": "1-32*2"})", "").numjobs == Numbers{1, 2, 4, 8, 16, 32});
  CHECK_FALSE(parse_sweep(R"({"numjobs": "1-32*2"})", "").numjobs_auto);
  CHECK(parse_sweep(R"({"preset": "published", "numjobs": "auto"})", "").numjobs_auto);
}

TEST_CASE("iodepth and bs have ranges as numjobs has, in lists as well") {
  CHECK(parse_sweep(R"({"iodepth": "1-8*2"})", "").iodepth == Numbers{1, 2, 4, 8});
  CHECK(parse_sweep(R"({"iodepth": "1-3"})", "").iodepth == Numbers{1, 2, 3});
  CHECK(parse_sweep(R"({"iodepth": [64, "1-4*2", "2,3"]})", "").iodepth == Numbers{1, 2, 3, 4, 64});
  CHECK(parse_sweep(R"({"bs": "4k-64k*2"})", "").bs == Numbers{4096, 8192, 16384, 32768, 65536});
  CHECK(parse_sweep(R"({"bs": ["4k-16k*4", 65536, "1m"]})", "").bs ==
        Numbers{4096, 16384, 65536, 1048576});
  CHECK(parse_sweep(R"({"bs": "512-16m*1024"})", "").bs == Numbers{512, 524288, 16777216});
  CHECK(parse_sweep(R"({"numjobs": ["1-4*2", 18]})", "").numjobs == Numbers{1, 2, 4, 18});
}

TEST_CASE("a range of block sizes says its factor, and no range leaves its field's bounds") {
  CHECK(says(complaint(R"({"bs": "4k-64k"})", "bs"), "got \"4k-64k\""));
  CHECK(says(complaint(R"({"bs": "4k-64k"})", "bs"), "\"4k-64k*2\""));
  for (const char* text : {"0-8", "8-1", "1-2048", "1-8*1", "1-8*", "4k", "auto"}) {
    CAPTURE(text);
    CHECK(says(complaint(std::string(R"({"iodepth": [1, ")") + text + R"("]})", "iodepth[1]"),
               "from 1 to 1024"));
  }
  CHECK(says(complaint(R"({"bs": "4k-32m*2"})", "bs"), "16 MiB"));
  CHECK(says(complaint(R"({"bs": "1000-4000*2"})", "bs[0]"), "multiple of the sector"));
  CHECK(says(complaint(R"({"iodepth": "1-300"})", "iodepth"), "at most 256 values"));
}

TEST_CASE("a range that doesn't double onto its end still measures the end") {
  CHECK(*api::parse_numjobs_text("1-20*2") == Numbers{1, 2, 4, 8, 16, 20});
  CHECK(*api::parse_numjobs_text("1,2,4-6") == Numbers{1, 2, 4, 5, 6});
  CHECK(*api::parse_numjobs_text("1024-1024") == Numbers{1024});
}

TEST_CASE("what is no range is refused") {
  for (const char* text : {"", "0", "0-4", "4-1", "1-", "-4", "1-4*1", "1-4*", "1-2000", "a",
                           "1 - 4", "1,", "1-4*2*2", "99999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(api::parse_numjobs_text(text).has_value());
  }
}

TEST_CASE("numjobs 0 is refused with the range") {
  const std::string message = complaint(R"({"numjobs": 0})", "numjobs");
  CHECK(says(message, "got 0"));
  CHECK(says(message, "from 1 to 1024"));
}

TEST_CASE("{\"numjobs\": 3.7} says that a whole number is needed") {
  const std::string message = complaint(R"({"numjobs": 3.7})", "numjobs");
  CHECK(says(message, "got 3.7"));
  CHECK(says(message, "a whole number"));
}

TEST_CASE("true, -1, text and null are no number of jobs") {
  for (const char* value : {"true", "-1", "\"abc\"", "null", "1e99", "1025", "[]", "[1, 3.7]"}) {
    CAPTURE(value);
    CHECK(count_wrong(std::string(R"({"numjobs": )") + value + "}") == 1);
  }
  CHECK(says(complaint(R"({"numjobs": [1, 3.7]})", "numjobs[1]"), "got 3.7"));
}

TEST_CASE("a seed is no larger than what every reader of JSON keeps exactly") {
  CHECK(parse_sweep(R"({"seed": 9007199254740991})", "").seed == seed_most);  // 2^53 - 1
  for (const char* seed : {"9007199254740992", "18446744073709551615", "-1", "1.5"}) {
    CAPTURE(seed);
    CHECK(says(complaint(std::string(R"({"seed": )") + seed + "}", "seed"),
               "from 0 to 9007199254740991"));
  }
}

TEST_CASE("bs 1000 names a size that would do") {
  const std::string message = complaint(R"({"bs": 1000})", "bs");
  CHECK(says(message, "1000"));
  CHECK(says(message, "1024"));
}

TEST_CASE("every wrong field is named at once") {
  const char* body = R"({"numjobs": 0, "bs": 1000, "rw": "sideways", "runtime": "soon",
                         "direct": 1, "iodepth": -2, "target": "sdb", "order": "up"})";
  CHECK(count_wrong(body) == 8);
  for (const char* field :
       {"numjobs", "bs", "rw", "runtime", "direct", "iodepth", "target", "order"}) {
    CAPTURE(field);
    CHECK(complaint(body, field) != "");
  }
}

TEST_CASE("an unknown field is an error, with the name that was meant") {
  CHECK(says(complaint(R"({"iodpeth": 4})", "iodpeth"), "did you mean \"iodepth\"?"));
  CHECK(says(complaint(R"({"colour": "red"})", "colour"),
             "known are preset, label, target, size, offset, rw, bs, iodepth, numjobs, runtime"));
}

TEST_CASE("yield_to_other_io is yes, no, or the configuration's to say") {
  CHECK_FALSE(api::parse_sweep("{}", "").yield_to_other_io.has_value());
  CHECK(api::parse_sweep(R"({"yield_to_other_io": true})", "").yield_to_other_io == true);
  CHECK(api::parse_sweep(R"({"yield_to_other_io": false})", "").yield_to_other_io == false);
  const std::string by_default = R"({"yield_to_other_io": true})";
  CHECK(api::parse_sweep("{}", by_default).yield_to_other_io == true);
  CHECK_FALSE(
      api::parse_sweep(R"({"yield_to_other_io": null})", by_default).yield_to_other_io.has_value());
  CHECK(complaint(R"({"yield_to_other_io": 1})", "yield_to_other_io") != "");
}

TEST_CASE("a workload is read field by field, as fio names it") {
  const SweepSpec spec = api::parse_sweep(R"({"rw": "randrw", "rwmixread": 70, "rate_iops": 1e3,
      "rate_process": "poisson", "io_size": "1g", "fsync": 8, "sync": "dsync",
      "norandommap": false, "buffer_compress_percentage": 40, "cpus_allowed": "0-3"})",
                                          "");
  const Workload& workload = spec.workload;
  CHECK(spec.rw == std::vector<Rw>{Rw::randrw});
  CHECK(workload.rwmixread == 70);
  CHECK(workload.rate_iops == 1000);
  CHECK(workload.rate_process == RateProcess::poisson);
  CHECK(workload.io_size_bytes == std::uint64_t{1} << 30);
  CHECK(workload.fsync == 8);
  CHECK(workload.sync == Sync::dsync);
  CHECK(workload.norandommap == 0);
  CHECK(workload.buffer_compress_percentage == 40);
  CHECK(spec.cpus_allowed == "0-3");
  const auto zipf = api::parse_sweep(R"({"random_distribution": "zipf:1.2"})", "").workload;
  CHECK(zipf.random_distribution == RandomDistribution{Distribution::zipf, 1.2});
}

TEST_CASE("a workload that can't be is refused by the field that makes it so") {
  CHECK(says(complaint(R"({"fsync": 1})", "fsync"), "reads alone"));
  CHECK(says(complaint(R"({"hipri": true})", "hipri"), "io_uring"));
  CHECK(says(complaint(R"({"verify": true})", "verify"), "reads alone"));
  CHECK(says(complaint(R"({"verify": true, "rw": "write", "ioengine": "null"})", "verify"),
             "stores nothing"));
  CHECK(says(complaint(R"({"random_distribution": "zipf:1"})", "random_distribution"), "not 1"));
  CHECK(says(complaint(R"({"cpus_allowed": "3-1"})", "cpus_allowed"), "0-3,6"));
  CHECK(says(
      complaint(R"({"norandommap": false, "random_distribution": "pareto:0.2"})", "norandommap"),
      "repeat"));
  CHECK(says(complaint(R"({"rwmixread": 101})", "rwmixread"), "0 to 100"));
}

TEST_CASE("steady_state is SNIA's rounds: five at least, twenty-five at most") {
  const SweepSpec spec = api::parse_sweep(R"({"steady_state": {"rounds": 10, "round_s": 30}})", "");
  CHECK(spec.steady_rounds == 10);
  CHECK(spec.steady_round_ns == 30'000'000'000);
  CHECK(api::parse_sweep(R"({"steady_state": {}})", "").steady_rounds == 25);
  CHECK(api::parse_sweep(R"({"steady_state": null})", "").steady_rounds == 0);
  CHECK(says(complaint(R"({"steady_state": {"rounds": 4}})", "steady_state.rounds"), "5 to 25"));
  CHECK(says(complaint(R"({"steady_state": true})", "steady_state"), "round_s"));
}

TEST_CASE("repeats are a number, or a range that ends when the interval is narrow") {
  const SweepSpec spec =
      api::parse_sweep(R"({"repeats": {"min": 3, "max": 9, "ci_percent": 2.5}})", "");
  CHECK(spec.repeats == 3);
  CHECK(spec.repeats_most == 9);
  CHECK(spec.ci_percent == 2.5);
  CHECK(api::parse_sweep(R"({"repeats": 4})", "").repeats_most == 0);
  CHECK(says(complaint(R"({"repeats": {"min": 5, "max": 4}})", "repeats.max"), "less than min"));
  CHECK(says(complaint(R"({"repeats": {"ci_percent": 0}})", "repeats.ci_percent"), "0.1 to 50"));
  CHECK(says(complaint(R"({"repeats": {"most": 3}})", "repeats.most"), "known are min, max"));
}

TEST_CASE("ten thousand unknown fields get a short answer") {
  std::string body = "{";
  for (int i = 0; i < 10'000; ++i) body += "\"field" + std::to_string(i) + "\": 1, ";
  body += "\"numjobs\": 1}";
  CHECK(count_wrong(body) == 21);
}

TEST_CASE("a document that is no JSON object is another error than a wrong field") {
  for (const char* body : {"{", "[]", "3", "{\"bs\": 4096,}", "{\"bs\": 1, \"bs\": 2}"}) {
    CAPTURE(body);
    try {
      (void)parse_sweep(body, "");
      FAIL("was taken");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::invalid);
      CHECK(error.fields().empty());
    }
  }
}

TEST_CASE("sizes are powers of 1024 or bytes, times have units or are seconds") {
  const SweepSpec spec = parse_sweep(
      R"({"target": "/dev/sdb", "size": "64g", "offset": "1m", "runtime": 0.5, "ramp_time": "250ms",
          "cooldown": 2})",
      "");
  CHECK(spec.size_bytes == 68'719'476'736);
  CHECK(spec.offset_bytes == 1'048'576);
  CHECK(spec.runtime_ns == 500'000'000);
  CHECK(spec.ramp_time_ns == 250'000'000);
  CHECK(spec.cooldown_ns == 2'000'000'000);
}

TEST_CASE("a latency limit is one statistic and a time") {
  const SweepSpec spec = parse_sweep(R"({"latency_limit": {"p99": "2ms"}})", "");
  REQUIRE(spec.latency_limit.has_value());
  CHECK(*spec.latency_limit == LatencyLimit{Statistic::p99, 2'000'000});
  CHECK(complaint(R"({"latency_limit": {"p99": "fast"}})", "latency_limit.p99") != "");
  CHECK(complaint(R"({"latency_limit": {"p50": "2ms"}})", "latency_limit") != "");
  CHECK(complaint(R"({"latency_limit": {"p99": 1, "mean": 1}})", "latency_limit") != "");
  CHECK(complaint(R"({"latency_limit": "2ms"})", "latency_limit") != "");
}

TEST_CASE("a spec that was shown can be posted again and is the same") {
  const char* body = R"({"preset": "published", "label": "nightly", "target": "/dev/sdb",
      "size": "1g", "offset": "4k", "rw": ["write", "read"], "bs": ["4k", "64k"], "iodepth": [1, 8],
      "numjobs": "1-8*2", "runtime": "1500ms", "ramp_time": 0, "repeats": 3, "order": "given",
      "ioengine": "io_uring", "direct": false, "thread": true, "refine": true, "keep_file": true,
      "batch_submit": 4, "batch_complete": 2, "seed": 9007199254740991, "layout": "shared",
      "cooldown": "2s", "latency_limit": {"mean": "500us"}, "on_restart": "fail"})";
  const SweepSpec spec = parse_sweep(body, "");
  const api::Json shown = api::render_spec(spec);
  const SweepSpec again = parse_sweep(shown.dump(), "");
  CHECK(api::render_spec(again) == shown);
  CHECK(again.seed == seed_most);
  CHECK(again.runtime_ns == 1'500'000'000);
  const api::Json quick = api::render_spec(SweepSpec{});
  CHECK(api::render_spec(parse_sweep(quick.dump(), "")) == quick);
}

TEST_CASE("every field that can be posted is read") {
  for (const std::string_view name : api::sweep_field_names()) {
    CAPTURE(name);
    const std::string body = "{\"" + std::string(name) + "\": {\"no\": \"such value\"}}";
    // These are objects themselves, and name the member that they don't know.
    const bool has_members = name == "repeats" || name == "steady_state";
    const std::string field = std::string(name) + (has_members ? ".no" : "");
    const std::string message = complaint(body, field);
    CHECK(message != "");
    CHECK((has_members || !says(message, "unknown field")));
  }
}

TEST_CASE("a patch changes label, notes and pinned, and nothing else") {
  const api::SweepPatch patch = api::parse_patch(R"({"label": "", "pinned": true})");
  CHECK(patch.label == "");
  CHECK_FALSE(patch.notes.has_value());
  CHECK(patch.pinned == true);
  CHECK_THROWS_AS((void)api::parse_patch("{}"), Error);
  CHECK_THROWS_AS((void)api::parse_patch(R"({"bs": 1})"), Error);
  CHECK_THROWS_AS((void)api::parse_patch(R"({"pinned": "yes"})"), Error);
}
