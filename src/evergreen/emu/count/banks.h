/* The banks of local memory: four bytes wide, one address per bank and cycle.
 * The requests of a window of work-items are served together. The bank with the
 * most distinct addresses determines the time. Equal addresses are broadcast
 * (AMD OpenCL guide; hd5870 figures, section 5). */
#ifndef M2S_EVERGREEN_EMU_COUNT_BANKS_H
#define M2S_EVERGREEN_EMU_COUNT_BANKS_H

#include "evergreen/emu/emu.h"

struct evg_bank_cycles {
	/* Cycles in which the banks are busy with an instruction. */
	uint32_t all;
	/* Of these, cycles beyond an even spread of the requests over the
	 * banks. */
	uint32_t conflicts;
	/* Requests that the banks serve: one per lane, but one for reads of
	 * equal addresses in a window. */
	uint32_t requests;
};

/* The cycles of a step with memory_local. `banks` and `window_size` are at most
 * 64. */
typedef struct evg_bank_cycles evg_bank_function(const struct evg_step *step,
						 uint32_t banks,
						 uint32_t window_size);
evg_bank_function evg_bank_cycles;
/* The same in vectors, for each host instruction set (simd/banks.c), and the
 * best one that this host can run. */
evg_bank_function evg_bank_cycles_v2, evg_bank_cycles_v3, evg_bank_cycles_v4;
evg_bank_function *evg_bank_best(void);

#endif
