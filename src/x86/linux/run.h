/* Running a thread's instructions. */
#ifndef M2S_X86_LINUX_RUN_H
#define M2S_X86_LINUX_RUN_H

#include <stdint.h>

#include "x86/emu/emu.h"

struct context;

/* Executes up to `instructions` instructions of a thread, at full speed unless
 * they are to be traced. */
enum x86_stop context_run(struct context *context, uint64_t instructions);

#endif
