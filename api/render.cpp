#include "api/render.h"

#include "api/render_values.h"

namespace iobenchd::api {

namespace {

template <typename T>
Json list_of_names(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T value : values) list.push_back(to_string(value));
  return list;
}

Json render_latency_limit(const std::optional<LatencyLimit>& limit) {
  if (!limit) return nullptr;
  return {{limit->statistic == Statistic::p99 ? "p99" : "mean", seconds(limit->limit_ns)}};
}

Json render_repeats(const SweepSpec& spec) {
  if (spec.repeats_auto) return "auto";
  if (spec.repeats_most == 0) return spec.repeats;
  return {
      {"min", spec.repeats}, {"max", spec.repeats_most}, {"ci_percent", number(spec.ci_percent)}};
}

Json render_steady_state(const SweepSpec& spec) {
  if (spec.steady_rounds == 0) return nullptr;
  return {{"rounds", spec.steady_rounds}, {"round_s", spec.steady_round_ns / 1'000'000'000}};
}

void add_workload(Json& json, const Workload& workload) {
  json["rwmixread"] = workload.rwmixread;
  json["rate_iops"] = workload.rate_iops;
  json["rate_process"] = to_string(workload.rate_process);
  json["io_size"] = workload.io_size_bytes;
  json["fsync"] = workload.fsync;
  json["sync"] = to_string(workload.sync);
  json["norandommap"] = workload.norandommap == 1;
  json["random_distribution"] = to_string(workload.random_distribution);
  json["buffer_compress_percentage"] = workload.buffer_compress_percentage;
  json["hipri"] = workload.hipri == 1;
  json["verify"] = workload.verify == 1;
}

}  // namespace

// What a POST takes, value by value, so that an old sweep can be asked for again. The phrase that
// confirmed a write is left out: it has to be said anew.
Json render_spec(const SweepSpec& spec) {
  Json json;
  json["preset"] = spec.preset;
  json["label"] = spec.label;
  json["target"] = text_or_null(spec.target);
  json["size"] = known(spec.size_bytes != 0, spec.size_bytes);
  json["offset"] = spec.offset_bytes;
  json["rw"] = list_of_names(spec.rw);
  json["bs"] = spec.bs;
  json["iodepth"] = spec.iodepth;
  json["numjobs"] = spec.numjobs_auto ? Json("auto") : Json(spec.numjobs);
  json["runtime"] = seconds(spec.runtime_ns);
  json["ramp_time"] = seconds(spec.ramp_time_ns);
  json["repeats"] = render_repeats(spec);
  json["order"] = to_string(spec.order);
  json["ioengine"] = to_string(spec.ioengine);
  json["direct"] = spec.direct;
  json["thread"] = spec.thread;
  json["refine"] = spec.refine;
  json["keep_file"] = spec.keep_file;
  json["batch_submit"] = spec.batch_submit;
  json["batch_complete"] = spec.batch_complete;
  json["seed"] = spec.seed ? Json(*spec.seed) : Json(nullptr);
  json["layout"] = spec.layout ? Json(to_string(*spec.layout)) : Json(nullptr);
  json["cooldown"] = seconds(spec.cooldown_ns);
  json["latency_limit"] = render_latency_limit(spec.latency_limit);
  add_workload(json, spec.workload);
  json["steady_state"] = render_steady_state(spec);
  json["precondition"] = spec.precondition;
  json["cpus_allowed"] = spec.cpus_allowed;
  json["yield_to_other_io"] =
      spec.yield_to_other_io ? Json(*spec.yield_to_other_io) : Json(nullptr);
  json["on_restart"] = to_string(spec.on_restart);
  return json;
}

Json render_plan(const Plan& plan) {
  Json settings = Json::array();
  for (const Setting& setting : plan.settings) settings.push_back(render_setting(setting));
  Json json;
  json["runs"] = plan.runs;
  json["seconds"] = number(plan.seconds);
  json["layout_bytes"] = plan.layout_bytes;
  json["write_bytes"] = plan.write_bytes;
  json["ioengine"] = plan.ioengine;
  json["size_bytes"] = plan.size_bytes;
  json["target"] = plan.target;
  json["settings"] = std::move(settings);
  return json;
}

Json render_progress(const Progress& progress) {
  const bool current = progress.has_current;
  const bool laying = progress.layout_total_bytes != 0;
  Json json;
  json["runs_done"] = progress.runs_done;
  json["runs_total"] = progress.runs_total;
  json["phase"] = to_string(progress.phase);
  json["eta_s"] = number(progress.eta_s);
  json["fraction"] = number(progress.fraction);
  json["current"] = current ? render_setting(progress.current) : Json(nullptr);
  json["iops"] = known(current, progress.iops);
  json["latency_mean_ns"] = known(current, progress.latency_mean_ns);
  json["layout_done_bytes"] = known(laying, progress.layout_done_bytes);
  json["layout_total_bytes"] = known(laying, progress.layout_total_bytes);
  return json;
}

Json render_sweep(const Sweep& sweep, const std::optional<Progress>& progress,
                  std::optional<std::uint32_t> position) {
  Json json;
  json["id"] = sweep.id;
  json["uuid"] = sweep.uuid;
  json["state"] = to_string(sweep.state);
  json["origin"] = to_string(sweep.origin);
  json["host"] = sweep.host;
  json["label"] = sweep.spec.label;
  json["notes"] = sweep.notes;
  json["pinned"] = sweep.pinned;
  json["schedule_id"] = known(sweep.schedule_id != 0, sweep.schedule_id);
  json["created_at"] = time_or_null(sweep.created_at_ns);
  json["started_at"] = time_or_null(sweep.started_at_ns);
  json["finished_at"] = time_or_null(sweep.finished_at_ns);
  json["position"] = position ? Json(*position) : Json(nullptr);
  json["progress"] = progress ? render_progress(*progress) : Json(nullptr);
  json["runs_done"] = sweep.runs_done;
  json["runs_failed"] = sweep.runs_failed;
  json["answer"] = text_or_null(sweep.answer);
  // A sweep that waits for room under the database can't have its reason stored there.
  const bool waits = progress && !progress->waits_for.empty();
  json["error"] = text_or_null(waits ? progress->waits_for : sweep.error);
  json["spec"] = render_spec(sweep.spec);
  json["plan"] = render_plan(sweep.plan);
  return json;
}

// The event's data: what its kind tells, beside the sweep it belongs to.
Json render_event(const Event& event) {
  Json json;
  json["sweep_id"] = event.sweep_id;
  switch (event.kind) {
    case EventKind::progress:
      json.update(render_progress(event.progress));
      break;
    case EventKind::run:
      json["run"] = render_run_summary(event.run);
      json["progress"] = render_progress(event.progress);
      break;
    case EventKind::state:
      json["state"] = to_string(event.state);
      json["answer"] = text_or_null(event.answer);
      json["error"] = text_or_null(event.error);
      break;
  }
  return json;
}

}  // namespace iobenchd::api
