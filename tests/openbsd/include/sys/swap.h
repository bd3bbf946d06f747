// After swapctl(2).
#pragma once
#include <sys/types.h>

#define SWAP_NSWAP 3
#define SWAP_STATS 4
#define SWF_ENABLE 0x00000002

struct swapent {
  dev_t se_dev;
  int se_flags, se_nblks, se_inuse, se_priority;
  char se_path[1024];
};

extern "C" int swapctl(int cmd, const void* arg, int misc);
