#include "evergreen/timing/shared-memory.h"

#include "evergreen/timing/timing.h"

void evg_timing_share(struct evg_timing *timing,
		      const struct evg_shared_memory *shared, size_t count)
{
	timing->shared = shared;
	timing->shared_count = timing->units[0].coherent ? count : 0;
}

/* Few: the buffers of a launch. */
static const struct evg_shared_memory *find(const struct evg_timing *timing,
					    uint32_t address)
{
	for (size_t i = 0; i < timing->shared_count; i++)
		if (address - timing->shared[i].address <
		    timing->shared[i].size)
			return &timing->shared[i];
	return NULL;
}

static uint64_t translate(const struct evg_shared_memory *shared,
			  uint32_t address)
{
	uint64_t at = (uint64_t)(address - shared->address) +
		      shared->offset;

	return shared->pages[at >> EVG_SHARED_PAGE_BITS] +
	       (at & ((1 << EVG_SHARED_PAGE_BITS) - 1));
}

uint32_t shared_part(const struct compute_unit *cu, uint32_t address,
		     uint32_t size)
{
	const struct evg_shared_memory *shared = find(cu->timing, address);
	uint32_t block, left;

	if (!shared)
		return 0;
	block = module_block_size(cu->coherent);
	left = block - (uint32_t)translate(shared, address) % block;
	if (left > size)
		left = size;
	/* The device's last block may be longer than the buffer. */
	if (left > shared->address + shared->size - address)
		left = shared->address + shared->size - address;
	return left;
}

bool shared_start(struct compute_unit *cu, const struct block_access *access,
		  module_done *done)
{
	uint32_t kind = access->kind & ~(uint32_t)ACCESS_SHARED;
	uint64_t address = translate(find(cu->timing, access->address),
				     access->address);

	if (kind == MEMSYS_NC_STORE)
		return module_store_by(cu->coherent,
				       access->instruction->address, address,
				       access->size, access->elements, done,
				       access->instruction);
	/* Nothing lies between the unit and this way that would have to be
	 * passed. */
	if (kind == MEMSYS_UNCACHED_LOAD)
		kind = MEMSYS_LOAD;
	return module_access_by(cu->coherent, (enum memsys_access_kind)kind,
				access->instruction->address, address,
				access->size, done, access->instruction, 0,
				NULL);
}
