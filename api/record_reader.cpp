#include "api/record_reader.h"

#include <cstdio>
#include <limits>

#include "api/parse_query.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

const Json& object_or_empty(const Json* value) {
  static const Json empty = Json::object();
  return value != nullptr && value->is_object() ? *value : empty;
}

std::string prefix_of(const std::string& where) {
  return where.empty() ? "" : where + ".";
}

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

RecordReader::RecordReader(const Json* object, const std::string& where,
                           std::vector<FieldError>& errors)
    : where_(prefix_of(where)), errors_(errors), fields_(object_or_empty(object), where_, errors) {
  if (object != nullptr && !object->is_object()) {
    errors_.push_back({where, refusal(*object, "an object")});
  }
}

const Json* RecordReader::need(std::string_view name) {
  const Json* found = fields_.find(name);
  if (found == nullptr && !is_hopeless()) fields_.refuse(name, "is missing");
  return found;
}

std::string RecordReader::path_of(std::string_view name) const {
  return where_ + std::string(name);
}

void RecordReader::refuse(std::string_view name, const std::string& message) {
  fields_.refuse(name, message);
}

void RecordReader::count(std::string_view name, std::uint64_t& value, std::uint64_t most) {
  const Json* found = need(name);
  if (found == nullptr) return;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() <= most) {
    value = found->get<std::uint64_t>();
  } else {
    fields_.refuse(name, *found, whole_range(0, most).need);
  }
}

void RecordReader::count(std::string_view name, std::uint32_t& value, std::uint32_t least,
                         std::uint32_t most) {
  const Json* found = need(name);
  if (found == nullptr) return;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() >= least &&
      found->get<std::uint64_t>() <= most) {
    value = found->get<std::uint32_t>();
  } else {
    fields_.refuse(name, *found, whole_range(least, most).need);
  }
}

void RecordReader::known_count(std::string_view name, std::uint64_t& value) {
  const Json* found = need(name);
  if (found == nullptr || found->is_null()) return;
  count(name, value);
}

void RecordReader::known_count(std::string_view name, std::uint32_t& value) {
  const Json* found = need(name);
  if (found == nullptr || found->is_null()) return;
  count(name, value, 0, std::numeric_limits<std::int32_t>::max());
}

void RecordReader::real(std::string_view name, double& value, double least, double most) {
  const Json* found = need(name);
  if (found == nullptr) return;
  const double given = found->is_number() ? found->get<double>() : least - 1;
  if (given >= least && given <= most) {
    value = given;
  } else {
    fields_.refuse(name, *found, "a number from " + short_text(least) + " to " + short_text(most));
  }
}

void RecordReader::known_real(std::string_view name, double& value, double least, double most,
                              double unknown) {
  const Json* found = need(name);
  if (found == nullptr) return;
  if (found->is_null()) {
    value = unknown;
  } else {
    real(name, value, least, most);
  }
}

void RecordReader::boolean(std::string_view name, bool& value) {
  if (need(name) != nullptr) fields_.boolean(name, value);
}

void RecordReader::text(std::string_view name, std::size_t most_bytes, std::string& value) {
  const Json* found = need(name);
  if (found == nullptr) return;
  if (found->is_null()) {
    value.clear();
  } else {
    fields_.text(name, most_bytes, value);
  }
}

void RecordReader::moment(std::string_view name, std::int64_t& wall_ns) {
  const Json* found = need(name);
  if (found == nullptr) return;
  if (found->is_null()) {
    wall_ns = 0;
    return;
  }
  if (found->is_string()) {
    if (const auto moment = parse_moment_ns(found->get_ref<const std::string&>())) {
      wall_ns = *moment;
      return;
    }
  }
  fields_.refuse(name, *found, "a time such as \"2026-11-30T09:13:50.123456789Z\" or null");
}

const Json* RecordReader::list(std::string_view name, std::size_t most) {
  const Json* found = need(name);
  if (found == nullptr) return nullptr;
  if (found->is_array() && found->size() <= most) return found;
  fields_.refuse(name, found->is_array()
                           ? "has " + std::to_string(found->size()) + " entries; at most " +
                                 std::to_string(most) + " are taken"
                           : refusal(*found, "a list"));
  return nullptr;
}

}  // namespace iobenchd::api
