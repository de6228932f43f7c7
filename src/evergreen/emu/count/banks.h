/* Local memory's banks: four bytes each, one address a bank and cycle. The
 * requests of a window of work-items are served together, and the bank with
 * most distinct addresses sets the time; equal addresses are broadcast (AMD
 * OpenCL guide; hd5870 figures, section 5). */
#ifndef M2S_EVERGREEN_EMU_COUNT_BANKS_H
#define M2S_EVERGREEN_EMU_COUNT_BANKS_H

#include "evergreen/emu/emu.h"

struct evg_bank_cycles {
	uint32_t all;       /* that the banks are busy with an instruction */
	uint32_t conflicts; /* of these, more than if the requests were spread
			       evenly over the banks */
	uint32_t requests;  /* that the banks serve: of lanes, and reads of a
			       window with equal addresses as one */
};

/* For a step with memory_local; `banks` and `window_size` at most 64. */
struct evg_bank_cycles evg_bank_cycles(const struct evg_step *step,
				       uint32_t banks, uint32_t window_size);

#endif
