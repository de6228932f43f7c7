/* Global memory: one host reservation and a sorted list of blocks. */
#include "evergreen/emu/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

enum {
	GAP = EVG_MEMORY_ALIGNMENT,
	HOST_PAGE = 4096,
	/* Vector loads may look beyond the last byte that they need; and reads
	 * outside of every block find zeros here. */
	HOST_GUARD = 2 * HOST_PAGE,
};

struct block {
	uint32_t start;
	uint32_t size;
	bool read_only;
	char *name;
};

struct evg_memory {
	uint8_t *base;
	uint64_t size;
	struct block *blocks; /* by address */
	size_t count, capacity;
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
	for (size_t i = 0; i < memory->count; i++)
		free(memory->blocks[i].name);
	free(memory->blocks);
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

/* End of block i rounded up and its gap added; of block -1, the first usable
 * address. */
static uint64_t free_from(const struct evg_memory *memory, size_t next)
{
	const struct block *block;
	uint64_t end;

	if (next == 0)
		return EVG_MEMORY_FIRST;
	block = &memory->blocks[next - 1];
	end = (uint64_t)block->start + block->size;
	return (end + EVG_MEMORY_ALIGNMENT - 1) / EVG_MEMORY_ALIGNMENT *
		       EVG_MEMORY_ALIGNMENT +
	       GAP;
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
	uint64_t start = 0, end;
	size_t i;

	for (i = 0; i <= memory->count; i++) {
		start = free_from(memory, i) + alignment - 1;
		start -= start % alignment;
		end = i < memory->count ? memory->blocks[i].start - GAP
					: memory->size;
		if (start + bytes <= end)
			break;
	}
	if (i > memory->count)
		return 0;
	ARRAY_GROW(memory->blocks, memory->count, memory->capacity);
	memmove(memory->blocks + i + 1, memory->blocks + i,
		(memory->count - i) * sizeof *memory->blocks);
	memory->blocks[i] = (struct block){
		.start = (uint32_t)start,
		.size = (uint32_t)bytes,
		.read_only = read_only,
		.name = xstrdup(name ? name : "buffer"),
	};
	memory->count++;
	memory->generation++;
	return (uint32_t)start;
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

/* Index of the last block that starts at or below `address`, or -1. */
static ptrdiff_t block_below(const struct evg_memory *memory, uint32_t address)
{
	size_t low = 0, high = memory->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memory->blocks[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return (ptrdiff_t)low - 1;
}

void evg_memory_release(struct evg_memory *memory, uint32_t address)
{
	ptrdiff_t i = block_below(memory, address);
	struct block *block;

	if (i < 0 || memory->blocks[i].start != address)
		return;
	block = &memory->blocks[i];
	clear_range(memory, block->start, block->size);
	free(block->name);
	memory->count--;
	memmove(block, block + 1,
		(memory->count - (size_t)i) * sizeof *memory->blocks);
	memory->generation++;
}

static const struct block *block_around(const struct evg_memory *memory,
					uint32_t address, uint32_t bytes)
{
	ptrdiff_t i = block_below(memory, address);
	const struct block *block;

	if (i < 0)
		return NULL;
	block = &memory->blocks[i];
	if ((uint64_t)address + bytes > (uint64_t)block->start + block->size)
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
	ptrdiff_t i = block_below(memory, address);
	const struct block *block = i >= 0 ? &memory->blocks[i] : NULL;

	if ((size_t)(i + 1) < memory->count &&
	    (!block || distance(&memory->blocks[i + 1], address) <
			       distance(block, address)))
		block = &memory->blocks[i + 1];
	return block;
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
