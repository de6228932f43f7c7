/* Global memory: one host reservation and the blocks in it. */
#include "evergreen/emu/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "evergreen/emu/memory/blocks.h"

enum {
	HOST_PAGE = 4096,
	/* Vector loads may look beyond the last byte that they need; and reads
	 * outside of every block find zeros here. */
	HOST_GUARD = 2 * HOST_PAGE,
	/* From this size on pages are given back for zeros: a huge page of the
	 * host. To get back smaller ones costs more than to write zeros. */
	CLEAR_BY_PAGES = 2 << 20,
};

struct evg_memory {
	uint8_t *base;
	uint64_t size;
	struct block_tree blocks;
	uint64_t generation;
};

struct evg_memory *evg_memory_create(uint64_t size, struct error *error)
{
	const uint64_t limit = UINT64_C(0x100000000) - 0x10000;
	struct evg_memory *memory;
	void *base;

	if (size <= EVG_MEMORY_FIRST || size > limit) {
		error_set(error,
			  "global memory of %" PRIu64
			  " bytes: must be more than %d and at most %" PRIu64,
			  size, EVG_MEMORY_FIRST, limit);
		return NULL;
	}
	base = mmap(NULL, size + HOST_GUARD, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED) {
		error_set(error,
			  "cannot reserve %" PRIu64
			  " bytes of host address space for global memory",
			  size);
		return NULL;
	}
	/* Scattered accesses miss the host's translation buffer less; nothing
	 * depends on it. */
	madvise(base, size, MADV_HUGEPAGE);
	memory = xcalloc(1, sizeof *memory);
	memory->base = base;
	memory->size = size;
	memory->generation = 1;
	return memory;
}

void evg_memory_free(struct evg_memory *memory)
{
	if (!memory)
		return;
	blocks_free(&memory->blocks);
	munmap(memory->base, memory->size + HOST_GUARD);
	free(memory);
}

uint64_t evg_memory_size(const struct evg_memory *memory)
{
	return memory->size;
}

uint8_t *evg_memory_base(struct evg_memory *memory)
{
	return memory->base;
}

uint64_t evg_memory_generation(const struct evg_memory *memory)
{
	return memory->generation;
}

uint32_t evg_memory_allocate(struct evg_memory *memory, uint32_t size,
			     bool read_only, const char *name)
{
	return evg_memory_allocate_aligned(memory, size, EVG_MEMORY_ALIGNMENT,
					   read_only, name);
}

uint32_t evg_memory_allocate_aligned(struct evg_memory *memory, uint32_t size,
				     uint32_t alignment, bool read_only,
				     const char *name)
{
	uint64_t bytes = size ? size : 1;
	uint32_t start = blocks_place(&memory->blocks, bytes, alignment,
				      memory->size);
	struct block *block;

	if (!start)
		return 0;
	block = xcalloc(1, sizeof *block);
	block->start = start;
	block->size = (uint32_t)bytes;
	block->read_only = read_only;
	block->name = xstrdup(name ? name : "buffer");
	blocks_insert(&memory->blocks, block);
	memory->generation++;
	return start;
}

/* Zero again, host pages that it had for itself given back. */
static void clear_range(struct evg_memory *memory, uint32_t start,
			uint32_t size)
{
	uint64_t end = (uint64_t)start + size;
	uint64_t first = (start + HOST_PAGE - 1ull) / HOST_PAGE * HOST_PAGE;
	uint64_t last = end / HOST_PAGE * HOST_PAGE;

	if (first >= last) {
		memset(memory->base + start, 0, size);
		return;
	}
	memset(memory->base + start, 0, first - start);
	memset(memory->base + last, 0, end - last);
	if (madvise(memory->base + first, last - first, MADV_DONTNEED))
		memset(memory->base + first, 0, last - first);
}

void evg_memory_clear(struct evg_memory *memory, uint32_t address,
		      uint32_t size)
{
	if (size < CLEAR_BY_PAGES)
		memset(memory->base + address, 0, size);
	else
		clear_range(memory, address, size);
}

void evg_memory_release(struct evg_memory *memory, uint32_t address)
{
	struct block *block = blocks_below(&memory->blocks, address);

	if (!block || block->start != address)
		return;
	clear_range(memory, block->start, block->size);
	blocks_remove(&memory->blocks, block);
	free(block->name);
	free(block);
	memory->generation++;
}

static const struct block *block_around(const struct evg_memory *memory,
					uint32_t address, uint32_t bytes)
{
	const struct block *block = blocks_below(&memory->blocks, address);

	if (!block || (uint64_t)address + bytes >
			      (uint64_t)block->start + block->size)
		return NULL;
	return block;
}

void *evg_memory_host(struct evg_memory *memory, uint32_t address,
		      uint32_t size)
{
	if (!block_around(memory, address, size))
		return NULL;
	return memory->base + address;
}

bool evg_memory_find(struct evg_memory *memory, uint32_t address,
		     uint32_t bytes, bool write, struct evg_window *window)
{
	const struct block *block = block_around(memory, address, bytes);

	if (!block || (write && block->read_only))
		return false;
	window->start = block->start;
	window->last = block->start + block->size - 1;
	return true;
}

static uint64_t distance(const struct block *block, uint32_t address)
{
	uint64_t end = (uint64_t)block->start + block->size;

	if (address < block->start)
		return block->start - address;
	return address < end ? 0 : address - end + 1;
}

static const struct block *nearest_block(const struct evg_memory *memory,
					 uint32_t address)
{
	const struct block *below = blocks_below(&memory->blocks, address);
	const struct block *above = blocks_above(&memory->blocks, address);

	if (!below || !above)
		return below ? below : above;
	return distance(above, address) < distance(below, address) ? above
								   : below;
}

bool evg_memory_nearest(const struct evg_memory *memory, uint32_t address,
			uint32_t *start, uint64_t *end)
{
	const struct block *block = nearest_block(memory, address);

	if (!block)
		return false;
	*start = block->start;
	*end = (uint64_t)block->start + block->size;
	return true;
}

void evg_memory_describe(const struct evg_memory *memory, uint32_t address,
			 char *text, size_t size)
{
	const struct block *block = nearest_block(memory, address);
	char place[64] = "it begins in";

	if (!block) {
		snprintf(text, size, "no global memory is allocated");
		return;
	}
	if (address < block->start)
		snprintf(place, sizeof place, "it is %" PRIu64 " bytes before",
			 distance(block, address));
	else if (distance(block, address) == 1)
		snprintf(place, sizeof place, "it is at the end of");
	else if (distance(block, address))
		snprintf(place, sizeof place, "it is %" PRIu64 " bytes behind "
			 "the end of", distance(block, address) - 1);
	snprintf(text, size, "%s '%s' [0x%08" PRIx32 ", 0x%08" PRIx64 ")%s",
		 place, block->name, block->start,
		 (uint64_t)block->start + block->size,
		 block->read_only ? ", which is read-only" : "");
}
