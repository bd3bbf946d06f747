// After vnd(4).
#pragma once
#include <sys/ioctl.h>
#include <sys/types.h>

#define VNDNLEN 90

struct vnd_user {
  char vnu_file[VNDNLEN];
  int vnu_unit;
  dev_t vnu_dev;
  ino_t vnu_ino;
};

#define VNDIOCGET _IOWR('F', 3, struct vnd_user)
