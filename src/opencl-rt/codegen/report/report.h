/* m2s-clc --schedule-report: how each clause of a kernel is scheduled. */
#ifndef M2S_OPENCL_RT_CODEGEN_REPORT_REPORT_H
#define M2S_OPENCL_RT_CODEGEN_REPORT_REPORT_H

#include "opencl-rt/codegen/clause.h"

struct report {
	bool wanted;
	unsigned clauses, groups, slots, bound;
};

/* A kernel begins: its registers, and how many wavefronts of a SIMD they
 * allow. */
void report_begin(struct report *report, const char *kernel,
		  unsigned registers);
/* An ALU clause: `clause` before, `result` after scheduling. */
void report_clause(struct report *report, const char *name,
		   const struct codegen_clause *clause,
		   const struct codegen_result *result);
void report_end(const struct report *report);

#endif
