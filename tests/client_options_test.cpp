#include <doctest/doctest.h>

#include "daemon/client/options.h"
#include "daemon/model/error.h"

using namespace iobenchd;
using namespace iobenchd::client;

namespace {

SweepSpec spec_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  arguments.emplace_back("FILE");
  return api::spec_of_fields(parse_run_options(arguments).fields);
}

std::string refusal(std::vector<std::string> arguments) {
  try {
    static_cast<void>(spec_of(std::move(arguments)));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("fio's options mean what they mean to fio") {
  const SweepSpec spec =
      spec_of({"--rw=randread,read", "--bs=4k,64k", "--iodepth=32", "--numjobs=1,2,4,8",
               "--runtime=10", "--ramp_time=500ms", "--size=1g", "--ioengine=psync", "--direct=0",
               "--thread", "--label=5"});
  CHECK(spec.rw == std::vector<Rw>{Rw::randread, Rw::read});
  CHECK(spec.bs == std::vector<std::uint32_t>{4096, 65536});
  CHECK(spec.iodepth == std::vector<std::uint32_t>{32});
  CHECK(spec.numjobs == std::vector<std::uint32_t>{1, 2, 4, 8});
  CHECK_FALSE(spec.numjobs_auto);
  CHECK(spec.runtime_ns == 10'000'000'000);
  CHECK(spec.ramp_time_ns == 500'000'000);
  CHECK(spec.size_bytes == std::uint64_t{1} << 30);
  CHECK(spec.ioengine == IoEngine::psync);
  CHECK_FALSE(spec.direct);
  CHECK(spec.thread);
  CHECK(spec.label == "5");  // a text, whatever it looks like
}

TEST_CASE("without options it is the quick preset, with numjobs auto") {
  const SweepSpec spec = spec_of({});
  CHECK(spec.preset == "quick");
  CHECK(spec.numjobs_auto);
  CHECK(spec.rw == std::vector<Rw>{Rw::randread});
}

TEST_CASE("values may stand behind a space, the file anywhere, and numjobs may be a range") {
  const RunOptions options =
      parse_run_options({"run", "--numjobs", "1-8*2", "/tmp/x", "--output-format=json"});
  CHECK(options.file == "/tmp/x");
  CHECK(options.json);
  const std::vector<std::uint32_t> doublings{1, 2, 4, 8};
  CHECK(api::spec_of_fields(options.fields).numjobs == doublings);
}

TEST_CASE("iodepth and bs may be ranges too, and stand beside single values") {
  const SweepSpec spec = spec_of({"--iodepth=1-8*2,32", "--bs=4k-64k*4"});
  CHECK(spec.iodepth == std::vector<std::uint32_t>{1, 2, 4, 8, 32});
  CHECK(spec.bs == std::vector<std::uint32_t>{4096, 16384, 65536});
}

TEST_CASE("repeats may be a range that ends when the interval is narrow") {
  CHECK(spec_of({"--repeats=5"}).repeats == 5);
  CHECK(spec_of({"--repeats=5"}).repeats_most == 0);
  const SweepSpec spec = spec_of({"--repeats=4-20:2.5"});
  CHECK(spec.repeats == 4);
  CHECK(spec.repeats_most == 20);
  CHECK(spec.ci_percent == 2.5);
  CHECK(spec_of({"--repeats=3-10"}).ci_percent == 5);  // as in a POST
  CHECK(contains(refusal({"--repeats=9-3"}), "repeats.max"));
  CHECK(contains(refusal({"--repeats=3-10:little"}), "repeats.ci_percent: got \"little\""));
  CHECK(contains(refusal({"--repeats=3-"}), "repeats.max"));
}

TEST_CASE("steady_state is rounds and their length") {
  const SweepSpec spec = spec_of({"--steady_state=10x30s"});
  CHECK(spec.steady_rounds == 10);
  CHECK(spec.steady_round_ns == 30'000'000'000);
  CHECK(spec_of({"--steady_state=10x30"}).steady_round_ns == 30'000'000'000);
  CHECK(spec_of({"--steady_state=10x1m"}).steady_round_ns == 60'000'000'000);
  CHECK(spec_of({"--steady_state=25"}).steady_round_ns == 60'000'000'000);  // as in a POST
  CHECK(contains(refusal({"--steady_state=10x500ms"}), "steady_state.round_s: got \"500ms\""));
  CHECK(contains(refusal({"--steady_state=4x60s"}), "steady_state.rounds: got 4"));
  CHECK(contains(refusal({"--steady_state=soon"}), "steady_state.rounds"));
}

TEST_CASE("what only a daemon does is refused with the reason") {
  for (const char* option : {"--precondition", "--precondition=1", "--confirm=sdb S1"}) {
    CAPTURE(option);
    CHECK(contains(refusal({option}), "never writes what exists: post the sweep to a daemon"));
  }
  CHECK(contains(refusal({"--on_restart=fail"}), "is for a daemon"));
}

TEST_CASE("every wrong option is named, all of them at once") {
  CHECK(contains(refusal({"--iodpeth=3"}), "--iodpeth=3"));
  CHECK(contains(refusal({"--output-format=xml"}), "normal or json"));
  CHECK(contains(refusal({"another"}), "one FILE at a time"));
  const std::string why = refusal({"--bs=1000", "--numjobs=0", "--direct=2", "--runtime=-1"});
  for (const char* field : {"bs", "numjobs", "direct", "runtime"}) {
    CAPTURE(field);
    CHECK(contains(why, field));
  }
  CHECK(contains(refusal({"--ioengine=libaio"}), "io_uring"));
  CHECK_THROWS_AS(static_cast<void>(parse_run_options({"run"})), Error);
}
