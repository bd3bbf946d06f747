// After <sys/disk.h>: one entry of hw.diskstats.
#pragma once
#include <sys/time.h>

#include <cstdint>

struct diskstats {
  char ds_name[16];
  int ds_busy;
  std::uint64_t ds_rxfer, ds_wxfer, ds_seek, ds_rbytes, ds_wbytes;
  struct timeval ds_attachtime, ds_timestamp, ds_time;
};
