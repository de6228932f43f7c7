/* Page walks: which page-table entries are read, one after the other, and how
 * long that takes.
 *
 * Tables are radix trees of 8-byte entries, one page per table. Nobody has
 * filled them in; where they lie follows from the address alone: the tables of
 * a level one behind the other, in the order of what they map. So neighbours
 * share blocks of page tables as they do in a real tree. */
#include "memsys/tlb/tlb.h"

enum {
	ENTRY_BYTES = 8,
	LEVEL_SHIFT = 40, /* tables of a level lie within so many bytes */
};

uint64_t tlb_table_address(const struct tlb *tlb, uint64_t page,
			   uint32_t level)
{
	unsigned bits = tlb->page_shift - 3; /* log2 of entries per table */
	unsigned shift = tlb->page_shift +
			 bits * (tlb->config.walk_levels - 1 - level);
	uint64_t number = shift < 64 ? page >> shift : 0;

	return tlb->config.page_table + ((uint64_t)level << LEVEL_SHIFT) +
	       (number * ENTRY_BYTES & ((1ull << LEVEL_SHIFT) - 1));
}

static void begin_walk(struct tlb_miss *miss);
static void next_level(void *owner, uint64_t tag);

static void entry_read(void *owner, uint64_t tag)
{
	struct tlb_miss *miss = owner;

	miss->level++;
	next_level(owner, tag);
}

static void end_walk(struct tlb_miss *miss)
{
	struct tlb *tlb = miss->tlb;
	struct tlb_miss *next;

	tlb->count.walk_cycles += (event_queue_now(tlb->events) -
				   miss->walk_since) / tlb->period;
	tlb->walking--;
	miss->walked(miss);
	next = tlb->walk_queue;
	if (!next || tlb->walking == tlb->config.walkers)
		return;
	tlb->walk_queue = next->next_walk;
	if (!tlb->walk_queue)
		tlb->walk_queue_end = &tlb->walk_queue;
	begin_walk(next);
}

static void next_level(void *owner, uint64_t tag)
{
	struct tlb_miss *miss = owner;
	struct tlb *tlb = miss->tlb;
	struct module *module = tlb->walk_module;
	uint32_t size = ENTRY_BYTES;

	(void)tag;
	if (!module || miss->level == tlb->config.walk_levels) {
		end_walk(miss);
		return;
	}
	if (size > module->block_size)
		size = module->block_size;
	if (module_access_physical(module, MEMSYS_LOAD,
				   tlb_table_address(tlb, miss->page,
						     miss->level),
				   size, entry_read, miss, 0))
		tlb->count.walk_accesses++;
	else
		event_schedule(tlb->events, module->period, tlb->source,
			       next_level, miss, 0);
}

static void begin_walk(struct tlb_miss *miss)
{
	struct tlb *tlb = miss->tlb;

	tlb->walking++;
	tlb->count.walks++;
	miss->walk_since = event_queue_now(tlb->events);
	event_schedule(tlb->events, tlb->config.walk_latency * tlb->period,
		       tlb->source, next_level, miss, 0);
}

void tlb_walk(struct tlb_miss *miss, void (*done)(struct tlb_miss *miss))
{
	struct tlb *tlb = miss->tlb;

	miss->walked = done;
	if (tlb->walking < tlb->config.walkers && !tlb->walk_queue) {
		begin_walk(miss);
		return;
	}
	miss->next_walk = NULL;
	*tlb->walk_queue_end = miss;
	tlb->walk_queue_end = &miss->next_walk;
}
