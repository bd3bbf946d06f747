// After sysctl(2).
#pragma once
#include <cstddef>

#define CTL_KERN 1
#define CTL_HW 6
#define KERN_CPTIME 40
#define HW_MODEL 2
#define HW_PERFPOLICY 23
#define HW_DISKNAMES 8
#define HW_DISKSTATS 9
#define HW_DISKCOUNT 10
#define HW_VENDOR 14
#define HW_PHYSMEM64 19
#define HW_NCPUONLINE 25

extern "C" int sysctl(const int* name, unsigned namelen, void* oldp, std::size_t* oldlenp,
                      void* newp, std::size_t newlen);
