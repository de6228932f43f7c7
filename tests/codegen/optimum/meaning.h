/* What the groups of a clause compute, as numbers that stand for expressions.
 */
#ifndef M2S_TESTS_CODEGEN_OPTIMUM_MEANING_H
#define M2S_TESTS_CODEGEN_OPTIMUM_MEANING_H

#include <stdint.h>

#include "evergreen/isa/inst.h"

/* Two values are equal when, but for a chance of 2^-64, they were computed in
 * the same way from the same registers. A copy is what it copies. */
struct meaning {
	uint64_t registers[EVG_REGISTERS][4];
	uint64_t memory; /* local: all writes, in order */
	uint64_t lanes;  /* that stay active */
};

void meaning_of(struct meaning *meaning, const struct evg_alu_group *groups,
		unsigned count);

#endif
