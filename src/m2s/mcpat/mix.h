/* What instructions do, for McPAT: kinds of instructions, and registers that they
 * read and write. */
#ifndef M2S_M2S_MCPAT_MIX_H
#define M2S_M2S_MCPAT_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each instruction is a branch, a floating-point instruction (x87, MMX, SSE or
 * AVX, whatever it computes) or an integer one; the others are of these. */
struct mcpat_mix {
	double integer, floating, branches;
	double loads, stores;      /* instructions with such an access */
	double multiplications;    /* and divisions, of integers */
	double calls;
	double integer_reads, integer_writes;   /* registers */
	double floating_reads, floating_writes;
};

/* Adds an instruction, whose code is at `code`, `times` times. False: the bytes
 * are no instruction. */
bool mcpat_mix_add(struct mcpat_mix *mix, bool mode64, const uint8_t *code,
		   size_t size, double times);

#endif
