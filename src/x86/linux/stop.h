/* What the emulator could not do by itself. */
#ifndef M2S_X86_LINUX_STOP_H
#define M2S_X86_LINUX_STOP_H

#include "x86/emu/emu.h"

struct context;

/* Does what it stopped for. */
void context_handle_stop(struct context *context, enum x86_stop stop);

#endif
