/* The listing of a block that was measured: for each instruction its ports and
 * cycles, and for the whole what limits it, in words. */
#ifndef M2S_X86_TIMING_BLOCKS_LISTING_H
#define M2S_X86_TIMING_BLOCKS_LISTING_H

#include <stdio.h>

#include "x86/timing/blocks/blocks.h"

struct block_listing;

/* *block and *time, the block's measurement, stay the caller's and must outlive
 * the listing. The block is then measured once more, with
 * block_listing_retired() as its observer. */
struct block_listing *block_listing_create(const struct x86_block *block,
					   const struct x86_block_time *time);
void block_listing_free(struct block_listing *listing);
/* For x86_throughput_observe(), with the listing as the owner. */
void block_listing_retired(void *owner, const struct x86_core_retired *what);

/* Writes the listing: what limits the block, a line for each instruction, ports.
 * Columns:
 *	cycles  between the retirement of the instruction before and its own,
 *	        on average: their sum is the block's
 *	waits   from the renamer until its last uop goes to a port
 *	takes   from there until its last result
 *	chain   cycles of the chain of dependent instructions that are its own
 *	ports   its uops at each port in one execution */
void block_listing_write(struct block_listing *listing, FILE *stream);

#endif
