#include "x86/timing/blocks/tlb.h"

#include <string.h>

#include "memsys/space/space.h"

void block_tlb_init(struct block_tlb *tlb, unsigned entries, unsigned ways,
		    unsigned second)
{
	if (ways > entries)
		ways = entries;
	*tlb = (struct block_tlb){ .sets = entries / ways, .ways = ways,
				   .second = second };
}

void block_tlb_clear(struct block_tlb *tlb)
{
	memset(tlb->page, 0, sizeof tlb->page);
}

static bool touch(struct block_tlb *tlb, uint64_t page)
{
	uint64_t *set = &tlb->page[page % tlb->sets * tlb->ways];
	unsigned way = 0;
	bool hit;

	while (way < tlb->ways - 1 && set[way] != page + 1)
		way++;
	hit = set[way] == page + 1;
	memmove(set + 1, set, way * sizeof *set);
	set[0] = page + 1;
	return hit;
}

unsigned block_tlb_access(void *owner, uint64_t address, unsigned size,
			  bool store, uint64_t cycle)
{
	struct block_tlb *tlb = owner;
	uint64_t first = address / SPACE_PAGE;
	uint64_t last = (address + size - 1) / SPACE_PAGE;
	unsigned cycles = 0;

	(void)cycle;
	for (uint64_t page = first; page <= last && page <= first + 1; page++)
		if (!touch(tlb, page) && !store)
			cycles = tlb->second;
	/* A store was translated when its address was known. */
	return cycles;
}
