/* How long a basic block takes: run again and again, without end, as the BHive
 * benchmark measures it (ithemal/bhive, timing-harness), on a simulated core.
 *
 * The block is laid out behind itself many times; each of its executions is
 * real. It begins with 0x2324000 in all general registers but rsp and rbp, which
 * point to the middle of that page, and in memory, 0 in vector registers; all
 * pages that it touches are one page. */
#ifndef M2S_X86_TIMING_BLOCKS_BLOCKS_H
#define M2S_X86_TIMING_BLOCKS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "x86/timing/core/core.h"

struct x86_throughput;

enum { X86_BLOCK_BYTES = 4096 - 16 }; /* longer ones are refused */

/* For a core of that name (preset.h). NULL and *error: there is none, or the
 * host lacks what the emulator needs. */
struct x86_throughput *x86_throughput_create(const char *core, struct error *error);
void x86_throughput_free(struct x86_throughput *blocks);

struct x86_block_time {
	double cycles;         /* of one execution */
	unsigned instructions; /* of one execution */
	uint64_t simulated;    /* cycles simulated for that */
	uint64_t executed;     /* instructions simulated */
};

/* Measures one block. -1 and *error, in words, when it cannot be run: it is not
 * whole instructions, faults, jumps away, makes a system call, ... */
int x86_throughput_measure(struct x86_throughput *blocks, const uint8_t *code,
		       size_t size, struct x86_block_time *time,
		       struct error *error);

/* Who hears of each instruction that retires (core.h) while blocks are
 * measured; NULL: nobody. */
void x86_throughput_observe(struct x86_throughput *blocks,
			void (*retired)(void *owner,
					const struct x86_core_retired *what),
			void *owner);

#endif
