// The few declarations of OpenBSD's headers that our sources use, after its manual pages: enough
// for a syntax check elsewhere, nothing to link against.
#pragma once
#include_next <sys/param.h>
