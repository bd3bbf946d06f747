// After sd(4) and <sys/dkio.h>.
#pragma once
#include <sys/disklabel.h>
#include <sys/ioctl.h>

struct dk_inquiry {
  char vendor[64];
  char product[128];
  char revision[64];
  char serial[128];
};

#define DIOCGDINFO _IOR('d', 101, struct disklabel)
#define DIOCGPDINFO _IOR('d', 114, struct disklabel)
#define DIOCINQ _IOR('d', 120, struct dk_inquiry)
