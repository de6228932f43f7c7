/* Machine code: segments of ALU clauses for the host's vector units, and the
 * control flow between them (chain.h).
 *
 * The interpreter runs each operation over a whole row before the next
 * operation. Native code runs all operations of a segment on one host vector
 * before the next vector. So results stay in registers, vectors without an
 * active lane are skipped, and nothing is dispatched. Operations without native
 * code, and those that are not lane by lane, are calls of the interpreter's
 * functions. Both give the same bits. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_NATIVE_H
#define M2S_EVERGREEN_EMU_NATIVE_NATIVE_H

#include "evergreen/emu/chain.h"

/* A plan's machine code. */
struct evg_native_code {
	uint8_t *bytes;       /* one mapping */
	size_t size;
	/* Runs the code of a segment or of a chain. Returns the number of its
	 * exit. */
	void (*run_segment)(struct evg_wavefront *wavefront, const void *code);
	uint32_t (*run_chain)(struct evg_wavefront *wavefront,
			      const void *code);
	struct evg_chain_exit *exits;
	uint32_t exit_count;
	uint32_t region_count; /* loops whose rows stay in registers */
};

/* Compiles the plan's segments unless that has been done. Does nothing where
 * the plan's instruction set is neither AVX2 nor AVX-512, or where the host
 * forbids executable memory. Must not be called while the plan is in use. */
void evg_native_compile(struct evg_plan *plan);
/* The same of groups, for who steps wavefronts. */
void evg_native_compile_steps(struct evg_plan *plan);
void evg_native_free(struct evg_plan *plan);

#endif
