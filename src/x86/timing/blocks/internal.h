/* What a listing knows of its block. Internal to x86/timing/blocks. */
#ifndef M2S_X86_TIMING_BLOCKS_INTERNAL_H
#define M2S_X86_TIMING_BLOCKS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/timing/blocks/blocks.h"

enum { LISTING_PORTS = 16, LISTING_UOPS = 16 };

/* The course of an instruction, once. */
struct listing_course {
	const struct x86_inst *inst;
	/* Cycles: its last uop went to a port; its last result came. */
	uint64_t started, done;
	unsigned uops;         /* at ports */
	uint64_t dispatched[LISTING_UOPS];
};

struct block_listing {
	const struct x86_block *block;
	const struct x86_block_time *time;
	uint64_t retired;      /* the cycle in which the last one retired */
	uint64_t began;        /* that of the last one before the measurement */
	/* Of each instruction of the block, sums over its executions. */
	struct listing_row {
		const struct x86_inst *inst;
		bool fused;
		uint64_t cycles, waits, takes;
		uint64_t chain;
		uint64_t port[LISTING_PORTS];
	} *row;
	/* The last courses, in the order of the program. */
	struct listing_course *course;
	uint64_t courses;
	/* The chain: its cycles, and the cycles that it could have had. */
	uint64_t chained, chain_room;
	double chain_copies;   /* executions of the block that it spans */
};

/* chain.c: finds the chain of dependent instructions that ends with the last one
 * to be done, and fills in `chain` of the rows. */
void listing_find_chain(struct block_listing *listing);

#endif
