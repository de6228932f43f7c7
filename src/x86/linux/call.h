/* Making system calls. */
#ifndef M2S_X86_LINUX_CALL_H
#define M2S_X86_LINUX_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct context;

/* A thread enters the kernel by an instruction, with this call number and its
 * registers as they are. */
void call_enter(struct context *context, int number, bool abi32);
/* Makes the call in progress, for the first time or again. */
void call_attempt(struct context *context);

#endif
