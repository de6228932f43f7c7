/* AMD's histogram of bytes on the HD 5870 (M. Romankewicz, "OpenCL Histogram
 * Optimization Illustration", 2010): reading them, and reading and counting them
 * by atomics in local memory. Its slides give the shape: work-groups of 256 with
 * 16 KB of bins, 16 bytes a read. */
#include <stdlib.h>

#include "fidelity/rows.h"

enum { BINS = 256, GROUP = 256, ROUND_BYTES = 16 };

/* Pseudo-random bytes, as of a picture without structure; counts them, too. */
static void fill(uint8_t *bytes, uint32_t count, uint32_t *expected)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < count; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (uint8_t)(state >> 24);
		expected[bytes[i]]++;
	}
}

static void verify(const uint32_t *counts, uint32_t groups,
		   const uint32_t *expected)
{
	for (uint32_t bin = 0; bin < BINS; bin++) {
		uint32_t sum = 0;

		for (uint32_t g = 0; g < groups; g++)
			sum += counts[g * BINS + bin];
		if (sum == expected[bin])
			continue;
		fprintf(stderr, "fidelity: histogram: bin %u has %u, not %u\n",
			bin, sum, expected[bin]);
		exit(1);
	}
}

/* Cycles of so many rounds of 16 bytes a work-item. Two groups fit a unit. That
 * SDK did not use the caches. */
static double histogram_cycles(struct table *table, bool counts,
			       uint32_t rounds)
{
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = program_compile(
	    "histogram.cl", counts ? "--read-path=amd"
				   : "--read-path=amd -DREAD_ONLY");
	uint32_t groups = 2 * device->config.compute_units;
	uint32_t items = groups * GROUP, bytes = items * rounds * ROUND_BYTES;
	uint32_t bins = groups * BINS * 4, expected[BINS] = {0};
	struct launch launch = {
	    .program = program,
	    .global = {items},
	    .local = {GROUP},
	    .arguments = {device_allocate(device, bytes),
			  device_allocate(device, bins), rounds},
	};
	double cycles;

	fill(device_bytes(device, launch.arguments[0], bytes), bytes, expected);
	cycles = (double)device_run(device, &launch);
	if (counts)
		verify(device_bytes(device, launch.arguments[1], bins), groups,
		       expected);
	evg_program_free(program);
	device_free(device);
	return cycles;
}

static double histogram_rate(struct table *table, bool counts)
{
	enum { FEW = 8, MANY = 40 };
	double cycles = histogram_cycles(table, counts, MANY) -
			histogram_cycles(table, counts, FEW);
	double items = 2.0 * table_options(table)->config.compute_units * GROUP;

	return gigabytes(table, items * ROUND_BYTES * (MANY - FEW), cycles);
}

void rows_histogram(struct table *table)
{
	static const char *const names[] = {
	    "histogram of bytes, reading alone",
	    "histogram of bytes, counting in the LDS, too",
	};

	if (table_wants_row(table, names[0]))
		table_row(table, KIND_OUTCOME, names[0], 145, "GB/s", "R", NULL,
			  histogram_rate(table, false));
	if (table_wants_row(table, names[1]))
		table_row(table, KIND_OUTCOME, names[1], 109, "GB/s", "R", NULL,
			  histogram_rate(table, true));
}
