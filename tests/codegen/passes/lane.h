/* An interpreter of machine instructions for one lane. */
#ifndef M2S_TESTS_CODEGEN_PASSES_LANE_H
#define M2S_TESTS_CODEGEN_PASSES_LANE_H

#include "opencl-rt/codegen/machine.h"

enum {
	LANE_WORDS = 64,       /* of global memory, and of local memory */
	LANE_SCRATCH = 1024,
	LANE_VALUES = 8192,
	LANE_QUEUE = 16,
	LANE_GIVEN = 2,        /* ids: the first registers */
};

struct lane {
	/* What the lane leaves behind. */
	uint32_t memory[LANE_WORDS], local[LANE_WORDS];
	/* By register, or by place. */
	uint32_t value[LANE_VALUES];
	uint32_t scratch[LANE_SCRATCH];
	/* Values on their way from local memory, of queues A and B. */
	uint32_t queue[2][LANE_QUEUE];
	unsigned head[2], tail[2];
	bool passed;           /* the last test */
};

/* Runs a machine in the lane with this number; its ids are made of that. `placed`:
 * values lie in their registers' places. NULL, or what stopped it. */
const char *lane_run(struct lane *lane, const struct machine *machine,
		     unsigned number, bool placed);
/* Whether two lanes leave the same behind. */
bool lane_same(const struct lane *a, const struct lane *b);

#endif
