/* The debug channels of instructions and calls. */
#ifndef M2S_X86_LINUX_TRACE_TRACE_H
#define M2S_X86_LINUX_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/emu/emu.h"

struct context;
struct linux_system;

/* Whether a debug channel for instructions or calls is open. */
bool trace_is_on(const struct linux_system *system);
/* x86_run() by single instructions, which writes to these channels. */
enum x86_stop trace_run(struct context *context, uint64_t instructions);
void trace_free(struct context *context);

#endif
