// After disklabel(5) and <sys/disklabel.h>.
#pragma once
#include <sys/types.h>

#include <cstdint>

#define MAXPARTITIONS 16
#define FS_RAID 19

struct partition {
  std::uint32_t p_size, p_offset;
  std::uint16_t p_offseth, p_sizeh;
  std::uint8_t p_fstype, p_fragblock;
  std::uint16_t p_cpg;
};

struct disklabel {
  std::uint32_t d_magic;
  std::uint16_t d_type, d_subtype;
  char d_typename[16];
  char d_packname[16];
  std::uint32_t d_secsize, d_nsectors, d_ntracks, d_ncylinders, d_secpercyl, d_secperunit;
  unsigned char d_uid[8];
  std::uint32_t d_acylinders;
  std::uint16_t d_bstarth, d_bendh;
  std::uint32_t d_bstart, d_bend, d_flags;
  std::uint16_t d_secperunith, d_version, d_npartitions;
  struct partition d_partitions[MAXPARTITIONS];
};

#define DL_GETPSIZE(p) (((std::uint64_t)(p)->p_sizeh << 32) + (p)->p_size)
#define DL_GETPOFFSET(p) (((std::uint64_t)(p)->p_offseth << 32) + (p)->p_offset)
#define DL_GETDSIZE(d) (((std::uint64_t)(d)->d_secperunith << 32) + (d)->d_secperunit)
