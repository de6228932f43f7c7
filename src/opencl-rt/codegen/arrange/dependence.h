/* What must stay behind what in a straight stretch of machine instructions.
 * Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_ARRANGE_DEPENDENCE_H
#define M2S_OPENCL_RT_CODEGEN_ARRANGE_DEPENDENCE_H

#include "opencl-rt/codegen/machine.h"

/* For each instruction those that it waits for: before[start[n]] up to, but
 * not, before[start[n + 1]]. What follows from these by steps may be missing, so
 * that there are about as many as operands. */
struct dependences {
	unsigned *start, *before;
	unsigned count, capacity;
};

/* What the search remembers of each register, for all stretches of a machine: to be
 * freed with free(). */
struct dependence_room *dependence_room(const struct machine *machine);

/* Of insts[first ... first + count - 1]; the numbers count from `first`. To be
 * freed with dependences_free(). */
struct dependences dependences_find(const struct machine *machine,
				    struct dependence_room *room,
				    unsigned first, unsigned count);
void dependences_free(struct dependences *dependences);

#endif
