/* The figures at the end of a run, on standard error. */
#ifndef M2S_REPORT_SUMMARY_H
#define M2S_REPORT_SUMMARY_H

#include <stdio.h>

#include "evergreen/emu/emu.h"
#include "opencl-rt/driver/driver.h"

/* The GPU's part. */
struct gpu_summary {
	double host_seconds;       /* spent in kernels */
	uint64_t ndranges;
	struct evg_stats totals;
	uint64_t cycles;           /* detailed only */
	uint64_t estimated_cycles; /* functional only: estimate.h */
	double frequency;          /* MHz */
	/* Reads of the first-level caches and of those below. */
	uint64_t cache_hits[2], cache_reads[2];
	/* Time and bytes of launches, transfers and copies. */
	uint64_t time[OPENCL_TIME_COUNT], bytes[OPENCL_TIME_COUNT]; /* ps */
	uint64_t divergence[EVG_WAVEFRONT_SIZE + 1];
};

/* Detailed simulation of x86 cores, all cores together. */
struct x86_summary {
	const char *core;       /* its name */
	const char *memory;       /* how memory is simulated */
	unsigned cores;
	uint32_t frequency;     /* MHz */
	uint64_t cycles;        /* from the start to the end */
	uint64_t instructions;  /* retired */
	uint64_t branches, wrong; /* retired; mispredicted ones of these */
	unsigned part_count;
	struct {
		const char *name;
		double share;   /* of all cores' cycles */
	} part[24];
	char *diagnosis;        /* in words; may be NULL; the owner frees it */
};

struct summary {
	double real_time;          /* host seconds */
	const char *end;           /* SimEnd */
	uint64_t x86_instructions, contexts;
	picoseconds simulated;
	bool detailed;
	bool native;               /* the program was not simulated */
	struct gpu_summary gpu;
	const struct x86_summary *x86; /* NULL: functional simulation */
};

/* Sections [ General ], [ x86 ] and, when a kernel ran, [ Evergreen ]. */
void summary_print(const struct summary *summary, FILE *stream);

#endif
