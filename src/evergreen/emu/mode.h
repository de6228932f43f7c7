/* SET_MODE. The sources give only its name and its two operands; its effect
 * here is a choice: source 0 of the first active lane is used, source 1 is
 * ignored. */
#ifndef M2S_EVERGREEN_EMU_MODE_H
#define M2S_EVERGREEN_EMU_MODE_H

#include "evergreen/emu/state.h"

/* Sets bits 7:0 of SQ_PGM_RESOURCES_2 for the rest of the wavefront's run, from
 * the next instruction on. */
evg_body evg_run_set_mode;

#endif
