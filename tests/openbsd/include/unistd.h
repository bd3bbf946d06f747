// After pledge(2) and unveil(2).
#pragma once
#include_next <unistd.h>
extern "C" {
int pledge(const char* promises, const char* execpromises);
int unveil(const char* path, const char* permissions);
}
