/* The common types of the emulator's parts: the state of a wavefront, the plan
 * that a kernel's code is compiled to, and the functions over rows, compiled
 * once per host instruction set, that execute the plan. */
#ifndef M2S_EVERGREEN_EMU_STATE_H
#define M2S_EVERGREEN_EMU_STATE_H

#include "evergreen/emu/emu.h"
#include "evergreen/emu/plan/types.h"
#include "evergreen/emu/simd/functions.h"
#include "evergreen/emu/wavefront.h"

#endif
