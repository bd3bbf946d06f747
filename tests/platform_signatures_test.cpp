// What lies on a disk, told by its marks; here on files with the marks at their places.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "daemon/platform/signatures.h"
#include "tests/temporary_tree.h"

using iobenchd::TemporaryTree;
using iobenchd::platform::signatures_on;

namespace {

using Marks = std::vector<std::pair<std::size_t, std::string>>;

std::string found(const Marks& marks, std::size_t size = 200'000) {
  std::string disk(size, '\0');
  for (const auto& [offset, bytes] : marks) disk.replace(offset, bytes.size(), bytes);
  const TemporaryTree tree;
  const std::string path = tree.file("disk", disk);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  std::string names = signatures_on(descriptor);
  close(descriptor);
  return names;
}

}  // namespace

TEST_CASE("partition tables, filesystems and volume managers are told by their marks") {
  CHECK(found({}).empty());
  CHECK(found({{512, "EFI PART"}, {510, "\x55\xAA"}}) == "gpt");
  CHECK(found({{4096, "EFI PART"}}) == "gpt");  // sectors of 4096 bytes
  CHECK(found({{510, "\x55\xAA"}}) == "mbr");
  CHECK(found({{1080, "\x53\xEF"}}) == "ext");
  CHECK(found({{0, "XFSB"}}) == "xfs");
  CHECK(found({{65600, "_BHRfS_M"}}) == "btrfs");
  CHECK(found({{0, "LUKS\xBA\xBE"}}) == "luks");
  CHECK(found({{512, "LABELONE"}}) == "lvm");
  CHECK(found({{4086, "SWAPSPACE2"}}) == "swap");
  CHECK(found({{4096, "\xFC\x4E\x2B\xA9"}}) == "md");
  CHECK(found({{3, "NTFS    "}, {510, "\x55\xAA"}}) == "ntfs");
  CHECK(found({{82, "FAT32   "}, {510, "\x55\xAA"}}) == "vfat");
  CHECK(found({{66908, "\x19\x01\x54\x19"}}) == "ffs");
  CHECK(found({{131072, std::string("\x0C\xB1\xBA\x00", 4)}}) == "zfs");
  CHECK(found({{512, "\x57\x45\x56\x82"}, {8192, "marcCRAM"}}) == "disklabel softraid");
}

TEST_CASE("several marks are told in the order in which they lie, each once") {
  CHECK(found({{512, "EFI PART"}, {4096, "EFI PART"}, {1080, "\x53\xEF"}, {32769, "CD001"}}) ==
        "gpt ext iso9660");
}

TEST_CASE("a disk that is too small for a mark, or can't be read, has none") {
  CHECK(found({}, 0).empty());
  CHECK(found({{510, "\x55\xAA"}}, 512) == "mbr");
  CHECK(found({{512, "EFI"}}, 515).empty());
  CHECK(signatures_on(-1).empty());
}
