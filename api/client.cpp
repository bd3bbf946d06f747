#include "api/client.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/client_call.h"
#include "api/parse.h"
#include "api/parse_fields.h"
#include "api/render.h"
#include "api/strict_json.h"
#include "daemon/analysis/analysis.h"
#include "daemon/model/error.h"
#include "daemon/model/quantity.h"

namespace iobenchd::api {
namespace {

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "4" is a number; "4k" and whatever is wrong stay text for the reader to judge.
Json value_of(std::string_view text) {
  if (is_whole_number(text)) return Json(std::stoull(std::string(text)));
  return Json(std::string(text));
}

// One value stays one, so that what is wrong with it has the field's own name.
Json list_of(std::string_view text) {
  if (text.find(',') == std::string_view::npos) return value_of(text);
  Json list = Json::array();
  while (true) {
    const std::size_t comma = text.find(',');
    list.push_back(value_of(text.substr(0, comma)));
    if (comma == std::string_view::npos) return list;
    text.remove_prefix(comma + 1);
  }
}

// "p99:2ms"; what has no colon stays text for the reader to judge.
Json limit_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return Json(text);
  return Json{{text.substr(0, colon), value_of(text.substr(colon + 1))}};
}

// "5", or "3-10:2.5": from 3 to 10, until the interval is within 2.5 percent.
Json repeats_of(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return value_of(text);
  const std::string_view most = text.substr(dash + 1);
  const std::size_t colon = most.find(':');
  Json range{{"min", value_of(text.substr(0, dash))}, {"max", value_of(most.substr(0, colon))}};
  if (colon == std::string_view::npos) return range;
  const std::string_view percent = most.substr(colon + 1);
  const Json number = Json::parse(percent, nullptr, false);
  range["ci_percent"] = number.is_number() ? number : Json(percent);
  return range;
}

// "25x60s": at most 25 rounds of 60 s; "25": of the usual length.
Json steady_state_of(std::string_view text) {
  const std::size_t cross = text.find('x');
  Json rounds{{"rounds", value_of(text.substr(0, cross))}};
  if (cross == std::string_view::npos) return rounds;
  constexpr std::uint64_t second_ns = 1'000'000'000;
  const std::string_view length = text.substr(cross + 1);
  const auto ns = parse_time_ns(length);
  const bool whole = ns && *ns % second_ns == 0;
  rounds["round_s"] = whole ? Json(*ns / second_ns) : Json(length);
  return rounds;
}

Json json_of(const std::string& name, const std::string& text) {
  constexpr std::array<std::string_view, 3> lists{"rw", "bs", "iodepth"};
  constexpr std::array<std::string_view, 7> switches{"direct",      "thread", "refine", "keep_file",
                                                     "norandommap", "hipri",  "verify"};
  // fio names the checksum, and there is one.
  if (name == "verify" && text == "crc32c") return Json(true);
  if (std::find(lists.begin(), lists.end(), name) != lists.end()) return list_of(text);
  const bool is_switch = std::find(switches.begin(), switches.end(), name) != switches.end();
  if (is_switch && (text == "0" || text == "1")) return Json(text == "1");  // as fio has it
  constexpr std::array<std::string_view, 4> texts{"label", "target", "numjobs", "cpus_allowed"};
  if (std::find(texts.begin(), texts.end(), name) != texts.end()) return Json(text);
  if (name == "latency_limit") return limit_of(text);
  if (name == "repeats") return repeats_of(text);
  if (name == "steady_state") return steady_state_of(text);
  return value_of(text);
}

// A wrong field under the name it was typed with, where that is known.
std::vector<FieldError> at_their_places(std::vector<FieldError> wrong,
                                        std::span<const TextField> fields) {
  for (FieldError& one : wrong) {
    const std::string_view name = std::string_view(one.field).substr(0, one.field.find('.'));
    const auto typed = std::find_if(fields.rbegin(), fields.rend(),
                                    [&](const TextField& field) { return field.name == name; });
    if (typed != fields.rend() && !typed->place.empty()) one.field = typed->place;
  }
  return wrong;
}

httplib::Result ask(const std::string& server, const std::string& path) {
  Caller caller(server);
  httplib::Result result = caller.http().Get(path, caller.headers("application/json"));
  if (!result) caller.no_answer(result.error());
  return result;
}

Json get(const std::string& server, const std::string& path) {
  const httplib::Result result = ask(server, path);
  if (result->status != 200) Caller(server).refused(result->status, result->body);
  try {
    return parse_strict(result->body);
  } catch (const Error&) {
    Caller(server).no_answer("what answers there speaks no JSON");
  }
}

// Why no new sweep would be taken, a line; "" where one would.
std::string readiness(const std::string& server) {
  const httplib::Result result = ask(server, "/readyz");
  if (result->status == 200) return "";
  const std::string detail = problem_detail(result->body);
  return (detail.empty() ? "not ready: status " + std::to_string(result->status) : detail) + "\n";
}

// A member's text; "" where it is null or missing, as it may be with another version's daemon.
std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string whole_in(const Json& object, const char* name) {
  return count_text(static_cast<std::uint64_t>(std::max(0.0, number_in(object, name))));
}

Json member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() ? *found : Json(nullptr);
}

// "sweep 7, "nightly", on /dev/sd1c"
std::string sweep_name(const Json& sweep) {
  std::string text = "sweep " + whole_in(sweep, "id");
  if (const std::string label = text_in(sweep, "label"); !label.empty())
    text += ", \"" + label + "\"";
  const Json plan = member(sweep, "plan");
  if (const std::string target = text_in(plan, "target"); !target.empty()) text += ", on " + target;
  return text;
}

std::string progress_of(const Json& sweep) {
  const Json progress = member(sweep, "progress");
  if (!progress.is_object()) return "";
  std::string text = ": " + text_in(progress, "phase") + ", " + whole_in(progress, "runs_done") +
                     " of at most " + whole_in(progress, "runs_total") + " runs done";
  const double left_s = number_in(progress, "eta_s");
  if (left_s > 0) text += ", " + time_text(std::ceil(left_s)) + " left";
  return text;
}

Json sweeps_in(const std::string& server, const std::string& query) {
  Json items = member(get(server, "/api/v1/sweeps?" + query), "items");
  return items.is_array() ? items : Json::array();
}

}  // namespace

SweepSpec spec_of_fields(std::span<const TextField> fields) {
  Json json = Json::object();
  for (const TextField& field : fields) json[field.name] = json_of(field.name, field.text);
  try {
    return parse_sweep(json.dump(-1, ' ', false, Json::error_handler_t::replace), "");
  } catch (const Error& error) {
    throw_if_wrong(at_their_places(error.fields(), fields));
    throw;
  }
}

std::string sweep_report(const Sweep& sweep, const SweepResult& result, std::span<const Run> runs) {
  Json json = render_sweep(sweep, std::nullopt, std::nullopt);
  json.update(render_result(result));
  Json list = Json::array();
  for (const Run& run : runs) {
    list.push_back(
        render_run(run, analysis::summarise(run), analysis::run_verdicts(run, &sweep.spec)));
  }
  json["runs"] = std::move(list);
  return to_text(json);
}

std::string status_text(const std::string& server) {
  const std::string trouble = readiness(server);
  const Json running = sweeps_in(server, "state=running&limit=10");
  const Json queued = sweeps_in(server, "state=queued&limit=500");
  std::string text = "iobenchd at " + server + ": " + std::to_string(running.size()) +
                     " running, " + std::to_string(queued.size()) + " waiting\n" + trouble;
  for (const Json& sweep : running)
    text += "running  " + sweep_name(sweep) + progress_of(sweep) + "\n";
  constexpr std::size_t waiting_shown = 5;
  // Newest first, but the oldest is next.
  for (std::size_t i = 0; i < std::min(waiting_shown, queued.size()); ++i) {
    const Json& sweep = queued[queued.size() - 1 - i];
    const std::string why = text_in(sweep, "error");
    text += "waiting  " + sweep_name(sweep) + (why.empty() ? "" : ": " + why) + "\n";
  }
  for (const char* state : {"done", "failed"}) {
    for (const Json& sweep : sweeps_in(server, std::string("limit=3&state=") + state)) {
      const std::string answer = text_in(sweep, "answer"), error = text_in(sweep, "error");
      text += std::string(state) + (*state == 'd' ? "     " : "   ") + sweep_name(sweep) + ", " +
              text_in(sweep, "finished_at") + ": " + (answer.empty() ? error : answer) + "\n";
    }
  }
  return text;
}

std::string targets_text(const std::string& server) {
  const Json items = member(get(server, "/api/v1/targets"), "items");
  std::string text;
  for (const Json& target : items) {
    text += text_in(target, "path") + ": " + text_in(target, "kind");
    const double size = number_in(target, "size_bytes");
    if (size > 0) text += ", " + size_text(static_cast<std::uint64_t>(size));
    if (const std::string model = text_in(target, "model"); !model.empty()) text += ", " + model;
    if (const std::string use = text_in(target, "use"); !use.empty()) text += ", " + use;
    text += ", " + text_in(target, "state");
    const bool allowed = member(target, "allowed") == Json(true);
    const bool may_write = member(target, "write") == Json(true);
    text += allowed ? (may_write ? ", may be written" : ", may be read") : ", not allowed";
    text += "\n";
  }
  return text;
}

}  // namespace iobenchd::api
