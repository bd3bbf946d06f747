#include "api/parse_workload.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t io_size_bytes_most = std::uint64_t{1} << 50;
constexpr std::uint32_t fsync_most = 1'000'000'000;
constexpr std::size_t cpus_allowed_bytes_most = 1000;
constexpr std::uint32_t steady_rounds_most = 25;
constexpr double ci_percent_least = 0.1, ci_percent_most = 50;

// A switch that travels to the engine as a number.
void read_switch(FieldReader& fields, std::string_view name, std::uint8_t& value) {
  bool on = value == 1;
  fields.boolean(name, on);
  value = on ? 1 : 0;
}

void read_rate(FieldReader& fields, Workload& workload) {
  std::optional<std::uint64_t> rate = workload.rate_iops;
  fields.whole("rate_iops", whole_range(0, rate_iops_most), rate);
  workload.rate_iops = rate.value_or(0);
  fields.choice("rate_process", parse_rate_process, "\"linear\" or \"poisson\"",
                workload.rate_process);
}

void read_repeat_range(const Json& range, SweepSpec& spec, std::vector<FieldError>& errors) {
  FieldReader fields(range, "repeats.", errors);
  std::uint32_t least = 3, most = 10;
  double ci_percent = 5;
  fields.whole("min", whole_range(2, repeats_most), least);
  fields.whole("max", whole_range(2, repeats_most), most);
  if (const Json* found = fields.find("ci_percent")) {
    const double asked = found->is_number() ? found->get<double>() : 0;
    if (asked >= ci_percent_least && asked <= ci_percent_most)
      ci_percent = asked;
    else
      fields.refuse("ci_percent", *found, "a number from 0.1 to 50");
  }
  if (most < least) fields.refuse("max", "must not be less than min");
  fields.refuse_unknown();
  spec.repeats_auto = false;
  spec.repeats = least;
  spec.repeats_most = most;
  spec.ci_percent = ci_percent;
}

}  // namespace

void read_repeats(FieldReader& fields, SweepSpec& spec) {
  const Json* found = fields.find("repeats");
  if (found == nullptr) return;
  if (found->is_object()) return read_repeat_range(*found, spec, fields.errors());
  spec.repeats_most = 0;
  spec.ci_percent = 0;
  spec.repeats_auto = found->is_string() && *found == "auto";
  if (spec.repeats_auto) {
    spec.repeats = 1;
    return;
  }
  fields.whole("repeats", whole_range(1, repeats_most), spec.repeats);
}

void read_steady_state(FieldReader& fields, SweepSpec& spec) {
  const Json* found = fields.find("steady_state");
  if (found == nullptr) return;
  if (found->is_null()) {
    spec.steady_rounds = 0;
    spec.steady_round_ns = 0;
    return;
  }
  if (!found->is_object())
    return fields.refuse("steady_state", *found, "{\"rounds\": 25, \"round_s\": 60} or null");
  FieldReader members(*found, "steady_state.", fields.errors());
  std::uint32_t rounds = steady_rounds_most, seconds = 60;
  members.whole("rounds", whole_range(5, steady_rounds_most), rounds);
  members.whole("round_s", whole_range(1, 3600), seconds);
  members.refuse_unknown();
  spec.steady_rounds = rounds;
  spec.steady_round_ns = seconds * std::uint64_t{1'000'000'000};
}

void read_workload(FieldReader& fields, SweepSpec& spec) {
  Workload& workload = spec.workload;
  fields.whole("rwmixread", whole_range(0, 100), workload.rwmixread);
  read_rate(fields, workload);
  fields.size("io_size", size_range(0, io_size_bytes_most), workload.io_size_bytes);
  fields.whole("fsync", whole_range(0, fsync_most), workload.fsync);
  fields.choice("sync", parse_sync, "\"none\", \"sync\" or \"dsync\"", workload.sync);
  read_switch(fields, "norandommap", workload.norandommap);
  fields.choice("random_distribution", parse_random_distribution,
                "\"random\", \"zipf:1.2\" (0 to 10, not 1) or \"pareto:0.3\" (0 to 1)",
                workload.random_distribution);
  fields.whole("buffer_compress_percentage", whole_range(0, 100),
               workload.buffer_compress_percentage);
  read_switch(fields, "hipri", workload.hipri);
  read_switch(fields, "verify", workload.verify);
  read_steady_state(fields, spec);
  fields.boolean("precondition", spec.precondition);
  fields.text("cpus_allowed", cpus_allowed_bytes_most, spec.cpus_allowed);
}

}  // namespace iobenchd::api
