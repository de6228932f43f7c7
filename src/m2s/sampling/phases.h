/* Phases of a program: one run finds them (--x86-find-phases), another one simulates
 * an interval of each (--x86-phases). The file between them is text:
 *
 *	m2s-phases 1
 *	length 1000000
 *	instructions 40123456
 *	phase 3000000 17
 *	...
 *
 * The length of intervals and all instructions that were executed; for each phase
 * the first instruction of the interval that stands for it and the number of its
 * intervals, in the order of the former. Behind the phases, a line "interval" with
 * its number and its phase, both from 0 on, for each interval: for the reader. An
 * empty line, or one that begins with #, says nothing. */
#ifndef M2S_M2S_SAMPLING_PHASES_H
#define M2S_M2S_SAMPLING_PHASES_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "m2s/sampling/vectors.h"
#include "stats/stats.h"

struct sampling_phases {
	uint64_t length;
	uint64_t found_in;      /* instructions of the run that found them */
	size_t count;
	struct sampling_phase_row {
		uint64_t start; /* instruction */
		uint64_t intervals;
		double weight;  /* share of all intervals */
		uint64_t measured; /* 1: `cpi` is known */
		double cpi;
	} *row;
	/* Of the run that simulates them. */
	uint64_t instructions, kernel;
};

/* Reads such a file; the caller calls sampling_phases_free(). NULL and *error. */
struct sampling_phases *sampling_phases_read(const char *path,
					     struct error *error);
void sampling_phases_free(struct sampling_phases *phases); /* may be NULL */
/* Finds the phases and writes the file. -1 and *error when there is no complete
 * interval. */
int sampling_phases_find(const struct vectors *vectors, FILE *stream,
			 struct error *error);
/* Figures of a struct sampling_phases (phases.stat.def), as the registry of
 * statistics asks for them. */
double sampling_phases_cpi(void *phases);
double sampling_phases_covered(void *phases);
double sampling_phases_cycles(void *phases);
/* Sections "Phases" and "Phase 0" and so on of the x86 report. */
void sampling_phases_register(struct sampling_phases *phases,
			      struct stats *stats);

#endif
