#include <doctest/doctest.h>

#include "daemon/launcher/judge.h"

using namespace iobenchd;
using namespace iobenchd::launcher;

namespace {

Settings allow(const std::string& pattern, bool write, bool read_in_use) {
  Settings settings;
  set_text(settings.scratch_dir, "/state/scratch");
  set_text(settings.targets[0].pattern, pattern);
  settings.targets[0].write = write ? 1 : 0;
  settings.targets[0].read_in_use = read_in_use ? 1 : 0;
  settings.target_count = 1;
  return settings;
}

TargetFacts disk(const std::string& path) {
  TargetFacts facts;
  facts.kind = TargetKind::block_device;
  set_text(facts.real_path, path);
  set_text(facts.model, "Fast");
  set_text(facts.serial, "S1");
  facts.size_bytes = 1'000'000'000;
  facts.device = 11;
  return facts;
}

TargetFacts of_kind(TargetKind kind, const std::string& path) {
  TargetFacts facts;
  facts.kind = kind;
  set_text(facts.real_path, path);
  return facts;
}

OpenRun writing(const std::string& confirm) {
  OpenRun request;
  request.write = 1;
  set_text(request.confirm, confirm);
  return request;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without an allow-list nothing but the scratch directory is opened") {
  Settings settings;
  set_text(settings.scratch_dir, "/state/scratch");
  const OpenRun request;
  CHECK(says(refuse_target(disk("/dev/sda"), request, settings, false), "`targets`"));
  const TargetFacts kept = of_kind(TargetKind::regular_file, "/state/scratch/iobenchd-1.0");
  CHECK(refuse_target(kept, request, settings, false).empty());
  const TargetFacts deeper = of_kind(TargetKind::regular_file, "/state/scratch/a/b");
  CHECK_FALSE(refuse_target(deeper, request, settings, false).empty());
  CHECK(says(refuse_target(disk("/state/scratch/node"), request, settings, false), "device"));
}

TEST_CASE("a star stops at a slash") {
  const Settings settings = allow("/dev/sd*", false, false);
  CHECK(find_allowed(settings, "/dev/sdb") == settings.targets.data());
  CHECK(find_allowed(settings, "/dev/sd/x") == nullptr);
  CHECK(find_allowed(settings, "/dev/sr0") == nullptr);
}

TEST_CASE("a write needs permission, an unused disk and the phrase") {
  const std::string phrase = "destroy Fast S1 1.0 GB";
  const TargetFacts idle = disk("/dev/sdb");
  CHECK(confirm_phrase(idle) == phrase);
  const Settings writable = allow("/dev/sdb", true, true);
  CHECK(refuse_target(idle, writing(phrase), writable, false).empty());
  const Settings read_only = allow("/dev/sdb", false, true);
  CHECK(says(refuse_target(idle, writing(phrase), read_only, false), "\"write\": true"));
  CHECK(says(refuse_target(idle, writing("destroy it"), writable, false), phrase));
  TargetFacts mounted = idle;
  mounted.in_use = 1;
  set_text(mounted.use, "mounted on /home");
  CHECK(says(refuse_target(mounted, writing(phrase), writable, false), "mounted on /home"));
  CHECK(says(refuse_target(mounted, writing(phrase), writable, true), "mounted on /home"));
}

TEST_CASE("our own exclusive open is nobody else's use") {
  TargetFacts held = disk("/dev/sdb");
  held.in_use = 1;
  set_text(held.use, exclusive_use);
  const Settings writable = allow("/dev/sdb", true, false);
  const OpenRun request = writing(confirm_phrase(held));
  CHECK(refuse_target(held, request, writable, true).empty());
  CHECK_FALSE(refuse_target(held, request, writable, false).empty());
}

TEST_CASE("a disk in use is read where the configuration says so, and only there") {
  TargetFacts mounted = disk("/dev/sda");
  mounted.in_use = 1;
  set_text(mounted.use, "swap");
  const OpenRun request;
  CHECK(refuse_target(mounted, request, allow("/dev/sda", false, true), false).empty());
  CHECK(
      says(refuse_target(mounted, request, allow("/dev/sda", true, false), false), "read_in_use"));
}

TEST_CASE("directories, oddities and existing files for writing are refused") {
  const Settings settings = allow("/data/*", true, true);
  const OpenRun request;
  const auto refusal = [&](TargetKind kind, const OpenRun& how) {
    return refuse_target(of_kind(kind, "/data/x"), how, settings, false);
  };
  CHECK(says(refusal(TargetKind::directory, request), "directory"));
  CHECK(says(refusal(TargetKind::missing, request), "does not exist"));
  CHECK(says(refusal(TargetKind::other, request), "neither"));
  CHECK(refusal(TargetKind::regular_file, request).empty());
  CHECK(says(refusal(TargetKind::regular_file, writing("")), "never written"));
}

TEST_CASE("a disk that changed under its name is refused") {
  const Settings settings = allow("/dev/sdb", false, false);
  OpenRun request;
  request.expected_device = 11;
  request.expected_bytes = 1'000'000'000;
  CHECK(refuse_target(disk("/dev/sdb"), request, settings, false).empty());
  request.expected_device = 12;
  CHECK(says(refuse_target(disk("/dev/sdb"), request, settings, false), "another device"));
  request.expected_device = 11;
  request.expected_bytes = 5;
  CHECK(says(refuse_target(disk("/dev/sdb"), request, settings, false), "1000000000 bytes"));
}

TEST_CASE(
    "another disk that takes the confirmed one's place between judgement and open is refused") {
  const Settings settings = allow("/dev/sdb", true, false);
  const TargetFacts confirmed = disk("/dev/sdb");
  OpenRun request = writing(confirm_phrase(confirmed));
  request.expected_device = confirmed.device;
  request.expected_bytes = confirmed.size_bytes;
  CHECK(refuse_target(confirmed, request, settings, true).empty());
  TargetFacts swapped = confirmed;  // the same name, number and size
  set_text(swapped.serial, "S2");
  CHECK(says(refuse_target(swapped, request, settings, true), "destroy Fast S2 1.0 GB"));
  TargetFacts larger = confirmed;
  larger.size_bytes += 512;
  CHECK(says(refuse_target(larger, request, settings, true), "1000000512 bytes"));
  TargetFacts mounted = confirmed;
  mounted.in_use = 1;
  set_text(mounted.use, "mounted on /mnt");
  CHECK(says(refuse_target(mounted, request, settings, true), "mounted on /mnt"));
}

TEST_CASE("scratch names are plain names of ours") {
  CHECK(is_scratch_name("iobenchd-17"));
  CHECK(is_scratch_name("iobenchd-a_b.c-d"));
  for (const char* name :
       {"iobenchd-", "iobenchd-../x", "iobenchd-a/b", "other-1", "", "iobenchd-a b"})
    CHECK_FALSE(is_scratch_name(name));
}

TEST_CASE("a request that no honest service sends is refused before anything is opened") {
  OpenRun request;
  set_text(request.name, "/dev/sda");
  CHECK(refuse_request(request).empty());
  request.descriptors = 0;
  CHECK(says(refuse_request(request), "descriptors"));
  request.descriptors = 5000;
  CHECK(says(refuse_request(request), "descriptors"));
  request.descriptors = 2;
  request.files = 3;
  CHECK(says(refuse_request(request), "files"));
  request.files = 1;
  request.create = 1;
  CHECK(says(refuse_request(request), "scratch"));
  request.create = 2;
  CHECK(says(refuse_request(request), "flag"));
  request.create = 0;
  request.sync = static_cast<Sync>(3);
  CHECK(says(refuse_request(request), "sync"));
  request.sync = Sync::dsync;
  set_text(request.name, "dev/sda");
  CHECK(says(refuse_request(request), "starts with /"));
}
