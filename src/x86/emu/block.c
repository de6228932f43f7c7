#include "x86/emu/block.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "x86/emu/branch-log.h"

/* ---- Jump entries that lead nowhere ---- */

/* The key of an unused entry. In the table of jumps this address leads to an op
 * that asks for a search. Elsewhere no block has this address. */
#define NO_RIP UINT64_MAX
#define JUMPS_SIZE (sizeof(struct x86_jump_entry) << X86_JUMP_BITS)

X86_OP(empty_jump)
{
	(void)op;
	cpu->rip = NO_RIP;
	cpu->op = NULL;
	return X86_LEAVE_LOOKUP;
}

static const struct x86_op empty_jump = { .handler = x86_op_empty_jump };

static void clear_jump(struct x86_jump_entry *entry)
{
	*entry = (struct x86_jump_entry){ ~NO_RIP, &empty_jump };
}

static void forget_jump(struct x86_emulator *emulator,
			const struct x86_block *block)
{
	struct x86_jump_entry *entry =
		&emulator->jumps[x86_jump_hash(block->rip)];

	if (entry->op == block->op)
		clear_jump(entry);
}

static void forget_jumps(struct x86_emulator *emulator)
{
	memset(emulator->jumps, 0, JUMPS_SIZE);
	clear_jump(&emulator->jumps[x86_jump_hash(NO_RIP)]);
}

void x86_blocks_init(struct x86_emulator *emulator)
{
	/* Mapped, so that a short process has only the pages that it needs. */
	emulator->jumps = mmap(NULL, JUMPS_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (emulator->jumps == MAP_FAILED) {
		emulator->jumps = NULL;
		xmalloc(SIZE_MAX); /* says so and ends the process */
	}
	clear_jump(&emulator->jumps[x86_jump_hash(NO_RIP)]);
	emulator->block_memory = x86_block_memory_create();
	emulator->step_memory = x86_block_memory_create();
	emulator->blocks.buckets = 1 << 10;
	emulator->blocks.bucket = xcalloc(emulator->blocks.buckets,
					  sizeof *emulator->blocks.bucket);
	emulator->observed_max = X86_BLOCK_MEMORY_MAX;
	emulator->page_buckets = 1 << 6;
	emulator->pages = xcalloc(emulator->page_buckets,
				  sizeof *emulator->pages);
}

/* ---- Blocks to be observed ---- */

void x86_generation_release(struct x86_generation *generation)
{
	if (!generation || --generation->holds)
		return;
	x86_block_memory_free(generation->memory);
	free(generation);
}

void x86_generation_end(struct x86_emulator *emulator)
{
	x86_generation_release(emulator->generation);
	emulator->generation = NULL;
	emulator->epoch++;
}

/* Marks held descriptions of the blocks as stale. */
static void forget_observed(struct x86_emulator *emulator)
{
	struct x86_block_table *table = &emulator->observed;

	if (!emulator->generation)
		return;
	for (size_t i = 0; i < table->buckets; i++) {
		for (struct x86_block *block = table->bucket[i]; block;
		     block = block->hash_next)
			block->dropped = true;
		table->bucket[i] = NULL;
	}
	table->count = 0;
	memset(emulator->recent, 0, X86_RECENT * sizeof *emulator->recent);
	x86_generation_end(emulator);
}

/* Settles the log, which points to ops of blocks. */
static void settle_log(struct x86_emulator *emulator)
{
	if (emulator->log)
		emulator->log->settle(emulator->log);
}

void x86_blocks_free(struct x86_emulator *emulator)
{
	settle_log(emulator);
	for (size_t i = 0; i < emulator->page_buckets; i++)
		for (struct x86_page *page = emulator->pages[i], *next; page;
		     page = next) {
			next = page->hash_next;
			free(page);
		}
	forget_observed(emulator);
	free(emulator->observed.bucket);
	free(emulator->recent);
	free(emulator->shared);
	x86_block_memory_free(emulator->block_memory);
	x86_block_memory_free(emulator->step_memory);
	munmap(emulator->jumps, JUMPS_SIZE);
	free(emulator->blocks.bucket);
	free(emulator->pages);
}

bool x86_blocks_full(const struct x86_emulator *emulator)
{
	const struct x86_generation *generation = emulator->generation;

	return x86_block_memory_used(emulator->block_memory) >=
		       X86_BLOCK_MEMORY_MAX ||
	       (generation && x86_block_memory_used(generation->memory) >=
				      emulator->observed_max);
}

void x86_blocks_drop_all(struct x86_emulator *emulator)
{
	settle_log(emulator);
	emulator->counts.invalidations += emulator->blocks.count +
					  emulator->observed.count;
	for (size_t i = 0; i < emulator->page_buckets; i++)
		for (struct x86_page *page = emulator->pages[i]; page;
		     page = page->hash_next)
			page->blocks = NULL;
	memset(emulator->blocks.bucket, 0,
	       emulator->blocks.buckets * sizeof *emulator->blocks.bucket);
	emulator->blocks.count = 0;
	forget_observed(emulator);
	forget_jumps(emulator);
	x86_block_memory_clear(emulator->block_memory);
}

/* ---- By address ---- */

static size_t hash(uint64_t key, size_t buckets)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (buckets - 1);
}

static struct x86_block *find(const struct x86_block_table *table,
			      uint64_t rip)
{
	struct x86_block *block = table->bucket[hash(rip, table->buckets)];

	while (block && block->rip != rip)
		block = block->hash_next;
	return block;
}

struct x86_block *x86_block_find(struct x86_emulator *emulator, uint64_t rip)
{
	return find(&emulator->blocks, rip);
}

struct x86_block *x86_block_find_observed(struct x86_emulator *emulator,
					  uint64_t rip)
{
	return emulator->observed.bucket ? find(&emulator->observed, rip)
					 : NULL;
}

/* The bucket of a block. */
static struct x86_block_table *table_of(struct x86_emulator *emulator,
					const struct x86_block *block)
{
	return block->inst ? &emulator->observed : &emulator->blocks;
}

static void grow_blocks(struct x86_block_table *table)
{
	size_t size = table->buckets ? 4 * table->buckets : 1 << 10;
	struct x86_block **bucket = xcalloc(size, sizeof *bucket);

	for (size_t i = 0; i < table->buckets; i++)
		for (struct x86_block *block = table->bucket[i], *next; block;
		     block = next) {
			size_t at = hash(block->rip, size);

			next = block->hash_next;
			block->hash_next = bucket[at];
			bucket[at] = block;
		}
	free(table->bucket);
	table->bucket = bucket;
	table->buckets = size;
}

/* ---- By page ---- */

static struct x86_page *page_find(struct x86_emulator *emulator,
				  uint64_t number)
{
	struct x86_page *page =
		emulator->pages[hash(number, emulator->page_buckets)];

	while (page && page->number != number)
		page = page->hash_next;
	return page;
}

static void grow_pages(struct x86_emulator *emulator)
{
	size_t size = 4 * emulator->page_buckets;
	struct x86_page **table = xcalloc(size, sizeof *table);

	for (size_t i = 0; i < emulator->page_buckets; i++)
		for (struct x86_page *page = emulator->pages[i], *next; page;
		     page = next) {
			size_t at = hash(page->number, size);

			next = page->hash_next;
			page->hash_next = table[at];
			table[at] = page;
		}
	free(emulator->pages);
	emulator->pages = table;
	emulator->page_buckets = size;
}

struct x86_page *x86_page_get(struct x86_emulator *emulator, uint64_t address)
{
	uint64_t number = address / SPACE_PAGE;
	struct x86_page *page = page_find(emulator, number), **bucket;

	if (page)
		return page;
	if (emulator->page_count++ >= 2 * emulator->page_buckets)
		grow_pages(emulator);
	page = xcalloc(1, sizeof *page);
	page->number = number;
	bucket = &emulator->pages[hash(number, emulator->page_buckets)];
	page->hash_next = *bucket;
	*bucket = page;
	return page;
}

void x86_block_insert(struct x86_emulator *emulator, struct x86_block *block)
{
	struct x86_block_table *table = table_of(emulator, block);
	struct x86_block **bucket;

	if (table->count++ >= 2 * table->buckets)
		grow_blocks(table);
	bucket = &table->bucket[hash(block->rip, table->buckets)];
	block->hash_next = *bucket;
	*bucket = block;
	for (unsigned i = 0; i < block->pages; i++) {
		struct x86_page *page = x86_page_get(
			emulator, block->rip + (i ? block->bytes - 1 : 0));

		block->page[i] = page;
		block->page_next[i] = page->blocks;
		page->blocks = block;
	}
	emulator->counts.blocks++;
	emulator->counts.instructions += block->instructions;
}

static bool code_in_page(struct x86_emulator *emulator, uint64_t start,
			 uint64_t end)
{
	struct x86_page *page = page_find(emulator, start / SPACE_PAGE);
	struct x86_block *block = page ? page->blocks : NULL;

	while (block && (block->rip >= end ||
			 block->rip + block->bytes <= start))
		block = block->page_next[block->page[0] != page];
	return block;
}

/* Likewise for shared memory that is also mapped elsewhere. */
static bool code_of_file(struct x86_emulator *emulator, uint64_t start,
			 uint64_t end)
{
	const struct space_region *region =
		space_region_at(emulator->space, start);
	uint64_t offset;

	if (!emulator->shared_count || !region || !region->shared)
		return false;
	offset = region->offset + (start - region->start);
	for (size_t i = 0; i < emulator->shared_count; i++) {
		const struct x86_shared_page *page = &emulator->shared[i];
		uint64_t there = page->address + offset - page->offset;

		if (page->device == region->device &&
		    page->inode == region->inode &&
		    offset - page->offset < SPACE_PAGE &&
		    code_in_page(emulator, there, there + (end - start)))
			return true;
	}
	return false;
}

bool x86_code_in(struct x86_emulator *emulator, uint64_t address, size_t size)
{
	for (uint64_t end = address + size, stop; address < end;
	     address = stop) {
		stop = (address / SPACE_PAGE + 1) * SPACE_PAGE;
		stop = stop < end ? stop : end;
		if (code_in_page(emulator, address, stop) ||
		    code_of_file(emulator, address, stop))
			return true;
	}
	return false;
}

/* The index of the page among the block's pages (0 or 1). */
static unsigned page_side(const struct x86_block *block,
			  const struct x86_page *page)
{
	return block->page[0] != page;
}

static void page_remove(struct x86_page *page, struct x86_block *block)
{
	struct x86_block **at = &page->blocks;

	while (*at != block)
		at = &(*at)->page_next[page_side(*at, page)];
	*at = block->page_next[page_side(block, page)];
}

/* ---- Links ---- */

void x86_block_link(struct x86_block *from, const struct x86_op **slot,
		    struct x86_block *to)
{
	const struct x86_exit *exit =
		(const void *)(from->op + from->op_count - 1);
	struct x86_link *link = &from->outgoing[slot != exit->target];

	if (link->slot)
		return;
	*slot = to->op;
	link->slot = slot;
	link->next = to->incoming;
	link->previous = &to->incoming;
	if (link->next)
		link->next->previous = &link->next;
	to->incoming = link;
}

static void unlink_exit(struct x86_link *link)
{
	if (!link->slot)
		return;
	*link->slot = NULL;
	link->slot = NULL;
	*link->previous = link->next;
	if (link->next)
		link->next->previous = link->previous;
}

/* ---- Dropping ---- */

void x86_block_drop(struct x86_emulator *emulator, struct x86_block *block)
{
	struct x86_block_table *table = table_of(emulator, block);
	struct x86_block **at =
		&table->bucket[hash(block->rip, table->buckets)];

	while (*at != block)
		at = &(*at)->hash_next;
	*at = block->hash_next;
	table->count--;
	block->dropped = true;
	forget_jump(emulator, block);
	for (unsigned i = 0; i < block->pages; i++)
		page_remove(block->page[i], block);
	while (block->incoming)
		unlink_exit(block->incoming);
	unlink_exit(&block->outgoing[0]);
	unlink_exit(&block->outgoing[1]);
	emulator->counts.invalidations++;
}

static void page_drop(struct x86_emulator *emulator, struct x86_page *page)
{
	while (page->blocks)
		x86_block_drop(emulator, page->blocks);
}

void x86_blocks_drop_range(void *owner, uint64_t start, uint64_t end)
{
	struct x86_emulator *emulator = owner;
	uint64_t first = start / SPACE_PAGE;
	uint64_t last = (end - 1) / SPACE_PAGE;

	if (last - first < emulator->page_count) {
		for (uint64_t number = first; number <= last; number++) {
			struct x86_page *page = page_find(emulator, number);

			if (page)
				page_drop(emulator, page);
		}
		return;
	}
	for (size_t i = 0; i < emulator->page_buckets; i++)
		for (struct x86_page *page = emulator->pages[i]; page;
		     page = page->hash_next)
			if (page->number >= first && page->number <= last)
				page_drop(emulator, page);
}

/* ---- Changes of code ---- */

bool x86_code_unwatched(struct x86_emulator *emulator, uint64_t address)
{
	const struct space_region *region =
		space_region_at(emulator->space, address);

	/* Shared memory may be written through another mapping. */
	return x86_page_get(emulator, address)->writes >= X86_PAGE_WRITES ||
	       (region && region->shared);
}

void x86_watch_code(struct x86_emulator *emulator,
		    const struct x86_block *block)
{
	for (unsigned i = 0; i < block->pages; i++)
		if (block->page[i]->writes < X86_PAGE_WRITES)
			space_watch(emulator->space,
				    block->page[i]->number * SPACE_PAGE);
}
