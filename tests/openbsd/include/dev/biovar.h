// After bio(4).
#pragma once
#include <sys/ioctl.h>
#include <sys/types.h>

#include <cstdint>

struct bio_status {
  char bs_text[64];
};
struct bio {
  void* bio_cookie;
  struct bio_status bio_status;
};
struct bio_locate {
  struct bio bl_bio;
  char* bl_name;
};
struct bioc_inq {
  struct bio bi_bio;
  char bi_dev[16];
  int bi_novol, bi_nodisk;
};
struct bioc_disk {
  struct bio bd_bio;
  std::uint16_t bd_channel, bd_target, bd_lun, bd_other_id;
  int bd_volid, bd_diskid, bd_status;
  std::uint64_t bd_size;
  char bd_vendor[32];
  char bd_serial[32];
};
struct bioc_vol {
  struct bio bv_bio;
  int bv_volid;
  std::int16_t bv_percent;
  std::uint16_t bv_seconds;
  int bv_status;
  std::uint64_t bv_size;
  int bv_level, bv_nodisk, bv_cache;
  char bv_dev[16];
  char bv_vendor[32];
};

#define BIOCLOCATE _IOWR('B', 0, struct bio_locate)
#define BIOCINQ _IOWR('B', 32, struct bioc_inq)
#define BIOCDISK _IOWR('B', 33, struct bioc_disk)
#define BIOCVOL _IOWR('B', 34, struct bioc_vol)
