#include "api/parse_schedule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/parse.h"
#include "api/parse_fields.h"
#include "api/strict_json.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr double load_most = 1e6;

// Null says "not this one", so that a schedule as it is shown can be posted again.
void read_when(FieldReader& fields, Recurrence& when) {
  const Json* every = fields.find("every");
  const Json* daily = fields.find("daily");
  if (every != nullptr && every->is_null()) every = nullptr;
  if (daily != nullptr && daily->is_null()) daily = nullptr;
  if (every != nullptr && daily != nullptr)
    return fields.refuse("daily", "every is given as well, and only one of them can be");
  if (every != nullptr) {
    const Range range = time_range(every_least_ns, every_most_ns);
    const auto every_ns = time_of(*every, range);
    if (!every_ns) return fields.refuse("every", *every, range.need);
    when.every_ns = *every_ns;
    when.daily_minute.reset();
  }
  if (daily != nullptr) {
    const auto minute =
        daily->is_string() ? parse_time_of_day(daily->get_ref<const std::string&>()) : std::nullopt;
    if (!minute)
      return fields.refuse("daily", *daily, "a time of the day, \"00:00\" to \"23:59\",");
    when.daily_minute = minute;
    when.every_ns = 0;
  }
}

void read_max_load(FieldReader& fields, std::optional<double>& max_load) {
  const Json* found = fields.find("max_load");
  if (found == nullptr) return;
  if (found->is_null()) return max_load.reset();
  const double load = found->is_number() ? found->get<double>() : 0;
  if (!(load > 0 && load <= load_most))
    return fields.refuse("max_load", *found, "a number above 0, or null,");
  max_load = load;
}

void read_spec(FieldReader& fields, std::string_view defaults_json, bool needs_one,
               SweepSpec& spec) {
  const Json* found = fields.find("sweep");
  if (found == nullptr && !needs_one) return;
  if (found != nullptr && !found->is_object())
    return fields.refuse("sweep", *found, "an object such as {\"preset\": \"quick\"}");
  try {
    spec = parse_sweep_object(found == nullptr ? Json::object() : *found, defaults_json);
  } catch (const Error& error) {
    for (const FieldError& one : error.fields()) fields.refuse("sweep." + one.field, one.message);
    if (error.fields().empty()) throw;
  }
}

// What was refused already is not judged by the value that it left.
void add_judgement(const SweepSchedule& schedule, std::vector<FieldError>& errors) {
  const bool when_is_wrong = std::any_of(errors.begin(), errors.end(), [](const FieldError& one) {
    return one.field == "every" || one.field == "daily" || one.field == "jitter";
  });
  for (FieldError& error : validate(schedule))
    if (!when_is_wrong) errors.push_back(std::move(error));
}

}  // namespace

SweepSchedule parse_schedule(std::string_view body, std::string_view defaults_json,
                             SweepSchedule base) {
  const Json fields = body.find_first_not_of(" \t\r\n") == std::string_view::npos
                          ? Json::object()
                          : parse_strict(body);
  if (!fields.is_object())
    throw Error(ErrorCode::invalid, "the body is " + shown(fields) +
                                        ", but a JSON object is needed, such as "
                                        "{\"every\": \"24h\", \"sweep\": {}}");
  std::vector<FieldError> errors;
  FieldReader reader(fields, "", errors);
  reader.text("label", label_bytes_most, base.label);
  read_when(reader, base.when);
  reader.time("jitter", time_range(0, every_most_ns), base.when.jitter_ns);
  read_max_load(reader, base.max_load);
  reader.boolean("paused", base.paused);
  read_spec(reader, defaults_json, base.id == 0, base.spec);
  reader.refuse_unknown();
  add_judgement(base, errors);
  throw_if_wrong(std::move(errors));
  return base;
}

}  // namespace iobenchd::api
