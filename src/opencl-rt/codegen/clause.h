/* Scheduling the groups of one ALU clause anew. */
#ifndef M2S_OPENCL_RT_CODEGEN_CLAUSE_H
#define M2S_OPENCL_RT_CODEGEN_CLAUSE_H

#include "opencl-rt/codegen/registers.h"

struct codegen_group {
	struct evg_alu_group group;
	const void *line[EVG_SLOT_COUNT]; /* of the source, of each slot */
};

struct codegen_clause {
	const struct codegen_group *groups; /* the present ones */
	unsigned count;
	/* registers that are read behind the clause */
	const struct codegen_registers *live;
	unsigned registers;     /* registers of a work-item */
	unsigned units;         /* 64-bit units that the clause may have */
};

/* The reason why a clause was left alone, or its least length. */
struct codegen_result {
	const char *kept;       /* NULL: it was not left alone */
	unsigned bound;         /* least number of groups; 0: unknown */
	unsigned chain;         /* groups of the longest chain of operations */
	/* Groups of the shortest schedule that was found, also when there were no
	 * more before; 0: there is none. */
	unsigned found;
	struct codegen_group *groups; /* free with free() */
	unsigned count;
};

/* 64-bit units of groups: instructions and literals. */
unsigned codegen_units(const struct codegen_group *groups, unsigned count);

/* Packs the clause's operations into groups. Operations that belong together
 * stay together. Values that nothing reads behind the clause may move to other
 * registers. The result computes the same and is not longer. */
struct codegen_result codegen_schedule(const struct codegen_clause *clause);

#endif
