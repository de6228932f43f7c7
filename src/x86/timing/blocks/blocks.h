/* The time of a basic block on a simulated core.
 *
 * The block runs again and again without end, as the BHive benchmark measures
 * blocks (ithemal/bhive, timing-harness): copies of the block lie one behind
 * another, and each execution is real. At the start, memory and all general
 * registers contain 0x2324000, but rsp and rbp point to the middle of that
 * page, and vector registers are 0. All pages that the block touches are one
 * page. */
#ifndef M2S_X86_TIMING_BLOCKS_BLOCKS_H
#define M2S_X86_TIMING_BLOCKS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/timing/core/core.h"

struct x86_throughput;

/* Longer blocks, with their setup, are refused. */
enum { X86_BLOCK_BYTES = 4096 - 32 };

/* Creates the measurement for a core by name (preset.h). NULL and *error when
 * there is no such core, or when the host lacks instructions that the emulator
 * needs. */
struct x86_throughput *x86_throughput_create(const char *core, struct error *error);
void x86_throughput_free(struct x86_throughput *blocks);

struct x86_block_time {
	double cycles;         /* of one execution */
	/* Cycles that the slots, loads and stores of one execution take at
	 * least. */
	double bound;
	unsigned instructions; /* of one execution */
	/* The numbers of the measured instructions in the core; `until` is not
	 * one of them. Another measurement of the block has the same. */
	uint64_t from, until;
	double slots;          /* of the renamer, that one execution uses */
	unsigned width;        /* slots of the renamer in a cycle */
	/* The share of the renamer's slots that found the queue of uops
	 * empty. */
	double starved;
	uint64_t simulated;    /* cycles simulated for the measurement */
	uint64_t executed;     /* instructions simulated */
};

/* The bytes of a block, and of code that is executed once before. */
struct x86_block {
	const uint8_t *code, *setup;
	size_t size, setup_size;
};

/* Measures one block. -1 and *error when the block cannot be run: it does not
 * consist of whole instructions, faults, jumps away, makes a system call,
 * ... */
int x86_throughput_measure(struct x86_throughput *blocks,
			   const struct x86_block *block,
			   struct x86_block_time *time, struct error *error);

/* Sets the function that is called for each instruction that retires (core.h)
 * while blocks are measured; NULL: none. */
void x86_throughput_observe(struct x86_throughput *blocks,
			void (*retired)(void *owner,
					const struct x86_core_retired *what),
			void *owner);

#endif
