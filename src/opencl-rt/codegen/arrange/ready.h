/* Which instructions of a straight stretch may come next. Internal to the code
 * generator.
 *
 * Each instruction knows how many that it waits for are still to come, and each that
 * is taken tells those behind it: going through a stretch takes about as long as it
 * is long. */
#ifndef M2S_OPENCL_RT_CODEGEN_ARRANGE_READY_H
#define M2S_OPENCL_RT_CODEGEN_ARRANGE_READY_H

#include "opencl-rt/codegen/arrange/dependence.h"

/* Numbers of instructions, the lowest first. */
struct lowest {
	unsigned *list;
	unsigned count, capacity;
};

struct ready {
	const struct machine_inst *insts; /* of the stretch */
	unsigned count;
	struct dependences dependences;
	/* Those that wait for instruction n: after[after_start[n]] and so on. */
	unsigned *after_start, *after;
	bool *done;
	unsigned *last;    /* what is taken with it, up to this one */
	unsigned *cover;   /* the first that takes it along */
	unsigned *blocked; /* how often it and what is taken with it still wait */
	/* Ready ones by their kind, and by whether a fetch waits for them (or
	 * they are one). Some may be done by now. */
	struct lowest lowest[MACHINE_IF][2];
	bool *wanted;
	unsigned fetches; /* still to come */
	/* Of the operations still to come that a fetch waits for: how many there
	 * are, the longest chain of such behind each, and how many have which. */
	unsigned wanted_ops, longest;
	unsigned *height, *at_height;
};

/* To be freed with ready_free(). */
void ready_find(struct ready *ready, const struct machine *machine,
		struct dependence_room *room, unsigned first, unsigned count);
void ready_free(struct ready *ready);

/* The lowest one of a kind that is ready, or -1; `only_wanted`: for which a fetch
 * waits. It must be taken then. */
int ready_next(struct ready *ready, enum machine_kind kind, bool only_wanted);
/* Instruction n is done. */
void ready_take(struct ready *ready, unsigned n);

#endif
