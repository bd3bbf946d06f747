#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "daemon/config.h"
#include "daemon/config_lines.h"
#include "daemon/model/error.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;

namespace {

// The message of the one complaint about a text.
std::string complaint(const std::string& text) {
  try {
    (void)parse_config(text, "x.conf", default_config(true));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    return error.what();
  }
  return "none";
}

bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

Settings parsed(const std::string& text) {
  return parse_config(text, "x.conf", default_config(true)).settings;
}

bool same(const Settings& one, const Settings& other) {
  return std::memcmp(&one, &other, sizeof one) == 0;
}

std::string read_file(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::string example = std::string(IOBENCHD_SOURCE_DIR) + "/rc.d/iobenchd.conf";

}  // namespace

TEST_CASE("the example configuration says what holds without it") {
  const Config base = default_config(true);
  Config read = parse_config(read_file(example), example, base);
  // No defaults and an empty list of them are the same to every reader.
  CHECK(text_of(read.settings.defaults_json) == "{}");
  read.settings.defaults_json = base.settings.defaults_json;
  CHECK(same(read.settings, base.settings));
  CHECK(read.user == base.user);
}

TEST_CASE("the example names every key") {
  const std::string text = read_file(example);
  for (const char* key :
       {"listen", "database", "scratch_dir", "scratch_limit", "targets", "defaults", "workers",
        "queue_limit", "write_budget", "token_file", "allowed_hosts", "log_level", "user"}) {
    CAPTURE(key);
    CHECK(text.find("\"" + std::string(key) + "\":") != std::string::npos);
  }
}

TEST_CASE("the defaults are those of the contract") {
  const Config config = default_config(false);
  CHECK(config.settings.listen_count == 1);
  CHECK(text_of(config.settings.listen[0]) == "127.0.0.1:8464");
  CHECK(config.settings.scratch_limit_bytes == 68'719'476'736);  // 64 * 2^30
  CHECK(config.settings.write_budget_bytes == 536'870'912'000);  // 500 * 2^30
  CHECK(config.settings.workers == 1);
  CHECK(config.settings.queue_limit == 64);
  CHECK(config.settings.target_count == 0);
  CHECK(config.user == "_iobenchd");
  CHECK(default_config(true).settings.listen_count == 2);
  CHECK(starts_with(text_of(default_config(true).settings.listen[1]), "unix:/"));
  check_settings(config.settings);
}

TEST_CASE("an empty file, and one of comments alone, change nothing") {
  const Settings base = default_config(true).settings;
  CHECK(same(parsed(""), base));
  CHECK(same(parsed("\n // \"workers\": 7\n\t\n"), base));
  CHECK(same(parsed("{}"), base));
}

TEST_CASE("every key is read") {
  const Settings settings = parsed(R"({
    "listen": ["127.0.0.1:0", "unix:/run/x/sock"],
    "database": "/d/x.db", "scratch_dir": "/s", "token_file": "/t",
    "scratch_limit": "2g", "write_budget": 4096, "workers": 3, "queue_limit": 9,
    "targets": [{"path": "/dev/sd?", "write": true}, {"path": "/x", "read_in_use": true}],
    "allowed_hosts": ["bench.example.net"], "log_level": "debug",
    "defaults": {"runtime": "10s"} // and a comment
  })");
  CHECK(settings.listen_count == 2);
  CHECK(text_of(settings.listen[1]) == "unix:/run/x/sock");
  CHECK(text_of(settings.database) == "/d/x.db");
  CHECK(text_of(settings.scratch_dir) == "/s");
  CHECK(text_of(settings.token_file) == "/t");
  CHECK(settings.scratch_limit_bytes == 2'147'483'648);
  CHECK(settings.write_budget_bytes == 4096);
  CHECK(settings.workers == 3);
  CHECK(settings.queue_limit == 9);
  REQUIRE(settings.target_count == 2);
  CHECK(settings.targets[0].write == 1);
  CHECK(settings.targets[0].read_in_use == 0);
  CHECK(settings.targets[1].read_in_use == 1);
  CHECK(settings.host_count == 1);
  CHECK(settings.log_level == LogLevel::debug);
  CHECK(text_of(settings.defaults_json) == R"({"runtime":"10s"})");
}

TEST_CASE("defaults may hold what only some sweeps can have") {
  for (const char* one : {R"({"fsync": 8})", R"({"verify": true})", R"({"hipri": true})",
                          R"({"layout": "per_job"})", R"({"rw": "write", "fsync": 8})"}) {
    CAPTURE(one);
    const Settings settings = parsed(std::string("{\"defaults\": ") + one + "}");
    CHECK(text_of(settings.defaults_json) != "{}");
  }
  CHECK(starts_with(complaint("{\"defaults\": {\"fsync\": -1}}"), "x.conf:1: defaults.fsync"));
}

TEST_CASE("complaints name file, line and key") {
  CHECK(starts_with(complaint("{\n\"workers\": 0\n}"), "x.conf:2: workers: "));
  CHECK(starts_with(complaint("{\n// \"workers\": 3\n\n\"workers\": 3.7}"), "x.conf:4: workers: "));
  CHECK(starts_with(complaint("{\n\n\"wrokers\": 3}"), "x.conf:3: wrokers: "));
  CHECK(complaint("{\"wrokers\": 3}").find("workers") != std::string::npos);
  CHECK(starts_with(complaint("{\"listen\": [\n\"127.0.0.1:1\",\n\"nonsense\"]}"),
                    "x.conf:3: listen[1]: "));
  CHECK(starts_with(complaint("{\"targets\": [\n{\"path\": \"/a\"},\n\n{\"path\": \"b\"}]}"),
                    "x.conf:4: targets[1].path: "));
  CHECK(starts_with(complaint("{\"targets\": [{\"path\": \"/a\", \"wirte\": true}]}"),
                    "x.conf:1: targets[0].wirte: "));
  CHECK(
      starts_with(complaint("{\n\"defaults\": {\n\"numjobs\": 0}}"), "x.conf:3: defaults.numjobs"));
  CHECK(starts_with(complaint("{\"database\": \"here\"}"), "x.conf:1: database: "));
}

TEST_CASE("a broken document is pointed at") {
  CHECK(starts_with(complaint("{\n\"workers\": ,\n}"), "x.conf:2: "));
  CHECK(starts_with(complaint("{\"workers\": 1,\n\"workers\": 2}"), "x.conf:2: "));
  CHECK(starts_with(complaint("[]"), "x.conf:1: "));
}

TEST_CASE("retention is two numbers of days, and 0 means for ever") {
  CHECK(default_config(true).settings.retention_samples_days == 90);
  CHECK(default_config(true).settings.retention_sweeps_days == 0);
  const Config config = parse_config("{\"retention\": {\"samples_days\": 0, \"sweeps_days\": 730}}",
                                     "x.conf", default_config(true));
  CHECK(config.settings.retention_samples_days == 0);
  CHECK(config.settings.retention_sweeps_days == 730);
  check_settings(config.settings);
  CHECK(starts_with(complaint("{\"retention\": true}"), "x.conf:1: retention: "));
  CHECK(starts_with(complaint("{\"retention\": {\n\"samples_days\": \"90d\"}}"),
                    "x.conf:2: retention.samples_days: "));
  CHECK(starts_with(complaint("{\"retention\": {\"runs_days\": 1}}"),
                    "x.conf:1: retention.runs_days: "));
}

TEST_CASE("quiet hours are spans of the day, over midnight or to its end") {
  const Config config =
      parse_config("{\"quiet_hours\": [\"22:00-07:00\", \"12:30-13:00\", \"00:00-24:00\"]}",
                   "x.conf", default_config(true));
  REQUIRE(config.settings.quiet_count == 3);
  CHECK(config.settings.quiet_hours[0].begin_minute == 1320);
  CHECK(config.settings.quiet_hours[0].end_minute == 420);
  CHECK(config.settings.quiet_hours[1].begin_minute == 750);
  CHECK(config.settings.quiet_hours[2].end_minute == 1440);
  check_settings(config.settings);
  CHECK(default_config(true).settings.quiet_count == 0);
  for (const char* wrong : {"22-7", "22:00", "22:00-22:00", "24:00-07:00", "22:00-07:60", "a-b"}) {
    const std::string text = complaint("{\n\"quiet_hours\": [\"" + std::string(wrong) + "\"]}");
    CHECK_MESSAGE(starts_with(text, "x.conf:2: quiet_hours[0]: "), text);
  }
  CHECK(starts_with(complaint("{\"quiet_hours\": 22}"), "x.conf:1: quiet_hours[0]: "));
}

TEST_CASE("yield_to_other_io is true or false, and false when it isn't said") {
  CHECK(default_config(true).settings.yield_to_other_io == 0);
  const auto read = [](const char* text) {
    return parse_config(text, "x.conf", default_config(true)).settings;
  };
  CHECK(read("{\"yield_to_other_io\": true}").yield_to_other_io == 1);
  CHECK(read("{\"yield_to_other_io\": false}").yield_to_other_io == 0);
  CHECK(starts_with(complaint("{\"yield_to_other_io\": 1}"), "x.conf:1: yield_to_other_io: "));
}

TEST_CASE("overrides are JSON or bare words, and win over the file") {
  const TemporaryTree tree;
  const std::string file = tree.file("conf", "{\"workers\": 2, \"queue_limit\": 5}");
  const Config config =
      load_config(file, {"workers=4", "listen=127.0.0.1:0", "database=/tmp/x=y.db"});
  CHECK(config.settings.workers == 4);
  CHECK(config.settings.queue_limit == 5);
  CHECK(config.settings.listen_count == 1);
  CHECK(text_of(config.settings.listen[0]) == "127.0.0.1:0");
  CHECK(text_of(config.settings.database) == "/tmp/x=y.db");
  CHECK_THROWS_WITH_AS((void)load_config(file, {"workers"}), doctest::Contains("-o workers"),
                       Error);
  CHECK_THROWS_WITH_AS((void)load_config(file, {"workers=none"}), doctest::Contains("-o workers: "),
                       Error);
  CHECK_THROWS_AS((void)load_config(tree / "missing", {}), Error);
}

TEST_CASE("a file that others may write is not believed") {
  const TemporaryTree tree;
  const std::string file = tree.file("conf", "{}");
  chmod(file.c_str(), 0664);
  CHECK_THROWS_WITH_AS((void)load_config(file, {}), doctest::Contains("writable by group"), Error);
  chmod(file.c_str(), 0644);
  CHECK(load_config(file, {}).file == file);
  CHECK_THROWS_AS((void)load_config(tree.path(), {}), Error);
  if (geteuid() != 0) return;  // only root can give a file away
  REQUIRE(chown(file.c_str(), 65534, 65534) == 0);
  CHECK_THROWS_WITH_AS((void)load_config(file, {}), doctest::Contains("belongs to"), Error);
}

TEST_CASE("a reload keeps what only a restart changes, and says which") {
  const Config running = default_config(true);
  Config fresh = running;
  fresh.settings.workers = 5;
  CHECK(keep_for_restart(fresh, running).empty());
  set_text(fresh.settings.database, "/elsewhere/x.db");
  fresh.user = "nobody";
  const std::vector<std::string> keys = keep_for_restart(fresh, running);
  CHECK(keys == std::vector<std::string>{"database", "user"});
  CHECK(fresh.settings.database == running.settings.database);
  CHECK(fresh.user == running.user);
  CHECK(fresh.settings.workers == 5);
}

TEST_CASE("lines are those of keys, never of values or comments") {
  const auto lines = config_lines(
      "{\n// \"a\": 1\n\"b\": \"a\",\n\"c\": [\n1, \"b\",\n{\"a\": 2}],\n\"a\": {\"b\": 3}}");
  CHECK(lines.at("b") == 3);
  CHECK(lines.at("c") == 4);
  CHECK(lines.at("c[0]") == 5);
  CHECK(lines.at("c[1]") == 5);
  CHECK(lines.at("c[2]") == 6);
  CHECK(lines.at("a") == 7);
  CHECK(line_of(lines, "c[2].a") == 6);
  CHECK(line_of(lines, "unknown") == 1);
}
