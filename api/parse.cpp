#include "api/parse.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/parse_fields.h"
#include "api/parse_lists.h"
#include "api/parse_workload.h"
#include "api/strict_json.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::uint64_t day_ns = 86'400 * second_ns;
constexpr std::uint64_t size_bytes_most = std::uint64_t{1} << 50;
constexpr std::uint32_t block_bytes_least = 512;
constexpr std::size_t path_bytes_most = 1000;
constexpr std::size_t confirm_bytes_most = 255;

constexpr std::array<std::string_view, 41> field_names{"preset",
                                                       "label",
                                                       "target",
                                                       "size",
                                                       "offset",
                                                       "rw",
                                                       "bs",
                                                       "iodepth",
                                                       "numjobs",
                                                       "runtime",
                                                       "ramp_time",
                                                       "repeats",
                                                       "order",
                                                       "ioengine",
                                                       "direct",
                                                       "thread",
                                                       "refine",
                                                       "keep_file",
                                                       "batch_submit",
                                                       "batch_complete",
                                                       "seed",
                                                       "layout",
                                                       "cooldown",
                                                       "latency_limit",
                                                       "rwmixread",
                                                       "rate_iops",
                                                       "rate_process",
                                                       "io_size",
                                                       "fsync",
                                                       "sync",
                                                       "norandommap",
                                                       "random_distribution",
                                                       "buffer_compress_percentage",
                                                       "hipri",
                                                       "verify",
                                                       "cpus_allowed",
                                                       "steady_state",
                                                       "precondition",
                                                       "yield_to_other_io",
                                                       "on_restart",
                                                       "confirm"};

// Null where null has a meaning: "as if the field were not there".
bool is_null(FieldReader& fields, std::string_view name) {
  const Json* found = fields.find(name);
  return found != nullptr && found->is_null();
}

// The least that fields may say. What was recorded may be what a published table left out (no
// runtime), or what another program measured.
struct Least {
  std::uint64_t runtime_ns = second_ns / 10;
  std::uint32_t block_bytes = block_bytes_least;
};
constexpr Least asked_least, recorded_least{0, 1};

void read_target(FieldReader& fields, SweepSpec& spec) {
  if (is_null(fields, "target")) {
    spec.target.clear();
  } else {
    fields.text("target", path_bytes_most, spec.target);
  }
  if (is_null(fields, "size")) {
    spec.size_bytes = 0;
  } else {
    fields.size("size", size_range(block_bytes_least, size_bytes_most), spec.size_bytes);
  }
  fields.size("offset", size_range(0, size_bytes_most), spec.offset_bytes);
}

void read_layout(FieldReader& fields, SweepSpec& spec) {
  if (is_null(fields, "layout")) {
    spec.layout.reset();
    return;
  }
  Layout layout = spec.layout.value_or(Layout::shared);
  fields.choice("layout", parse_layout, "\"shared\", \"per_job\" or null", layout);
  const Json* found = fields.find("layout");
  if (found != nullptr) spec.layout = layout;
}

// {"p99": "2ms"} or {"mean": 0.001}
void read_latency_limit(FieldReader& fields, SweepSpec& spec) {
  constexpr std::string_view need = "{\"p99\": \"2ms\"}, {\"mean\": \"500us\"} or null";
  const Json* found = fields.find("latency_limit");
  if (found == nullptr) return;
  if (found->is_null()) {
    spec.latency_limit.reset();
    return;
  }
  if (!found->is_object() || found->size() != 1) {
    fields.refuse("latency_limit", *found, need);
    return;
  }
  const std::string& statistic = found->begin().key();
  const Range range = time_range(1, 60 * second_ns);
  const auto limit = time_of(found->front(), range);
  if (statistic != "p99" && statistic != "mean") {
    fields.refuse("latency_limit", "only p99 and mean can be limited: " + std::string(need));
  } else if (!limit) {
    fields.refuse("latency_limit." + statistic, found->front(), range.need);
  } else {
    spec.latency_limit =
        LatencyLimit{statistic == "p99" ? Statistic::p99 : Statistic::mean, *limit};
  }
}

void read_yield(FieldReader& fields, SweepSpec& spec) {
  if (is_null(fields, "yield_to_other_io")) return spec.yield_to_other_io.reset();
  bool yields = false;
  const Json* found = fields.find("yield_to_other_io");
  fields.boolean("yield_to_other_io", yields);
  if (found != nullptr) spec.yield_to_other_io = yields;
}

void read_engine(FieldReader& fields, SweepSpec& spec) {
  fields.choice("ioengine", parse_ioengine,
                "\"auto\", \"io_uring\", \"psync\", \"threads\", \"mmap\" or \"null\"",
                spec.ioengine);
  fields.boolean("direct", spec.direct);
  fields.boolean("thread", spec.thread);
  fields.whole("batch_submit", whole_range(0, max_iodepth), spec.batch_submit);
  fields.whole("batch_complete", whole_range(0, max_iodepth), spec.batch_complete);
  fields.whole("seed", whole_range(0, seed_most), spec.seed);
}

void read_all(FieldReader& fields, SweepSpec& spec, const Least& least = asked_least) {
  fields.text("label", label_bytes_most, spec.label);
  read_target(fields, spec);
  read_rw(fields, spec.rw);
  read_sizes(fields, "bs", size_range(least.block_bytes, max_block_bytes), spec.bs);
  read_wholes(fields, "iodepth", whole_range(1, max_iodepth), spec.iodepth);
  read_numjobs(fields, spec.numjobs_auto, spec.numjobs);
  fields.time("runtime", time_range(least.runtime_ns, day_ns), spec.runtime_ns);
  fields.time("ramp_time", time_range(0, day_ns), spec.ramp_time_ns);
  fields.time("cooldown", time_range(0, day_ns), spec.cooldown_ns);
  read_repeats(fields, spec);
  fields.choice("order", parse_order, "\"shuffled\" or \"given\"", spec.order);
  read_engine(fields, spec);
  fields.boolean("refine", spec.refine);
  fields.boolean("keep_file", spec.keep_file);
  read_layout(fields, spec);
  read_latency_limit(fields, spec);
  read_workload(fields, spec);
  read_yield(fields, spec);
  fields.choice("on_restart", parse_on_restart, "\"continue\" or \"fail\"", spec.on_restart);
  fields.text("confirm", confirm_bytes_most, spec.confirm);
}

void read_preset(FieldReader& fields, SweepSpec& spec) {
  const Json* found = fields.find("preset");
  if (found == nullptr) return;
  if (found->is_string()) {
    if (auto preset = preset_spec(found->get_ref<const std::string&>())) {
      spec = std::move(*preset);
      return;
    }
  }
  fields.refuse("preset", *found, "\"quick\", \"published\" or \"published-2017\"");
}

// The part of a path before its first index or member: "numjobs" of "numjobs[2]".
std::string_view stem(std::string_view field) {
  return field.substr(0, field.find_first_of("[."));
}

// What validate() says of a field that couldn't even be read speaks of the preset's value, which
// nobody asked about.
void add_judgement(const SweepSpec& spec, std::vector<FieldError>& errors) {
  const std::size_t unread = errors.size();
  for (FieldError& error : validate(spec)) {
    const bool known = std::any_of(
        errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(unread),
        [&](const FieldError& other) { return stem(other.field) == stem(error.field); });
    if (!known) errors.push_back(std::move(error));
  }
}

// A default is for the sweeps that it can apply to: what is for writes says nothing to one that
// only reads, what needs io_uring nothing to one by threads. What was `asked` for stays, and is
// judged.
void drop_what_cant_apply(const Json& asked, SweepSpec& spec) {
  Workload& workload = spec.workload;
  const bool writing = std::any_of(spec.rw.begin(), spec.rw.end(), writes);
  const auto is_default = [&](std::string_view field) { return !asked.contains(field); };
  const bool polls = workload.hipri == 1 && !is_default("hipri");
  if (is_default("fsync") && (!writing || polls)) workload.fsync = 0;
  if (is_default("verify") && (!writing || spec.ioengine == IoEngine::null)) workload.verify = 0;
  const bool can_poll = spec.direct && spec.ioengine == IoEngine::io_uring && workload.fsync == 0;
  if (is_default("hipri") && !can_poll) workload.hipri = 0;
  if (is_default("layout") && !spec.target.empty()) spec.layout.reset();
}

Asked asked_in(const Json& fields, const Json& defaults) {
  const auto asked = [&](std::string_view field) {
    return fields.contains(field) || defaults.contains(field);
  };
  return {asked("runtime"), asked("ramp_time"), asked("repeats")};
}

Json object_of(std::string_view text, std::string_view whose) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Json::object();
  Json value = parse_strict(text);
  if (!value.is_object()) {
    throw Error(ErrorCode::invalid,
                std::string(whose) + " is " + shown(value) +
                    ", but a JSON object is needed, such as {\"preset\": \"quick\"}");
  }
  return value;
}

}  // namespace

SweepSpec parse_defaults(const Json& fields) {
  if (!fields.is_object()) throw Error(ErrorCode::invalid, refusal(fields, "an object"));
  SweepSpec spec;
  std::vector<FieldError> errors;
  FieldReader reader(fields, "", errors);
  read_preset(reader, spec);
  read_all(reader, spec);
  reader.refuse_unknown();
  settle_quick(spec, asked_in(fields, Json::object()));
  drop_what_cant_apply(Json::object(), spec);
  add_judgement(spec, errors);
  throw_if_wrong(std::move(errors));
  return spec;
}

SweepSpec parse_sweep(std::string_view body, std::string_view defaults_json) {
  return parse_sweep_object(object_of(body, "the body"), defaults_json);
}

SweepSpec parse_sweep_object(const Json& fields, std::string_view defaults_json) {
  Json defaults = object_of(defaults_json, "the configuration's defaults");
  // The body's preset is chosen first and the defaults change it: were they applied before, a
  // preset would wipe them out.
  if (fields.contains("preset")) defaults["preset"] = fields["preset"];
  SweepSpec spec;
  std::vector<FieldError> errors;
  FieldReader default_reader(defaults, "", errors);
  read_preset(default_reader, spec);
  read_all(default_reader, spec);
  FieldReader reader(fields, "", errors);
  (void)reader.find("preset");
  read_all(reader, spec);
  reader.refuse_unknown();
  settle_quick(spec, asked_in(fields, defaults));
  drop_what_cant_apply(fields, spec);
  add_judgement(spec, errors);
  throw_if_wrong(std::move(errors));
  return spec;
}

void read_recorded_spec(FieldReader& fields, SweepSpec& spec) {
  read_preset(fields, spec);
  read_all(fields, spec, recorded_least);
  fields.refuse_unknown();
  spec.confirm.clear();  // it confirmed what was done there and then
}

SweepPatch parse_patch(std::string_view body) {
  const Json fields = object_of(body, "the body");
  std::vector<FieldError> errors;
  FieldReader reader(fields, "", errors);
  SweepPatch patch;
  std::string label, notes;
  bool pinned = false;
  reader.text("label", label_bytes_most, label);
  reader.text("notes", notes_bytes_most, notes);
  reader.boolean("pinned", pinned);
  reader.refuse_unknown();
  throw_if_wrong(std::move(errors));
  if (fields.contains("label")) patch.label = std::move(label);
  if (fields.contains("notes")) patch.notes = std::move(notes);
  if (fields.contains("pinned")) patch.pinned = pinned;
  if (!patch.label && !patch.notes && !patch.pinned) {
    throw Error(ErrorCode::invalid, "nothing to change: give label, notes or pinned");
  }
  return patch;
}

std::span<const std::string_view> sweep_field_names() noexcept {
  return field_names;
}

}  // namespace iobenchd::api
