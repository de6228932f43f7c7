/* Descriptions by address: observed blocks, and their holders. */
#include "x86/emu/inst.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/observe/observe.h"
#include "x86/emu/run.h"

static void start_generation(struct x86_emulator *emulator)
{
	struct x86_generation *generation = xcalloc(1, sizeof *generation);

	generation->memory = x86_block_memory_create();
	generation->holds = 1;
	emulator->generation = generation;
	if (!emulator->recent)
		emulator->recent = xcalloc(X86_RECENT,
					   sizeof *emulator->recent);
}

/* Notes code in a mapping of a file, so that a write to another mapping of the
 * file finds the code. */
static void note_shared(struct x86_emulator *emulator, uint64_t address)
{
	const struct space_region *region =
		space_region_at(emulator->space, address);
	struct x86_shared_page page = { .address = address & -SPACE_PAGE };

	if (!region || !region->shared)
		return;
	page.device = region->device;
	page.inode = region->inode;
	page.offset = region->offset + (page.address - region->start);
	for (size_t i = 0; i < emulator->shared_count; i++)
		if (!memcmp(&emulator->shared[i], &page, sizeof page))
			return;
	ARRAY_GROW(emulator->shared, emulator->shared_count,
		   emulator->shared_capacity);
	emulator->shared[emulator->shared_count++] = page;
}

/* Decodes a block and enters it into the tables. NULL and *fault set when the
 * code cannot be fetched. */
static struct x86_block *decode_at(struct x86_emulator *emulator, uint64_t rip,
				   struct x86_fault *fault)
{
	bool checked = x86_code_unwatched(emulator, rip);
	struct x86_block *block;

	if (x86_blocks_full(emulator))
		x86_blocks_drop_all(emulator);
	if (!emulator->generation)
		start_generation(emulator);
	block = x86_decode_observed(emulator, emulator->generation->memory, rip,
				    checked, fault);
	if (block && block->pages == 2 && !checked &&
	    x86_code_unwatched(emulator, rip + block->bytes - 1))
		block = x86_decode_observed(emulator,
					    emulator->generation->memory, rip,
					    true, fault);
	if (!block)
		return NULL;
	block->generation = emulator->generation;
	x86_block_insert(emulator, block);
	x86_watch_code(emulator, block);
	if (block->code) {
		emulator->compares = true;
		note_shared(emulator, block->rip);
		note_shared(emulator, block->rip + block->bytes - 1);
	}
	return block;
}

/* Whether the code is still what the block was decoded from. */
static bool unchanged(struct x86_emulator *emulator,
		      const struct x86_block *block)
{
	uint8_t code[X86_BLOCK_INSTRUCTIONS * 15];

	return !block->code ||
	       (!space_read(emulator->space, block->rip, code, block->bytes) &&
		!memcmp(code, block->code, block->bytes));
}

struct x86_block *x86_observed_block_at(struct x86_emulator *emulator,
					uint64_t rip, struct x86_fault *fault)
{
	struct x86_block *block = x86_block_find_observed(emulator, rip);

	emulator->counts.lookups++;
	if (block && !unchanged(emulator, block)) {
		x86_block_drop(emulator, block);
		block = NULL;
	}
	if (!block)
		block = decode_at(emulator, rip, fault);
	if (block && !block->code)
		*x86_recent(emulator, rip) = block;
	return block;
}

bool x86_observed_at_hand(const struct x86_cpu *cpu)
{
	const struct x86_block *block =
		x86_block_find_observed(cpu->emulator, cpu->rip);

	return block && unchanged(cpu->emulator, block) &&
	       (!block->code || !x86_stores_held(cpu));
}

const struct x86_inst *x86_inst_at(struct x86_emulator *emulator,
				   uint64_t address)
{
	struct x86_fault fault;
	struct x86_block *block = x86_observed_block_at(emulator, address,
							&fault);

	if (!block)
		return NULL;
	x86_inst_hold(block->inst);
	return block->inst;
}

void x86_inst_hold(const struct x86_inst *inst)
{
	x86_inst_block(inst)->generation->holds++;
}

void x86_inst_release(const struct x86_inst *inst)
{
	x86_generation_release(x86_inst_block(inst)->generation);
}

bool x86_inst_stale(const struct x86_inst *inst)
{
	return x86_inst_block(inst)->dropped;
}
