/* System calls at fixed addresses of x86-64 processes. */
#ifndef M2S_X86_LINUX_VSYSCALL_H
#define M2S_X86_LINUX_VSYSCALL_H

#include <stdbool.h>

#include "memsys/space/space.h"

struct context;

/* The region by which /proc/PID/maps shows this page in every x86-64
 * process. */
extern const struct space_region vsyscall_region;
/* Makes the call if the fault that stopped the context is the execution of a
 * call in this page. False for other faults. */
bool vsyscall_enter(struct context *context);

#endif
