/* The position of a wavefront in its kernel's code. */
#ifndef M2S_EVERGREEN_EMU_PROGRESS_H
#define M2S_EVERGREEN_EMU_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct evg_progress {
	uint32_t pc;      /* address of the CF instruction */
	/* Address of the last one that was started, for faults. */
	uint32_t started;
	/* The position in the clause of `pc`: 0 before the CF instruction
	 * itself, n + 1 before group or fetch n. */
	uint32_t position;
	uint64_t clause_entry; /* active mask when the clause began */
	bool ended, waiting;
	uint32_t barrier_line; /* static instruction at which it waits */
};

#endif
