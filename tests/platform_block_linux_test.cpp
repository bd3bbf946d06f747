// Trees as /sys shows them, made by hand, so that RAID and NVMe are tested on machines that have
// neither.
#include <doctest/doctest.h>

#include "daemon/platform/block_linux.h"
#include "daemon/platform/mounts_linux.h"
#include "tests/temporary_tree.h"

using namespace iobenchd;
using namespace iobenchd::platform;

namespace {

// A tree with disks and their partitions, linked from everywhere the kernel links them.
class Machine {
 public:
  void disk(const std::string& name, const std::string& numbers, const std::string& blocks) {
    node("sys/devices/" + name, name, numbers, blocks);
    tree.link("sys/block/" + name, tree / ("sys/devices/" + name));
  }
  void partition(const std::string& disk, const std::string& name, const std::string& numbers) {
    node("sys/devices/" + disk + "/" + name, name, numbers, "2048");
    tree.file("sys/devices/" + disk + "/" + name + "/partition", "1\n");
  }
  void member(const std::string& upper, const std::string& lower) {
    tree.directory("sys/class/block/" + upper + "/slaves/" + lower);
    tree.directory("sys/class/block/" + lower + "/holders/" + upper);
  }
  void mount(const std::string& numbers, const std::string& point, const std::string& source) {
    mounts_ += "36 35 " + numbers + " / " + point + " rw,noatime shared:1 - ext4 " + source +
               " rw,errors=continue\n";
    tree.file("proc/self/mountinfo", mounts_);
  }
  [[nodiscard]] std::string leaves(const std::string& name) const {
    std::string text;
    for (const Leaf& leaf : leaves_of(tree.path(), name)) text += leaf.leaf + " ";
    return text;
  }
  [[nodiscard]] std::string use(const std::string& name) const { return use_of(tree.path(), name); }

  TemporaryTree tree;

 private:
  void node(const std::string& place, const std::string& name, const std::string& numbers,
            const std::string& blocks) {
    tree.file(place + "/dev", numbers + "\n");
    tree.file(place + "/size", blocks + "\n");
    tree.link("sys/class/block/" + name, tree / place);
    tree.link("sys/dev/block/" + numbers, tree / place);
  }

  std::string mounts_;
};

}  // namespace

TEST_CASE("a partition's leaf is its disk, a mirror's are its members' disks") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.partition("sda", "sda1", "8:1");
  machine.disk("sdb", "8:16", "1000000");
  machine.partition("sdb", "sdb1", "8:17");
  machine.disk("md0", "9:0", "2000");
  machine.member("md0", "sda1");
  machine.member("md0", "sdb1");
  machine.disk("dm-0", "253:0", "1000");
  machine.member("dm-0", "md0");
  CHECK(machine.leaves("sda1") == "sda ");
  CHECK(machine.leaves("md0") == "sda sdb ");
  CHECK(machine.leaves("dm-0") == "sda sdb ");
  CHECK(block_name(machine.tree.path(), 8, 17) == "sdb1");
  CHECK(block_name(machine.tree.path(), 8, 99).empty());
}

TEST_CASE("two namespaces of one NVMe controller are one leaf") {
  Machine machine;
  machine.disk("nvme0n1", "259:0", "100");
  machine.disk("nvme0n2", "259:1", "100");
  machine.disk("nvme10n1", "259:2", "100");
  machine.disk("mmcblk0boot0", "179:8", "100");
  CHECK(machine.leaves("nvme0n1") == "nvme0 ");
  CHECK(machine.leaves("nvme0n2") == "nvme0 ");
  CHECK(machine.leaves("nvme10n1") == "nvme10 ");
  CHECK(machine.leaves("mmcblk0boot0") == "mmcblk0 ");
}

TEST_CASE("a loop device stands on what its backing file is on") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.disk("loop0", "7:0", "2048");
  machine.tree.file("sys/devices/loop0/loop/backing_file", "/dev/sda\n");
  CHECK(machine.leaves("loop0") == "sda ");
  CHECK(machine.use("sda") == "behind loop0");
  CHECK(machine.use("loop0").empty());
}

TEST_CASE("a stack that bites its own tail ends") {
  Machine machine;
  machine.disk("dm-0", "253:0", "1");
  machine.disk("dm-1", "253:1", "1");
  machine.member("dm-0", "dm-1");
  machine.member("dm-1", "dm-0");
  CHECK(machine.leaves("dm-0").empty());
}

TEST_CASE("use is found on the disk, its partitions and the disk of a partition") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.partition("sda", "sda1", "8:1");
  machine.partition("sda", "sda2", "8:2");
  machine.disk("sdb", "8:16", "1000");
  machine.partition("sdb", "sdb1", "8:17");
  machine.disk("sdc", "8:32", "1000");
  machine.disk("md0", "9:0", "2000");
  machine.member("md0", "sdc");
  machine.mount("8:2", "/home\\040of\\040all", "/dev/sda2");
  machine.mount("8:16", "/whole", "/dev/sdb");
  CHECK(machine.use("sda2") == "mounted on /home of all");
  CHECK(machine.use("sda") == "mounted on /home of all (sda2)");
  CHECK(machine.use("sda1").empty());  // its neighbour's mount is not its own
  CHECK(machine.use("sdb1") == "mounted on /whole (sdb)");
  CHECK(machine.use("sdc") == "member of md0");
}

TEST_CASE("swap and btrfs members are in use without being mounted by their number") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.partition("sda", "sda1", "8:1");
  machine.disk("sdb", "8:16", "1000");
  machine.tree.file("proc/swaps", "Filename Type Size Used Priority\n/dev/sda1 partition 1 0 -2\n");
  machine.tree.directory("sys/fs/btrfs/0a1b/devices/sdb");
  CHECK(machine.use("sda1") == "swap");
  CHECK(machine.use("sda") == "swap (sda1)");
  CHECK(machine.use("sdb") == "member of a btrfs");
}

TEST_CASE("a mount whose number is no device's is found by its source") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.mount("0:41", "/data", "/dev/sda");
  CHECK(machine.use("sda") == "mounted on /data");
}

TEST_CASE("a disk says who it is") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.tree.file("sys/devices/sda/device/vendor", "ATA     \n");
  machine.tree.file("sys/devices/sda/device/model", "Samsung SSD 870 \n");
  machine.tree.file("sys/devices/sda/device/vpd_pg80", std::string("\0\x80\0\x06 S5Y1 ", 10));
  machine.tree.file("sys/devices/sda/device/rev", "1B6Q\n");
  machine.tree.file("sys/devices/sda/queue/scheduler", "none [mq-deadline] kyber\n");
  const Identity identity = identity_of(machine.tree.path(), "sda");
  CHECK(identity.model == "Samsung SSD 870");
  CHECK(identity.serial == "S5Y1");
  CHECK(identity.firmware == "1B6Q");
  CHECK(scheduler_of(machine.tree.path(), "sda") == "mq-deadline");
  CHECK_FALSE(is_virtual("sda", identity));
  CHECK(is_virtual("vda", Identity{}));
  CHECK(is_virtual("sda", Identity{"QEMU HARDDISK", "", ""}));
}

TEST_CASE("disks in memory, empty loops and hidden paths are not listed") {
  Machine machine;
  machine.disk("sda", "8:0", "1000000");
  machine.disk("loop3", "7:3", "0");
  machine.disk("ram0", "1:0", "8192");
  machine.disk("zram0", "253:9", "8192");
  machine.disk("sr0", "11:0", "8192");
  machine.disk("nvme0c0n1", "259:5", "8192");
  machine.tree.file("sys/devices/nvme0c0n1/hidden", "1\n");
  const std::vector<std::string> disks = whole_disks(machine.tree.path());
  REQUIRE(disks.size() == 1);
  CHECK(disks[0] == "sda");
}

TEST_CASE("mountinfo with and without optional fields is read") {
  const TemporaryTree tree;
  tree.file("proc/self/mountinfo",
            "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
            "30 27 8:1 / /a\\011b ro shared:1 master:2 - xfs /dev/sda1 rw,attr2\n"
            "nonsense\n"
            "1 2 3 4\n");
  const std::vector<Mount> mounts = read_mounts(tree.path());
  REQUIRE(mounts.size() == 2);
  CHECK(mounts[0].major == 0);
  CHECK(mounts[0].filesystem == "proc");
  CHECK(mounts[1].id == 30);
  CHECK(mounts[1].point == "/a\tb");
  CHECK(mounts[1].options == "ro,rw,attr2");
  CHECK(is_block_storage("xfs"));
  CHECK_FALSE(is_block_storage("nfs4"));
  CHECK_FALSE(is_block_storage("fuse.sshfs"));
}
