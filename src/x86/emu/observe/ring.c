/* The ring that receives the records of observed instructions. */
#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/observe/observe.h"
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
