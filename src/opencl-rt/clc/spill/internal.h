/* Values moved to scratch memory: the declarations that these files share.
 *
 *     spill.c     the rounds for one kernel, and what surrounds them
 *     choice.c    which values are moved
 *     rewrite.c   the variables, stores and fetches that they become */
#ifndef M2S_OPENCL_RT_CLC_SPILL_INTERNAL_H
#define M2S_OPENCL_RT_CLC_SPILL_INTERNAL_H

#include "opencl-rt/clc/ir/live.h"
#include "opencl-rt/clc/ir/rewrite.h"

/* A value that may be moved. */
struct spill_candidate {
	uint32_t at;          /* position of its definition */
	uint64_t cost;        /* accesses, weighted by loops; 0: not known */
	bool moved, useless;  /* all uses are near */
	size_t slot;
};

/* A use, or several close together, that read the value by one access. */
struct spill_fetch {
	uint32_t at, last;
	bool direct; /* no access of its own, because the definition is close */
	LLVMValueRef value;
};

struct spill_use {
	LLVMUseRef use;
	uint32_t at;   /* position before it */
	size_t order;  /* among those of the value */
	size_t fetch;  /* index of its fetch */
};

struct spill_slot {
	uint32_t dwords;
	uint64_t *taken; /* a bit for each position */
	LLVMValueRef variable;
};

struct spill {
	struct live live;
	struct spill_candidate *candidates;
	size_t candidate_count, candidate_capacity, moved_count;
	struct spill_fetch *fetches; /* of one value */
	size_t fetch_count, fetch_capacity;
	struct spill_use *uses; /* likewise, in the order of their places */
	size_t use_count, use_capacity;
	/* For each position: the number of crowded positions before it. */
	uint32_t *crowded;
	bool *hopeless;    /* positions that cannot be relieved */
	struct spill_slot *slots;
	size_t slot_count, slot_capacity;
	uint32_t limit; /* dwords */
};

/* Finds the values that may be moved, and marks those to be moved so that, as
 * far as possible, no position has more than spill->limit live dwords. */
void spill_choose(struct spill *spill);

/* Sets spill->uses and spill->fetches for the value defined at a position. The
 * first fetch is the value's own register. Uses at one place share a fetch, so
 * that the carriers of an operation on doubles keep the same operands. */
void spill_group_uses(struct spill *spill, uint32_t definition);

/* Turns the moved phis into variables. Returns whether there were any, which
 * invalidates the analysis of the kernel. */
bool spill_demote_phis(struct spill *spill, struct rewrite *rewrite);
/* Moves all marked values. None of them may be a phi. */
void spill_rewrite(struct spill *spill, struct rewrite *rewrite);

#endif
