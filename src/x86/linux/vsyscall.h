/* System calls at fixed addresses of x86-64 processes. */
#ifndef M2S_X86_LINUX_VSYSCALL_H
#define M2S_X86_LINUX_VSYSCALL_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* The page of these addresses in every x86-64 process. */
#define VSYSCALL_START UINT64_C(0xffffffffff600000)
#define VSYSCALL_END UINT64_C(0xffffffffff601000)

/* Makes the call if the fault that stopped the context is the execution of a
 * call in this page. False for other faults. */
bool vsyscall_enter(struct context *context);

#endif
