/* Handling the emulator's stops. */
#ifndef M2S_X86_LINUX_STOP_H
#define M2S_X86_LINUX_STOP_H

#include "x86/emu/emu.h"

struct context;

/* Handles the event for which the emulator stopped. */
void context_handle_stop(struct context *context, enum x86_stop stop);

#endif
