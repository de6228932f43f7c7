/* SET_MODE. No source says more of it than its name and that it has two
 * operands; what it does here is a choice: source 0 of the first active lane is
 * taken, source 1 is not looked at. */
#ifndef M2S_EVERGREEN_EMU_MODE_H
#define M2S_EVERGREEN_EMU_MODE_H

#include "evergreen/emu/state.h"

/* Bits 7:0 of SQ_PGM_RESOURCES_2 for the rest of the wavefront's run, from the
 * next instruction on. */
evg_body evg_run_set_mode;

#endif
