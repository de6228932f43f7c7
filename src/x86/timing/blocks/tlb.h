/* The data TLB that blocks see: a block whose addresses move on touches a page
 * after the other. Each has been touched in an earlier run, as on the machines
 * that were measured, and so is in the second level. Internal to
 * x86/timing/blocks. */
#ifndef M2S_X86_TIMING_BLOCKS_TLB_H
#define M2S_X86_TIMING_BLOCKS_TLB_H

#include <stdbool.h>
#include <stdint.h>

struct block_tlb {
	uint64_t page[1024]; /* of each set the most recent first; + 1 */
	unsigned sets, ways, second;
};

/* `entries` at most 1024; `second`: cycles that a miss costs. */
void block_tlb_init(struct block_tlb *tlb, unsigned entries, unsigned ways,
		    unsigned second);
void block_tlb_clear(struct block_tlb *tlb);

/* For x86_core_memory: cycles on top. */
unsigned block_tlb_access(void *owner, uint64_t address, unsigned size,
			  bool store, uint64_t cycle);

#endif
