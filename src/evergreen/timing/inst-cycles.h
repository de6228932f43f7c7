/* Where the cycles of each static instruction go. */
#ifndef M2S_EVERGREEN_TIMING_INST_CYCLES_H
#define M2S_EVERGREEN_TIMING_INST_CYCLES_H

#include "evergreen/timing/compute-unit.h"

/* Begins and ends the counts of a run. */
void inst_cycles_start(struct evg_timing *timing);
void inst_cycles_end(struct evg_timing *timing);
void inst_cycles_free(struct evg_timing *timing);
/* Counts `busy` cycles, from `start` on, in which the instruction of cu->step
 * kept its engine, and the wait of the wavefront since its last instruction. */
void inst_cycles_add(struct compute_unit *cu, struct resident *resident,
		     uint64_t start, uint64_t busy);
static inline void inst_cycles_count(struct compute_unit *cu,
				     struct resident *resident,
				     uint64_t start, uint64_t busy)
{
	if (cu->inst_cycles)
		inst_cycles_add(cu, resident, start, busy);
}

#endif
