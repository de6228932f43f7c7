/* The ring that receives the records of observed instructions. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/observe/observation.h"
#include "x86/emu/operand.h"

struct x86_ring *x86_ring_create(uint32_t records)
{
	struct x86_ring *ring = xcalloc(1, sizeof *ring);

	ring->mask = records - 1;
	ring->record = xcalloc(records, sizeof *ring->record);
	/* Most instructions touch memory once at most. */
	ring->reference_size = 2 * records + 4 * X86_REFERENCES_MAX;
	ring->reference = xcalloc(ring->reference_size,
				  sizeof *ring->reference);
	return ring;
}

struct x86_ring *x86_ring_create_stretches(uint32_t stretches)
{
	struct x86_ring *ring = xcalloc(1, sizeof *ring);

	ring->mask = stretches - 1;
	ring->stretch = xcalloc(stretches, sizeof *ring->stretch);
	/* As many as there can be. Few pages of it are ever touched. */
	ring->mark = xcalloc((size_t)stretches * X86_BLOCK_INSTRUCTIONS,
			     sizeof *ring->mark);
	ring->reference_size = X86_BLOCK_INSTRUCTIONS * X86_REFERENCES_MAX +
			       4 * stretches;
	ring->reference = xcalloc(ring->reference_size,
				  sizeof *ring->reference);
	return ring;
}

void x86_ring_free(struct x86_ring *ring)
{
	if (!ring)
		return;
	for (unsigned i = 0; i < ring->holds; i++)
		x86_generation_release(ring->hold[i].generation);
	x86_generation_release(ring->generation);
	free(ring->record);
	free(ring->stretch);
	free(ring->mark);
	free(ring->reference);
	free(ring);
}

bool x86_ring_window(struct x86_ring *ring)
{
	uint32_t size = ring->reference_size;
	uint32_t head = ring->reference_head, oldest, end;

	if (ring->head - ring->tail > ring->mask)
		return false;
	if (ring->tail == ring->head) {
		ring->reference_head = 0;
		ring->reference_end = size;
		ring->marks = 0;
		return true;
	}
	if (ring->stretch)
		return ring->reference_end - head >= X86_REFERENCES_MAX;
	oldest = ring->record[ring->tail & ring->mask].first;
	/* One place stays free, to tell full from empty. */
	end = head >= oldest ? size : oldest - 1;
	if (end - head < X86_REFERENCES_MAX && head >= oldest && oldest) {
		head = 0;
		end = oldest - 1;
	}
	if (end - head < X86_REFERENCES_MAX)
		return false;
	ring->reference_head = head;
	ring->reference_end = end;
	return true;
}

bool x86_ring_room(struct x86_ring *ring)
{
	return x86_ring_window(ring);
}

void x86_ring_rewind(struct x86_ring *ring, uint64_t head)
{
	if (head >= ring->head)
		return;
	ring->reference_head = ring->record[head & ring->mask].first;
	/* The room behind it is found anew. */
	ring->reference_end = ring->reference_head;
	ring->head = head;
}

/* Frees the records that the consumer has read. */
static void let_go(struct x86_ring *ring)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < ring->holds; i++)
		if (ring->hold[i].until <= ring->tail)
			x86_generation_release(ring->hold[i].generation);
		else
			ring->hold[kept++] = ring->hold[i];
	ring->holds = kept;
}

bool x86_ring_bind(struct x86_ring *ring, struct x86_generation *generation)
{
	if (ring->generation == generation)
		return true;
	let_go(ring);
	if (ring->generation) {
		if (ring->holds == sizeof ring->hold / sizeof ring->hold[0])
			return false;
		ring->hold[ring->holds++] = (struct x86_ring_hold){
			ring->generation, ring->head,
		};
	}
	ring->generation = generation;
	generation->holds++;
	return true;
}

void x86_refer_to(struct x86_cpu *cpu, const struct x86_inst *inst,
		  const struct x86_access *list, size_t count, uint64_t done)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t size = list[i].size, address = list[i].address;
		bool repeated = inst->traits & X86_REPEATED;

		if (repeated && cpu->eflags & X86_DF)
			address -= (done - 1) * size;
		x86_refer(cpu, address, repeated ? (uint32_t)done : 1, size,
			  (list[i].read ? X86_LOAD : 0) |
				  (list[i].write ? X86_STORE : 0));
	}
}

/* ---- Outlines ---- */

/* Whether an instruction can be one of several in a stretch: nothing about it
 * has to be looked at but how its handler comes back. */
static bool is_plain(const struct x86_inst *inst)
{
	enum {
		OTHERS = X86_SYSTEM_CALL | X86_LOCKED | X86_FENCE |
			 X86_READS_TIME | X86_SERIALIZING | X86_REPEATED |
			 X86_UNKNOWN | X86_MARKED | X86_RANDOM,
	};

	/* A gather can be done in part. */
	return !(inst->traits & OTHERS) && !inst->memory[0].vector;
}

struct x86_outline *x86_outline_make(struct x86_block *block)
{
	unsigned count = block->instructions;
	struct x86_outline *outline = x86_block_allocate(
		block->generation->memory,
		sizeof *outline + count * sizeof outline->part[0]);

	*outline = (struct x86_outline){
		.inst = block->inst,
		.instructions = (uint8_t)count,
		.branch = block->inst[count - 1].branch,
	};
	for (unsigned i = count; i-- > 0;) {
		const struct x86_inst *inst = &block->inst[i];
		struct x86_outline_part *part = &outline->part[i];
		uint8_t floating = inst->traits & X86_FLOATING
					   ? (uint8_t)x86_floating_of(inst)
					   : X86_FLOATING_NONE;

		part->end = (uint16_t)(inst->address + inst->length -
				       block->rip);
		part->op = inst->op->position;
		part->plain = 0;
		if (is_plain(inst))
			part->plain = (uint8_t)(1 + (i + 1 < count
							     ? part[1].plain
							     : 0));
		if (part->plain && floating > outline->floating)
			outline->floating = floating;
		/* A prefetch touches nothing, but refers. */
		if (inst->traits & X86_TOUCHES ||
		    inst->class == X86_CLASS_NOTHING)
			outline->touches |= UINT64_C(1) << i;
	}
	block->outline = outline;
	return outline;
}

void *x86_outline_allocate(const struct x86_outline *outline, size_t size)
{
	return x86_block_allocate(
		x86_inst_block(outline->inst)->generation->memory, size);
}

/* ---- Appending ---- */

void x86_append_alone(struct observation *o, const struct x86_inst *inst,
		      const struct x86_reference *end, bool taken,
		      bool unfinished)
{
	const struct x86_outline *outline = x86_outline_of(x86_inst_block(inst));

	o->ring->mark[o->ring->marks] = end;
	x86_append_stretch(o, outline, (size_t)(inst - outline->inst), 1, taken,
	       unfinished);
}
