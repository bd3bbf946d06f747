// After <sys/sched.h>: the states that KERN_CPTIME counts.
#pragma once

#define CP_USER 0
#define CP_NICE 1
#define CP_SYS 2
#define CP_SPIN 3
#define CP_INTR 4
#define CP_IDLE 5
#define CPUSTATES 6
