/* What the files that run a kernel share. */
#ifndef M2S_TESTS_CODEGEN_RANDOM_RUN_H
#define M2S_TESTS_CODEGEN_RANDOM_RUN_H

#include "codegen/random/program.h"

/* Of one work-group. */
struct run {
	const struct kernel *kernel;
	struct memory *memory;
	unsigned group;
	uint64_t returned, continued; /* sets of work-items */
	struct value variables[VARIABLES_MAX][GROUP];
	struct value arrays[VARIABLES_MAX][GROUP][ARRAY];
	struct value shared[SHARED_MAX][GROUP];
};

/* One work-item's value of an expression. */
void evaluate(const struct run *run, const struct node *node, unsigned lane,
	      struct value *result);
/* The low 32 bits of it. */
uint32_t index_of(const struct run *run, const struct node *node, unsigned lane);
/* The first byte of a place in an item's zone. */
uint8_t *zone_place(const struct run *run, struct type type, uint32_t index,
		    bool aligned, unsigned lane);

#endif
