/* Scheduling the groups of one ALU clause anew. */
#ifndef M2S_OPENCL_RT_CODEGEN_CLAUSE_H
#define M2S_OPENCL_RT_CODEGEN_CLAUSE_H

#include "opencl-rt/codegen/live.h"

struct codegen_group {
	struct evg_alu_group group;
	uint32_t origin;        /* address of the group that it came from */
	uint32_t relocation[4]; /* of each literal; 0: none */
};

struct codegen_clause {
	const struct codegen_group *groups; /* as they are */
	unsigned count;
	const struct codegen_registers *live; /* read behind the clause */
	unsigned registers;     /* that a work-item has */
	unsigned units;         /* of 64 bits, that it may have */
};

/* What kept a clause as it is, or how short it can at best become. */
struct codegen_result {
	const char *kept;       /* why it was left alone; NULL: it was not */
	unsigned bound;         /* groups that it needs at least; 0: unknown */
	struct codegen_group *groups; /* free with free() */
	unsigned count;
};

/* 64-bit units of groups: instructions and literals. */
unsigned codegen_units(const struct codegen_group *groups, unsigned count);

/* Packs the clause's operations into groups: what belongs together stays
 * together, values that nobody reads behind the clause may move to other
 * registers. The result computes what the clause computed and is not longer. */
struct codegen_result codegen_schedule(const struct codegen_clause *clause);

#endif
