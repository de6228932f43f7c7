/* The guest in which blocks are executed. Internal to x86/timing/blocks. */
#ifndef M2S_X86_TIMING_BLOCKS_MACHINE_H
#define M2S_X86_TIMING_BLOCKS_MACHINE_H

#include "base/error.h"
#include "x86/emu/step.h"

struct block_machine {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	struct x86_ring *ring;
	int page;            /* memory file of the one page */
	uint64_t code, end;  /* the block's */
	unsigned instructions;
	uint64_t mapped[1024];
	unsigned mapped_count;
};

int block_machine_open(struct block_machine *machine, struct error *error);
void block_machine_close(struct block_machine *machine);

/* Loads a block, sets registers and memory to their initial values, and executes
 * the `setup_size` bytes of code at `setup`, which are not recorded. */
int block_machine_load(struct block_machine *machine, const uint8_t *code,
		       size_t size, const uint8_t *setup, size_t setup_size,
		       struct error *error);

/* Executes the block once more, puts its records into the ring and counts its
 * instructions. */
int block_machine_execute(struct block_machine *machine, struct error *error);

#endif
