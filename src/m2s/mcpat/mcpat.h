/* --x86-mcpat: the input of McPAT 1.3 (HewlettPackard/mcpat), which estimates
 * power and area of processors: the structure of the simulated cores and what
 * they did, as nested <component>s with <param>s and <stat>s. Names and units are
 * those that its XML_Parse.cc reads; it finds components by their order. */
#ifndef M2S_M2S_MCPAT_MCPAT_H
#define M2S_M2S_MCPAT_MCPAT_H

#include <stdint.h>
#include <stdio.h>

#include "m2s/mcpat/mix.h"
#include "x86/timing/core/preset.h"
#include "x86/timing/memory/hierarchy.h"
#include "x86/timing/predict/config.h"

/* Accesses of a cache; of several equal ones, of one on average. */
struct mcpat_cache {
	double reads, read_misses, writes, write_misses;
};

/* What the rows of mcpat.def speak of. Counts are those of one core, on
 * average. */
struct mcpat_values {
	const char *preset;
	unsigned cores, threads;   /* threads: of each core */
	unsigned frequency;        /* MHz */
	unsigned node;             /* nm */
	const struct x86_core_figures *core;
	const struct x86_memory_figures *caches;
	const struct predict_config *predict;
	unsigned ports;            /* of the scheduler */
	double direction_bits;     /* of the predictor of directions */

	double cycles, idle_cycles;
	double instructions;       /* that have retired */
	double fetched;            /* those of wrong paths, too */
	double mispredicted, starts;
	double slots, slots_fetched; /* of the renamer; wrong paths, too */
	double uops;               /* of the scheduler, wrong paths too */
	double translations_missed;
	struct mcpat_mix mix;      /* of those that have retired */
	struct mcpat_cache code, data, second;
	struct mcpat_cache third, memory; /* of all cores */
};

/* The width of transistors, in nm, of the chip that a preset names, or the least
 * that McPAT has. */
unsigned mcpat_node(const char *preset);

void mcpat_write(const struct mcpat_values *values, FILE *stream);

#endif
