/* What code costs in a test's random programs, beside what was recorded: a rule
 * that no longer holds costs something where the results stay right. */
#ifndef M2S_TESTS_CODEGEN_COSTS_H
#define M2S_TESTS_CODEGEN_COSTS_H

#include <stdbool.h>
#include <stddef.h>

struct cost {
	const char *name;
	unsigned long sum; /* over all programs */
};

/* Whether the sums are those of tests/codegen/costs/FILE; if not, prints them.
 * GOLDEN_REBASE=1 writes the file. */
bool costs_are_recorded(const char *file, const struct cost *costs,
			size_t count);

#endif
