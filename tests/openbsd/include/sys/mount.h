// After statfs(2), getmntinfo(3) and <sys/mount.h>.
#pragma once
#include <sys/types.h>

#include <cstdint>

#define MNT_RDONLY 0x00000001
#define MNT_SYNCHRONOUS 0x00000002
#define MNT_NOEXEC 0x00000004
#define MNT_NOSUID 0x00000008
#define MNT_NODEV 0x00000010
#define MNT_ASYNC 0x00000040
#define MNT_LOCAL 0x00001000
#define MNT_NOATIME 0x00008000
#define MNT_NOWAIT 2
#define MFSNAMELEN 16
#define MNAMELEN 90

struct statfs {
  std::uint32_t f_flags, f_bsize, f_iosize;
  std::uint64_t f_blocks, f_bfree;
  std::int64_t f_bavail;
  char f_fstypename[MFSNAMELEN];
  char f_mntonname[MNAMELEN];
  char f_mntfromname[MNAMELEN];
  char f_mntfromspec[MNAMELEN];
};

extern "C" {
int statfs(const char* path, struct statfs* buf);
int fstatfs(int fd, struct statfs* buf);
int getmntinfo(struct statfs** mntbufp, int flags);
}
