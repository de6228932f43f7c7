/* From work-item addresses to block accesses: lanes of one instruction that
 * touch the same block share one access, but each lane's atomic is its own;
 * accesses wait in order for the entry module, a few a cycle. On the
 * CompletePath each dword is an operation of the memory's atomic unit. Lanes
 * that read one address past the caches do not share. */
#include "base/optimize.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/coalesce.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/shared-memory.h"

static void global_visit(void *owner, uint64_t tag);

static void ring_push(struct compute_unit *cu,
		      const struct block_access *access)
{
	if (cu->global.count == cu->global.capacity) {
		size_t old = cu->global.capacity, new = old ? 2 * old : 256;
		struct block_access *ring = xmalloc_aligned(new * sizeof *ring);

		for (size_t i = 0; i < old; i++)
			ring[i] = cu->global.ring[(cu->global.head + i) &
						  (old - 1)];
		free(cu->global.ring);
		cu->global.ring = ring;
		cu->global.head = 0;
		cu->global.capacity = new;
	}
	cu->global.ring[(cu->global.head + cu->global.count++) &
			(cu->global.capacity - 1)] = *access;
}

static struct memory_instruction *instruction_create(struct compute_unit *cu)
{
	struct memory_instruction *instruction = cu->free_instructions;

	if (instruction) {
		cu->free_instructions = instruction->next;
		return instruction;
	}
	instruction = xcalloc_aligned(sizeof *instruction);
	instruction->next_made = cu->memory_instructions;
	cu->memory_instructions = instruction;
	return instruction;
}

static void access_done(void *owner, uint64_t tag)
{
	struct memory_instruction *instruction = owner;
	struct resident *resident = instruction->resident;
	struct compute_unit *cu = instruction->cu;
	bool is_store = instruction->is_store;
	bool is_marked = instruction->is_marked;
	fetch_or_store_done *done = instruction->done;

	(void)tag;
	if (--instruction->pending)
		return;
	instruction->next = cu->free_instructions;
	cu->free_instructions = instruction;
	if (is_store) {
		cu->global.stores--;
		cu->global.stored = event_queue_now(cu->events);
	}
	/* Of other stores the wavefront does not hear any more. */
	if (!is_store || is_marked)
		done(resident);
}

/* The addresses and data of a store are in the export buffer: its CF instruction
 * ends. */
static void exported(struct resident *resident)
{
	unit_after(resident->cu, CF_EXECUTE_CYCLES, resident->cu->cf.complete,
		   resident, 0);
}

/* All accesses of a store have left the export buffer. */
static void export_leave(struct compute_unit *cu,
			 struct memory_instruction *instruction)
{
	cu->global.export_entries -= instruction->entries;
	while (cu->global.export_full.head &&
	       cu->global.export_entries <= cu->timing->config.export_entries)
		exported(resident_pop(&cu->global.export_full));
}

void global_export(struct resident *resident)
{
	struct compute_unit *cu = resident->cu;

	if (cu->global.export_entries <= cu->timing->config.export_entries) {
		exported(resident);
		return;
	}
	cu->n.export_full++;
	resident_place(resident, ACCOUNT_EXPORT);
	resident_push(&cu->global.export_full, resident);
}

static void schedule_accesses(struct compute_unit *cu, uint64_t cycles)
{
	if (cu->global.scheduled || !cu->global.count)
		return;
	cu->global.scheduled = true;
	unit_after(cu, cycles, global_visit, cu, 0);
}

/* Where the access that is first goes. */
static struct module *head_module(const struct compute_unit *cu)
{
	return cu->global.ring[cu->global.head].kind & ACCESS_SHARED
		       ? cu->coherent
		       : cu->entry;
}

/* The access that was refused is tried again in the next cycle; meanwhile it
 * would have been refused in each. */
static void entry_changed(void *owner)
{
	struct compute_unit *cu = owner;
	picoseconds now = event_queue_now(cu->events);
	picoseconds period = cu->timing->period;
	uint64_t cycles = (now - cu->global.refused + period - 1) / period;
	picoseconds again;

	if (!cycles)
		cycles = 1;
	again = cu->global.refused + cycles * period;
	/* This cycle's turn has passed. */
	if (again == now && event_queue_source(cu->events) >= cu->source) {
		cycles++;
		again += period;
	}
	module_count_retries(
		head_module(cu),
		(enum memsys_access_kind)
			(cu->global.ring[cu->global.head].kind &
			 ~ACCESS_SHARED),
		cycles - 1);
	event_schedule(cu->events, again - now, cu->source, global_visit, cu,
		       0);
}

static bool start_access(struct compute_unit *cu,
			 const struct block_access *access)
{
	if (access->kind & ACCESS_SHARED)
		return shared_start(cu, access, access_done);
	if (access->kind == MEMSYS_NC_STORE)
		return module_store_by(cu->entry, access->instruction->address,
				       access->address, access->size,
				       access->elements, access_done,
				       access->instruction);
	return module_access_by(cu->entry,
				(enum memsys_access_kind)access->kind,
				access->instruction->address, access->address,
				access->size, access_done, access->instruction,
				0, NULL);
}

static void global_visit(void *owner, uint64_t tag)
{
	struct compute_unit *cu = owner;
	const struct block_access *access;
	bool refused = false;

	(void)tag;
	cu->global.scheduled = false;
	for (uint32_t i = 0; i < cu->timing->config.global_accesses &&
			     cu->global.count; i++) {
		access = &cu->global.ring[cu->global.head];
		if (!start_access(cu, access)) {
			refused = true;
			break;
		}
		cu->global.head = (cu->global.head + 1) &
				  (cu->global.capacity - 1);
		cu->global.count--;
		if (!--access->instruction->unsent)
			export_leave(cu, access->instruction);
	}
	if (refused && module_wait(head_module(cu), &cu->global.waiter)) {
		cu->global.refused = event_queue_now(cu->events);
		cu->global.scheduled = true;
		return;
	}
	schedule_accesses(cu, 1);
}

void global_create(struct compute_unit *cu)
{
	cu->global.waiter.changed = entry_changed;
	cu->global.waiter.owner = cu;
}

/* A plain store of MEM_RAT. */
static bool takes_complete_path(const struct compute_unit *cu,
				const struct evg_step *step)
{
	return step->kind == EVG_STEP_STORE && !step->memory_atomic &&
	       step->cf->op == EVG_CF_MEM_RAT &&
	       cu->timing->config.complete_path;
}

static enum memsys_access_kind access_kind(const struct compute_unit *cu,
					   const struct evg_step *step)
{
	if (step->memory_atomic)
		return step->cf->rat_op == EVG_RAT_NOP_RTN
			       ? MEMSYS_ATOMIC_LOAD
			       : MEMSYS_ATOMIC;
	if (takes_complete_path(cu, step))
		return MEMSYS_ATOMIC_STORE;
	if (step->memory_uncached)
		return MEMSYS_UNCACHED_LOAD;
	return step->memory_write ? MEMSYS_NC_STORE : MEMSYS_LOAD;
}

/* The memory's atomic unit works on one address at a time, so that lanes do
 * not share accesses. */
static unsigned collect_atomics(const struct evg_step *step,
				struct coalesce_block *blocks)
{
	unsigned count = 0;

	for (uint64_t mask = step->memory_mask; mask; mask &= mask - 1) {
		uint32_t from =
			step->memory_address[__builtin_ctzll(mask)];

		blocks[count++] =
			(struct coalesce_block){from, from + step->memory_bytes, 1};
	}
	return count;
}

/* An access for each dword of these lanes, behind the `count` that there are. */
static unsigned collect_dwords(const struct evg_step *step, uint64_t mask,
			       struct coalesce_block *blocks, unsigned count)
{
	for (; mask; mask &= mask - 1) {
		uint32_t from = step->memory_address[__builtin_ctzll(mask)];
		uint32_t end = from + step->memory_bytes;

		for (; from < end && count < COALESCE_MAX; from = (from | 3) + 1)
			blocks[count++] = (struct coalesce_block){
				from, end < (from | 3) + 1 ? end
							   : (from | 3) + 1, 1};
	}
	return count;
}

/* The lanes whose address another lane reads, too. */
static uint64_t lanes_of_shared(const struct evg_step *step)
{
	const uint32_t *address = step->memory_address;
	uint8_t first[EVG_WAVEFRONT_SIZE]; /* lane of each different address */
	uint64_t shared = 0;
	unsigned count = 0;

	if (coalesce_is_run(step->memory_mask, address, step->memory_bytes))
		return 0;
	for (uint64_t mask = step->memory_mask; mask; mask &= mask - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(mask), i = 0;

		while (i < count && address[first[i]] != address[lane])
			i++;
		if (i < count)
			shared |= UINT64_C(1) << lane | UINT64_C(1) << first[i];
		else
			first[count++] = (uint8_t)lane;
	}
	return shared;
}

/* Lanes that read one address of a buffer that is written, too, conflict and
 * are serialized; those of constant and read-only buffers, which come from the
 * caches, do not (AMD OpenCL guide). */
static uint64_t conflicting_lanes(const struct compute_unit *cu,
				  const struct evg_step *step)
{
	if (!step->memory_uncached || !cu->timing->config.read_conflicts)
		return 0;
	return lanes_of_shared(step);
}

static uint32_t quarters(uint64_t mask)
{
	uint32_t count = 0;

	for (; mask; mask >>= 16)
		count += (mask & 0xffff) != 0;
	return count;
}

/* An access to memory of the program: its blocks may lie otherwise. False: it is
 * none. */
static bool push_shared(struct compute_unit *cu,
			const struct block_access *access)
{
	struct block_access part = *access;
	uint32_t end = access->address + access->size, size;

	part.kind = (uint8_t)(part.kind | ACCESS_SHARED);
	while ((size = shared_part(cu, part.address, end - part.address))) {
		part.size = (uint16_t)size;
		if (part.address != access->address) {
			part.instruction->pending++;
			part.instruction->unsent++;
		}
		ring_push(cu, &part);
		part.address += size;
	}
	return part.address != access->address;
}

bool global_send(struct compute_unit *cu, struct resident *resident,
		 const struct evg_step *step, fetch_or_store_done *done)
{
	struct coalesce_block blocks[COALESCE_MAX];
	struct memory_instruction *instruction;
	unsigned count;

	if (!step->memory_mask)
		return false;
	if (step->memory_atomic) {
		count = collect_atomics(step, blocks);
	} else if (takes_complete_path(cu, step)) {
		count = collect_dwords(step, step->memory_mask, blocks, 0);
		cu->n.complete_path_writes++;
	} else {
		uint64_t conflicts = conflicting_lanes(cu, step);
		bool whole = access_kind(cu, step) == MEMSYS_LOAD;

		count = coalesce_blocks(step->memory_mask & ~conflicts,
				       step->memory_address,
				       step->memory_bytes, cu->block_size,
				       whole, blocks, 0);
		count = collect_dwords(step, conflicts, blocks, count);
		count = coalesce_blocks(
		    step->memory_mask2, step->memory_address2,
		    step->memory_bytes, cu->block_size, whole, blocks, count);
		for (unsigned i = 0; i < step->corners; i++)
			count = coalesce_blocks(
			    step->corner_mask[i], step->corner_address[i],
			    step->memory_bytes, cu->block_size, whole, blocks,
			    count);
	}
	instruction = instruction_create(cu);
	instruction->cu = cu;
	instruction->resident = resident;
	instruction->done = done;
	instruction->pending = instruction->unsent = count;
	instruction->address = step->address * 8;
	instruction->entries = 0;
	instruction->is_store = step->kind == EVG_STEP_STORE;
	instruction->is_marked = instruction->is_store && step->cf->mark;
	if (instruction->is_store) {
		instruction->entries = quarters(step->memory_mask);
		cu->global.export_entries += instruction->entries;
		cu->global.stores++;
		resident->unacknowledged += instruction->is_marked;
		resident->group->pending_writes += instruction->is_marked;
		cu->n.global_write_blocks += count;
		cu->n.lane_operations +=
			evg_lane_count(step->active);
	} else {
		cu->n.global_reads_blocks += count;
	}
	for (unsigned i = 0; i < count; i++) {
		struct block_access access = {
			.instruction = instruction,
			.address = blocks[i].address,
			.size = (uint16_t)(blocks[i].end - blocks[i].address),
			.kind = (uint8_t)access_kind(cu, step),
			.elements = (uint8_t)blocks[i].elements,
		};

		if (access.kind == MEMSYS_LOAD) {
			access.address &= ~(cu->block_size - 1);
			access.size = (uint16_t)cu->block_size;
		}
		if (!cu->timing->shared_count || !push_shared(cu, &access))
			ring_push(cu, &access);
	}
	schedule_accesses(cu, 1);
	return true;
}

/* Per quarter wavefront: one cycle when its addresses run upward without a
 * gap (one address and 16 data), two otherwise; the CompletePath never
 * coalesces (AMD OpenCL guide). */
uint32_t global_export_cycles(const struct compute_unit *cu,
			      const struct evg_step *step)
{
	enum { QUARTER = 16 };
	uint32_t cycles = 0;

	(void)cu;
	if (coalesce_is_run(step->memory_mask, step->memory_address, step->memory_bytes))
		return EVG_WAVEFRONT_SIZE / QUARTER *
		       (step->memory_cacheless ? 1 : 2);
	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE; start += QUARTER) {
		uint32_t base = 0;
		bool any = false, coalesced = step->memory_cacheless;

		for (unsigned lane = start; lane < start + QUARTER; lane++) {
			uint32_t offset = (lane - start) * step->memory_bytes;
			uint32_t address = step->memory_address[lane] - offset;

			if (!(step->memory_mask >> lane & 1))
				continue;
			if (any && address != base)
				coalesced = false;
			base = address;
			any = true;
		}
		if (any)
			cycles += coalesced ? 1 : 2;
	}
	return cycles ? cycles : 1;
}
