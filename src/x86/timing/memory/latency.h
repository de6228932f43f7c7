/* The time from a load to the next one that needs its data: a chain of loads
 * through a buffer in some order, on a core with its caches and memory. */
#ifndef M2S_X86_TIMING_MEMORY_LATENCY_H
#define M2S_X86_TIMING_MEMORY_LATENCY_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct x86_core_figures;
struct x86_memory_figures;

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
	const char *core;       /* name of the figures and of the uop table */
	/* NULL, or in place of the figures of that name. */
	const struct x86_core_figures *core_figures;
	const struct x86_memory_figures *memory_figures;
	enum x86_latency_order order;
	uint64_t size, stride;  /* bytes */
	/* Shift of all pages: 12 or 21. */
	unsigned page_shift;
	double cycles;          /* the result: of one load */
};

/* Measures on a machine whose caches have seen four turns through the buffer, or
 * three million loads of them. -1 and *error when the core is
 * not known or sizes make no sense. */
int x86_latency_measure(struct x86_latency *latency, struct error *error);

#endif
