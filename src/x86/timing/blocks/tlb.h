/* The data TLB of blocks, for a block that touches one page after another.
 * Every page is in the second level, as on the measured machines, where an
 * earlier run had touched all pages. Internal to x86/timing/blocks. */
#ifndef M2S_X86_TIMING_BLOCKS_TLB_H
#define M2S_X86_TIMING_BLOCKS_TLB_H

#include <stdbool.h>
#include <stdint.h>

struct block_tlb {
	uint64_t page[1024]; /* pages + 1, by set, the most recent first */
	unsigned sets, ways, second;
};

/* `entries` at most 1024; `second`: cycles that a miss costs. */
void block_tlb_init(struct block_tlb *tlb, unsigned entries, unsigned ways,
		    unsigned second);
void block_tlb_clear(struct block_tlb *tlb);

/* For x86_core_memory: returns the cycles of a miss, else 0. */
unsigned block_tlb_access(void *owner, uint64_t address, unsigned size,
			  bool store, uint64_t cycle);

#endif
