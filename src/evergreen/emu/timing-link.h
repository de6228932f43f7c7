/* A wavefront's link to its caller: the owner of its steps, and the time and
 * place that it sees. */
#ifndef M2S_EVERGREEN_EMU_TIMING_LINK_H
#define M2S_EVERGREEN_EMU_TIMING_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* The place where a wavefront runs. */
struct evg_place {
	uint32_t unit;       /* compute unit in the device */
	uint32_t engine;     /* shader engine of the unit */
	uint32_t simd;       /* the unit's number in its shader engine */
	uint32_t group_slot; /* of the work-group in the unit */
	uint32_t wave_slot;  /* of the wavefront in the unit */
	bool odd;            /* in the odd place of the ALU engine */
};

struct evg_timing_link {
	void *owner; /* pointer of the caller that steps it */
	struct evg_place place;
	/* The clock is `cycle`, not the number of instructions. */
	bool timed;
	uint64_t cycle; /* of the timing model */
	bool float_mode_set; /* by the thread of the caller */
};

#endif
