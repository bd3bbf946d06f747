#include "api/import_export.h"

#include <algorithm>
#include <utility>

#include "api/export_json.h"
#include "api/import_run.h"
#include "api/parse.h"
#include "api/record_reader.h"

namespace iobenchd::api {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t runs_most = 20'000;  // of 10 000 that a sweep may have, and those made again
constexpr std::size_t settings_most = 10'000;
constexpr std::size_t host_bytes_most = 300;
constexpr std::size_t path_bytes_most = 4096;
constexpr std::size_t sentence_bytes_most = std::size_t{16} * 1024;
constexpr std::size_t recorded_notes_bytes_most = std::size_t{64} * 1024;
constexpr std::uint64_t bytes_most = std::uint64_t{1} << 62;

// "01939d2e-7b1c-7000-8000-000000000001", as the store writes them.
bool is_uuid(std::string_view text) noexcept {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (dash ? c != '-' : !hex) return false;
  }
  return true;
}

std::optional<SweepState> parse_ended_state(std::string_view text) {
  const auto state = parse_sweep_state(text);
  const bool active = state == SweepState::queued || state == SweepState::running;
  return active ? std::nullopt : state;
}

void read_plan(RecordReader& parent, Plan& plan) {
  RecordReader fields(parent.need("plan"), parent.path_of("plan"), parent.errors());
  fields.count("runs", plan.runs, 0, std::uint32_t{1} << 30);
  fields.known_real("seconds", plan.seconds, 0, 1e12, 0);
  fields.count("layout_bytes", plan.layout_bytes, bytes_most);
  fields.count("write_bytes", plan.write_bytes, bytes_most);
  fields.text("ioengine", host_bytes_most, plan.ioengine);
  fields.count("size_bytes", plan.size_bytes, bytes_most);
  fields.text("target", path_bytes_most, plan.target);
  const Json* settings = fields.list("settings", settings_most);
  for (std::size_t i = 0; settings != nullptr && i < settings->size(); ++i) {
    if (fields.is_hopeless()) break;
    RecordReader entry(&(*settings)[i], fields.path_of("settings[" + std::to_string(i) + "]"),
                       fields.errors());
    read_recorded_setting(entry, plan.settings.emplace_back());
    entry.refuse_unknown();
  }
  fields.refuse_unknown();
}

void read_spec(RecordReader& parent, SweepSpec& spec) {
  const Json* found = parent.need("spec");
  if (found == nullptr) return;
  if (!found->is_object()) {
    parent.refuse("spec", refusal(*found, "an object"));
    return;
  }
  FieldReader fields(*found, parent.path_of("spec") + ".", parent.errors());
  read_recorded_spec(fields, spec);
}

void read_sweep(RecordReader& parent, Sweep& sweep) {
  RecordReader fields(parent.need("sweep"), "sweep", parent.errors());
  fields.ignore("id");
  fields.text("uuid", 36, sweep.uuid);
  if (!is_uuid(sweep.uuid)) fields.refuse("uuid", "must be a uuid in small letters");
  fields.choice("state", parse_ended_state, "done, failed or cancelled", sweep.state);
  fields.text("host", host_bytes_most, sweep.host);
  fields.text("notes", recorded_notes_bytes_most, sweep.notes);
  fields.boolean("pinned", sweep.pinned);
  fields.moment("created_at", sweep.created_at_ns);
  if (sweep.created_at_ns == 0) fields.refuse("created_at", "must be there");
  fields.moment("started_at", sweep.started_at_ns);
  fields.moment("finished_at", sweep.finished_at_ns);
  fields.text("answer", sentence_bytes_most, sweep.answer);
  fields.text("error", sentence_bytes_most, sweep.error);
  read_spec(fields, sweep.spec);
  read_plan(fields, sweep.plan);
  fields.refuse_unknown();
}

void read_runs(RecordReader& parent, std::vector<Run>& runs) {
  const Json* list = parent.list("runs", runs_most);
  if (list == nullptr) return;
  runs.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && !parent.is_hopeless(); ++i) {
    runs.push_back(
        read_recorded_run((*list)[i], "runs[" + std::to_string(i) + "]", parent.errors()));
  }
}

}  // namespace

ImportedTable parse_own_export(const Json& document) {
  std::vector<FieldError> errors;
  RecordReader fields(&document, "", errors);
  std::uint32_t version = 0;
  fields.count(export_version_name, version, export_version, export_version);
  throw_if_wrong(std::exchange(errors, {}));  // of another version nothing else can be said
  ImportedTable table;
  fields.ignore("result");  // made anew, from the runs
  read_sweep(fields, table.sweep);
  read_runs(fields, table.runs);
  fields.refuse_unknown();
  if (errors.size() > record_wrong_most) errors.resize(record_wrong_most);
  throw_if_wrong(std::move(errors));
  table.sweep.origin = Origin::imported;
  return table;
}

}  // namespace iobenchd::api
