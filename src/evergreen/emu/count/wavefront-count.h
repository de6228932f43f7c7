/* The counters of a wavefront, and the observers of its accesses. */
#ifndef M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_COUNT_H
#define M2S_EVERGREEN_EMU_COUNT_WAVEFRONT_COUNT_H

#include <stdint.h>

struct evg_step;
struct evg_traffic;

/* See count.h. */
struct evg_wavefront_count {
	/* Instructions that were begun, those of clauses included. */
	uint64_t instructions;
	uint64_t *counters;    /* of the work-group */
	/* The number that an execution adds to a counter. */
	uint64_t one;
	uint64_t noted;        /* instructions under the active mask that
				  are in no histogram yet */
};

struct evg_observers {
	/* Record of accesses, or NULL: no record. */
	struct evg_step *step;
	/* Counts of accesses, or NULL; its step is then `step`. */
	struct evg_traffic *traffic;
};

#endif
