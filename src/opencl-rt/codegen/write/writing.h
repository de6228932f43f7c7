/* Text in the making. Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_WRITE_WRITING_H
#define M2S_OPENCL_RT_CODEGEN_WRITE_WRITING_H

#include <stdio.h>

#include "opencl-rt/codegen/clause.h"
#include "opencl-rt/codegen/machine.h"
#include "opencl-rt/codegen/report/report.h"
#include "opencl-rt/codegen/write/group.h"
#include "opencl-rt/codegen/write/live.h"
#include "opencl-rt/codegen/write/stack.h"

enum {
	/* A branch's test comes to it. */
	CLAUSE_UNITS = EVG_CLAUSE_UNITS - 8,
	CLAUSE_GROUPS = EVG_CLAUSE_UNITS + GROUP_MOST,
};

struct writing {
	const struct machine *machine;
	FILE *out;
	struct codegen_group groups[CLAUSE_GROUPS];
	unsigned count, units, queued;
	unsigned registers;      /* of a work-item */
	unsigned place;          /* the instruction behind the clause */
	struct write_live live;
	unsigned fetches;        /* of the clause; 0: it is none of fetches */
	unsigned label, labels[MACHINE_DEPTH], depth;
	bool is_loop[MACHINE_DEPTH];
	struct write_stack stack;
	const char *why;
	struct report report;
	struct write_lines *lines;
	struct write_line line;  /* of the instruction */
};

/* Adds a line of text, that of a fetch or of a CF instruction without a
 * clause. */
void writing_put(struct writing *writing, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Schedules and writes the ALU clause in the making, if there is one; `name` is
 * its CF instruction. */
void writing_end_clause(struct writing *writing, const char *name);

/* Fetches and stores (memory.c). */
void write_fetch(struct writing *writing, const struct machine_inst *inst);
void write_store(struct writing *writing, const struct machine_inst *inst);

#endif
