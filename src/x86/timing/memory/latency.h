/* The time from a load to the next one that needs its data: a chain of loads
 * through a buffer in some order, on a core with its caches and memory. */
#ifndef M2S_X86_TIMING_MEMORY_LATENCY_H
#define M2S_X86_TIMING_MEMORY_LATENCY_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

/* Orders of the words of a buffer, `stride` bytes apart. */
enum x86_latency_order {
	LATENCY_FORWARD,
	LATENCY_BACKWARD,
	LATENCY_PAGE,    /* page after page, inside a page at random */
	LATENCY_RANDOM,  /* at random: one circle through all */
	LATENCY_ORDERS,
};
/* Linear_Forward, Linear_Backward, Page_Random, Random_Full. */
extern const char *const x86_latency_orders[LATENCY_ORDERS];

struct x86_latency {
	const char *core;       /* name of the figures */
	enum x86_latency_order order;
	uint64_t size, stride;  /* bytes */
	/* Shift of all pages: 12 or 21. */
	unsigned page_shift;
	double cycles;          /* the result: of one load */
};

/* Measures on a machine that has been touched through once, or, if that would
 * take more than some 200,000 loads, as often. -1 and *error when the core is
 * not known or sizes make no sense. */
int x86_latency_measure(struct x86_latency *latency, struct error *error);

#endif
