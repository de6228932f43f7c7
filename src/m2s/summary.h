/* The figures at the end of a run, on standard error. */
#ifndef M2S_M2S_SUMMARY_H
#define M2S_M2S_SUMMARY_H

#include <stdio.h>

#include "m2s/gpu.h"

struct summary {
	double real_time;          /* host seconds */
	const char *end;           /* SimEnd */
	uint64_t x86_instructions, contexts;
	picoseconds simulated;
	bool detailed;
	struct gpu_summary gpu;
};

/* Sections [ General ], [ x86 ] and, when a kernel ran, [ Evergreen ]. */
void summary_print(const struct summary *summary, FILE *stream);

#endif
