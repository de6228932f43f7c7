/* What a wavefront counts, and who looks at what it does. */
#ifndef M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_COUNT_H
#define M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_COUNT_H

#include <stdint.h>

struct evg_step;
struct evg_traffic;

/* See count.h. */
struct evg_wavefront_count {
	uint64_t instructions; /* begun, with their clauses */
	uint64_t *counters;    /* of the work-group */
	uint64_t one;          /* what an execution adds to a counter */
	uint64_t noted;        /* instructions under the active mask that
				  are in no histogram yet */
};

struct evg_observers {
	struct evg_step *step;       /* wants to know of memory, or NULL */
	struct evg_traffic *traffic; /* likewise: its step is `step` then */
};

#endif
