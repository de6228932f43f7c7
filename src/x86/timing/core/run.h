/* The course of a core. Internal to x86/timing/core. */
#ifndef M2S_X86_TIMING_CORE_RUN_H
#define M2S_X86_TIMING_CORE_RUN_H

#include "x86/timing/core/state.h"

/* The state of a core that plays (memo/memo.h) becomes what it would be without that. */
void core_settle(struct x86_core *core);

#endif
