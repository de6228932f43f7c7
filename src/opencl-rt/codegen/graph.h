/* The control-flow graph of a function, with the questions that the
 * structurizer asks. */
#ifndef M2S_OPENCL_RT_CODEGEN_GRAPH_H
#define M2S_OPENCL_RT_CODEGEN_GRAPH_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

enum { GRAPH_NONE = -1 };

struct graph {
	unsigned count;
	LLVMBasicBlockRef *blocks; /* the first is the entry */
	int (*next)[2];            /* GRAPH_NONE: none; true first */
	/* All blocks, each behind those before it but for ways back in loops,
	 * and behind all of a loop that it is not in itself; and the place of
	 * each block there, GRAPH_NONE if nothing leads to it. */
	int *order, *place;
	unsigned ordered;          /* blocks that something leads to */
	/* The last block on all ways to a block; the entry's is itself. */
	int *dominator;
	/* The blocks to which there are ways from each, without ways back: from
	 * there one gets out of the loop, sooner or later. */
	struct graph_lists {
		unsigned *start; /* block i's: start[i] up to start[i + 1] */
		int *blocks;
	} ahead;
	bool irreducible;          /* there are loops without one header */
	uint64_t **loop;           /* of each block that is a loop's header:
	                            * the loop's blocks; NULL: of no loop */
	unsigned words;            /* of a set */
};

/* NULL and *why for a terminator that the generator does not know. */
struct graph *graph_make(LLVMValueRef function, const char **why);
void graph_free(struct graph *graph);

static inline bool graph_in(const uint64_t *set, int block)
{
	return set[block / 64] >> block % 64 & 1;
}

/* A part of the graph. Only ways to `end`, or to where there is no next block,
 * leave it. */
struct graph_region {
	const uint64_t *blocks;
	int end;                   /* GRAPH_NONE: none */
};

/* The first block on every way from `block` through the region, or region->end.
 * GRAPH_NONE: only the end of the function. */
int graph_meeting(const struct graph *graph, const struct graph_region *region,
		  int block);
/* The blocks on the ways from `block` to `end`; to be freed. */
uint64_t *graph_reach(const struct graph *graph, int block, int end);
int graph_find(const struct graph *graph, LLVMBasicBlockRef block);

#endif
