/* What a wavefront knows of who steps it, and of the time and place there. */
#ifndef M2S_EVERGREEN_EMU_TIMING_LINK_H
#define M2S_EVERGREEN_EMU_TIMING_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* Where a wavefront runs. */
struct evg_place {
	uint32_t unit;       /* compute unit in the device */
	uint32_t engine;     /* shader engine of the unit */
	uint32_t simd;       /* the unit's number in its shader engine */
	uint32_t group_slot; /* of the work-group in the unit */
	uint32_t wave_slot;  /* of the wavefront in the unit */
	bool odd;            /* in the odd place of the ALU engine */
};

struct evg_timing_link {
	void *owner; /* of who steps it */
	struct evg_place place;
	bool timed;     /* `cycle` counts, not instructions */
	uint64_t cycle; /* of the timing model */
};

#endif
