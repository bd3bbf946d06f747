#include "api/render.h"
#include "api/render_values.h"

namespace iobenchd::api {

namespace {

std::string_view name_of(scheduler::TargetState state) {
  switch (state) {
    case scheduler::TargetState::free:
      return "free";
    case scheduler::TargetState::busy:
      return "busy";
    case scheduler::TargetState::stuck:
      return "stuck";
  }
  return "free";
}

bool is_device(TargetKind kind) {
  return kind == TargetKind::block_device || kind == TargetKind::raw_device;
}

void add_facts(Json& json, const TargetFacts& facts) {
  json["kind"] = to_string(facts.kind);
  json["size_bytes"] = known(facts.size_bytes != 0, facts.size_bytes);
  json["free_bytes"] = known(facts.kind == TargetKind::directory, facts.free_bytes);
  json["model"] = text_or_null(text_of(facts.model));
  json["serial"] = text_or_null(text_of(facts.serial));
  json["firmware"] = text_or_null(text_of(facts.firmware));
  json["logical_sector_bytes"] = known(facts.logical_sector_bytes != 0, facts.logical_sector_bytes);
  json["physical_sector_bytes"] =
      known(facts.physical_sector_bytes != 0, facts.physical_sector_bytes);
  json["rotational"] = facts.rotational != 0;
  json["virtual"] = facts.is_virtual != 0;
  json["block_storage"] = facts.block_storage != 0;
  json["direct_io"] = facts.direct_io != 0;
  json["in_use"] = facts.in_use != 0;
  json["use"] = text_or_null(text_of(facts.use));
  json["filesystem"] = text_or_null(text_of(facts.filesystem));
  json["mount_point"] = text_or_null(text_of(facts.mount_point));
  json["mount_options"] = text_or_null(text_of(facts.mount_options));
  json["io_scheduler"] = text_or_null(text_of(facts.io_scheduler));
  json["leaves"] = leaves_of(facts);
}

}  // namespace

Json render_target(const scheduler::TargetView& target) {
  const TargetFacts& facts = target.facts;
  Json json;
  json["path"] = text_of(facts.path);
  json["real_path"] = text_or_null(text_of(facts.real_path));
  json["scratch"] = target.scratch;
  json["state"] = name_of(target.state);
  json["sweep_id"] = known(target.sweep_id != 0, target.sweep_id);
  json["allowed"] = target.allowed;
  json["write"] = target.may_write;
  json["read_in_use"] = target.read_in_use;
  add_facts(json, facts);
  json["shares_device_with"] = target.shares_device_with;
  json["confirm_phrase"] = is_device(facts.kind) ? Json(confirm_phrase(facts)) : Json(nullptr);
  json["error"] = facts.error_number == 0
                      ? Json(nullptr)
                      : Json(std::generic_category().message(facts.error_number));
  return json;
}

// This machine, without a target.
Json render_system(const Circumstances& system) {
  Json json;
  json["host"] = system.host;
  json["os"] = system.os;
  json["cpu"] = system.cpu;
  json["cpus"] = known(system.cpus != 0, system.cpus);
  json["memory_bytes"] = known(system.memory_bytes != 0, system.memory_bytes);
  json["virtual_machine"] = system.virtual_machine;
  json["program_version"] = system.program_version;
  json["build_type"] = system.build_type;
  json["compiler"] = system.compiler;
  return json;
}

// The same of the day a run was made, and the disk it was made on.
Json render_circumstances(const Circumstances& facts) {
  Json json = render_system(facts);
  json["target"] = text_or_null(facts.target);
  json["target_kind"] = text_or_null(facts.target_kind);
  json["target_bytes"] = known(facts.target_bytes != 0, facts.target_bytes);
  json["model"] = text_or_null(facts.model);
  json["serial"] = text_or_null(facts.serial);
  json["firmware"] = text_or_null(facts.firmware);
  json["filesystem"] = text_or_null(facts.filesystem);
  json["mount_options"] = text_or_null(facts.mount_options);
  json["io_scheduler"] = text_or_null(facts.io_scheduler);
  json["logical_sector_bytes"] = known(facts.logical_sector_bytes != 0, facts.logical_sector_bytes);
  json["physical_sector_bytes"] =
      known(facts.physical_sector_bytes != 0, facts.physical_sector_bytes);
  json["in_use"] = facts.in_use;
  json["block_storage"] = facts.block_storage;
  json["database_on_target"] = facts.database_on_target;
  return json;
}

}  // namespace iobenchd::api
