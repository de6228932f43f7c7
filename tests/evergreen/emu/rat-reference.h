/* What each atomic RAT operation makes of the dword in memory, m. */
#ifndef M2S_TESTS_EVERGREEN_EMU_RAT_REFERENCE_H
#define M2S_TESTS_EVERGREEN_EMU_RAT_REFERENCE_H

#include "evergreen/isa/inst.h"

uint32_t reference_atomic(enum evg_rat_op op, uint32_t m, uint32_t x,
			  uint32_t w);

#endif
