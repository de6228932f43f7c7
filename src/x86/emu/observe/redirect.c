#include "x86/emu/observe/redirect.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/observe/stores.h"
#include "x86/emu/operand.h"
#include "x86/emu/run.h"

enum {
	/* The most that an instruction, or a part of a repeated one, accesses:
	 * two pages or some areas, with the bytes that align them. */
	SCRATCH = 32 << 10,
	ALIGN = 64,
	LEVELS = 64, /* of nested wrong paths */
	REGIONS = 4,
};

/* The state at the start of a wrong path. */
struct level {
	struct x86_cpu cpu;
	size_t stores;
};

struct x86_overlay {
	/* Handlers load and store these bytes, a copy of memory with the held
	 * stores. */
	alignas(ALIGN) uint8_t scratch[SCRATCH];
	size_t used;
	/* The handler's present store; size 0: none. */
	struct { uint64_t address; size_t size; const uint8_t *bytes; } pending;
	size_t mark; /* stores of instructions that were executed for good */
	struct x86_stores *stores;
	uint64_t published; /* since the start */
	void (*watch)(void *owner, uint64_t address, const void *bytes,
		      size_t size);
	void *watch_owner;
	bool hold;   /* also outside wrong paths */
	unsigned depth;
	struct level *level[LEVELS];
	/* Mapped memory, as far as this wrong path knows it. Mappings cannot
	 * change before the wrong path ends. */
	struct { uint64_t start, end; int protection; } region[REGIONS];
	unsigned next_region;
};

static void *aligned(size_t alignment, size_t size)
{
	void *memory = aligned_alloc(alignment, (size + alignment - 1) /
							alignment * alignment);

	return memory ? memory : xmalloc(SIZE_MAX); /* says so and ends */
}

static struct x86_overlay *overlay_of(struct x86_cpu *cpu)
{
	struct x86_overlay *overlay = cpu->overlay;

	if (overlay)
		return overlay;
	overlay = aligned(alignof(struct x86_overlay), sizeof *overlay);
	memset(overlay, 0, sizeof *overlay);
	overlay->stores = x86_stores_create();
	cpu->overlay = overlay;
	return overlay;
}

void x86_overlay_free(struct x86_overlay *overlay)
{
	if (!overlay)
		return;
	for (unsigned i = 0; i < LEVELS; i++)
		free(overlay->level[i]);
	x86_stores_free(overlay->stores);
	free(overlay);
}

void x86_bind_redirected(struct x86_cpu *cpu)
{
	x86_bind_memory(cpu);
	if (cpu->redirect)
		/* every access goes through x86_redirected_host() */
		cpu->address_end = 0;
}

void x86_redirect_code(struct x86_cpu *cpu, unsigned before)
{
	bool wanted = before & X86_CODE_STORE &&
		      (cpu->emulator->compares ||
		       cpu->redirect & X86_REDIRECT_WRONG);

	if (wanted == !!(cpu->redirect & X86_REDIRECT_CODE))
		return;
	cpu->redirect ^= X86_REDIRECT_CODE;
	x86_bind_redirected(cpu);
}

/* ---- What instructions have done ---- */

/* Settles the store of the handler, which has written its bytes by now. */
static void settle(struct x86_overlay *overlay)
{
	if (overlay->pending.size)
		x86_stores_append(overlay->stores, overlay->pending.address,
				  overlay->pending.bytes,
				  overlay->pending.size);
	overlay->pending.size = 0;
}

void x86_overlay_done(struct x86_cpu *cpu)
{
	struct x86_overlay *overlay = cpu->overlay;

	if (!overlay)
		return;
	settle(overlay);
	overlay->used = 0;
	overlay->mark = x86_stores_count(overlay->stores);
}

void x86_overlay_cancel(struct x86_cpu *cpu)
{
	struct x86_overlay *overlay = cpu->overlay;

	if (!overlay)
		return;
	overlay->pending.size = 0;
	overlay->used = 0;
	x86_stores_keep(overlay->stores, overlay->mark);
}

/* ---- Accesses ---- */

/* The host address of memory's own bytes. */
static uint8_t *host(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address)
{
	cpu->op = op;
	if (address >= cpu->space->size)
		return x86_far_host(cpu, op, address);
	return cpu->base + address;
}

/* The protection of an address and the end of its region. */
static int protection_at(struct x86_cpu *cpu, uint64_t address, uint64_t *end)
{
	struct x86_overlay *overlay = cpu->overlay;
	const struct space_region *region;
	unsigned i;

	for (i = 0; i < REGIONS; i++)
		if (address >= overlay->region[i].start &&
		    address < overlay->region[i].end)
			goto found;
	region = space_region_at(cpu->space, address);
	if (!region)
		return 0;
	i = overlay->next_region++ % REGIONS;
	overlay->region[i].start = region->start;
	overlay->region[i].end = region->end;
	overlay->region[i].protection = region->protection;
found:
	*end = overlay->region[i].end;
	return overlay->region[i].protection;
}

/* Faults if the bytes of a wrong path's access are not mapped for it. */
static void check_mapped(struct x86_cpu *cpu, const struct x86_op *op,
			 uint64_t address, size_t size,
			 enum x86_direction direction)
{
	uint64_t at = address, end = address + size, stop = 0;

	cpu->op = op;
	while (at < end || end < address) {
		int protection = protection_at(cpu, at, &stop);

		/* What can be executed can be read. */
		if (!protection ||
		    (direction & X86_STORE && !(protection & SPACE_WRITE)))
			x86_raise_now(cpu, op, SIGSEGV,
				      protection ? SEGV_ACCERR : SEGV_MAPERR,
				      at, 14);
		if (stop >= end && end >= address)
			return;
		at = stop;
	}
}

/* A copy of the bytes as the cpu sees them, with their offsets in cache lines
 * as in memory. */
static uint8_t *copy(struct x86_cpu *cpu, const struct x86_op *op,
		     uint64_t address, size_t size)
{
	struct x86_overlay *overlay = cpu->overlay;
	size_t at = (overlay->used + ALIGN - 1) / ALIGN * ALIGN +
		    address % ALIGN;
	uint8_t *bytes = overlay->scratch + at;

	/* No instruction accesses so many bytes. */
	if (at + size + ALIGN > SCRATCH)
		abort();
	for (uint64_t done = 0, part; done < size; done += part) {
		part = SPACE_PAGE - (address + done) % SPACE_PAGE;
		if (part > size - done)
			part = size - done;
		memcpy(bytes + done, host(cpu, op, address + done), part);
	}
	x86_stores_over(overlay->stores, address, bytes, size);
	overlay->used = at + size + ALIGN;
	return bytes;
}

static void publish_all(struct x86_cpu *cpu)
{
	x86_stores_publish(cpu, UINT64_MAX);
}

uint8_t *x86_redirected_host(struct x86_cpu *cpu, const struct x86_op *op,
			     uint64_t address, size_t size,
			     enum x86_direction direction)
{
	struct x86_overlay *overlay = cpu->overlay;
	unsigned redirect = cpu->redirect;
	uint8_t *bytes;

	if (redirect & X86_REDIRECT_CODE && direction & X86_STORE &&
	    x86_code_in(cpu->emulator, address, size)) {
		cpu->op = op;
		siglongjmp(cpu->escape->environment, X86_ESCAPE_ASKED);
	}
	if (!(redirect & (X86_REDIRECT_HELD | X86_REDIRECT_WRONG)))
		return host(cpu, op, address);
	settle(overlay);
	if (redirect & X86_REDIRECT_WRONG) {
		check_mapped(cpu, op, address, size, direction);
	} else if (direction & X86_STORE) {
		if (direction == X86_MODIFY && redirect & X86_REDIRECT_BESIDE) {
			cpu->op = op;
			siglongjmp(cpu->escape->environment, X86_ESCAPE_ALONE);
		}
		/* Memory faults here, or not at all. */
		x86_probe_host(host(cpu, op, address), size);
		if (direction == X86_MODIFY) {
			publish_all(cpu);
			return host(cpu, op, address);
		}
	}
	if (direction == X86_LOAD &&
	    !x86_stores_touch(overlay->stores, address, size))
		return host(cpu, op, address);
	bytes = copy(cpu, op, address, size);
	if (direction & X86_STORE) {
		overlay->pending.address = address;
		overlay->pending.size = size;
		overlay->pending.bytes = bytes;
	}
	return bytes;
}

void x86_redirected_probe(struct x86_cpu *cpu, const struct x86_op *op,
			  uint64_t address, size_t size)
{
	if (cpu->redirect & X86_REDIRECT_WRONG)
		check_mapped(cpu, op, address, size, X86_STORE);
	else
		x86_probe_host(host(cpu, op, address), size);
}

/* ---- Stores held back ---- */

void x86_stores_hold(struct x86_cpu *cpu, bool hold)
{
	struct x86_overlay *overlay = overlay_of(cpu);

	overlay->hold = hold;
	if (hold) {
		cpu->redirect |= X86_REDIRECT_HELD;
		return;
	}
	cpu->redirect &= ~(unsigned)X86_REDIRECT_HELD;
	publish_all(cpu);
}

uint64_t x86_stores_held(const struct x86_cpu *cpu)
{
	return cpu->overlay ? x86_stores_count(cpu->overlay->stores) : 0;
}

int x86_stores_read(const struct x86_cpu *cpu, uint64_t address, void *buffer,
		    size_t size)
{
	if (space_read(cpu->space, address, buffer, size))
		return -1;
	if (cpu->overlay)
		x86_stores_over(cpu->overlay->stores, address, buffer, size);
	return 0;
}

void x86_stores_uncover(const struct x86_cpu *cpu, uint64_t address,
			bool *flags, size_t size)
{
	const struct x86_overlay *overlay = cpu->overlay;

	if (overlay)
		x86_stores_mark(overlay->stores,
				overlay->depth ? overlay->level[0]->stores
					       : UINT64_MAX,
				address, flags, size);
}

void x86_stores_watch(struct x86_cpu *cpu,
		      void (*published)(void *owner, uint64_t address,
					const void *bytes, size_t size),
		      void *owner)
{
	struct x86_overlay *overlay = overlay_of(cpu);

	overlay->watch = published;
	overlay->watch_owner = owner;
}

uint64_t x86_stores_published(const struct x86_cpu *cpu)
{
	return cpu->overlay ? cpu->overlay->published : 0;
}

void x86_overlay_publish(struct x86_cpu *cpu, uint64_t count)
{
	struct x86_overlay *overlay = cpu->overlay;
	size_t done = 0, right;

	right = overlay->depth ? overlay->level[0]->stores
			       : x86_stores_count(overlay->stores);
	for (; done < count && done < right; done++) {
		uint64_t address;
		size_t size;
		const void *bytes = x86_stores_oldest(overlay->stores,
						      &address, &size);

		/* Memory that was unmapped meanwhile takes no store. */
		(void)space_write(cpu->space, address, bytes, size);
		if (overlay->watch)
			overlay->watch(overlay->watch_owner, address, bytes,
				       size);
		x86_stores_remove_oldest(overlay->stores);
	}
	overlay->published += done;
	overlay->mark -= done < overlay->mark ? done : overlay->mark;
	for (unsigned i = 0; i < overlay->depth; i++)
		overlay->level[i]->stores -= done;
}

void x86_overlay_before_code(struct x86_cpu *cpu)
{
	const struct x86_block *block;

	if (!cpu->overlay || !x86_stores_count(cpu->overlay->stores))
		return;
	block = x86_block_find_observed(cpu->emulator, cpu->rip);
	if (!block || block->code)
		publish_all(cpu);
}

/* ---- Wrong paths ---- */

unsigned x86_speculate_begin(struct x86_cpu *cpu, uint64_t target)
{
	struct x86_overlay *overlay = overlay_of(cpu);
	struct level **level = &overlay->level[overlay->depth];

	if (overlay->depth == LEVELS)
		return 0;
	if (!*level)
		*level = aligned(alignof(struct level), sizeof **level);
	(*level)->cpu = *cpu;
	(*level)->stores = x86_stores_count(overlay->stores);
	if (!overlay->depth)
		memset(overlay->region, 0, sizeof overlay->region);
	cpu->redirect |= X86_REDIRECT_WRONG;
	cpu->rip = target;
	return ++overlay->depth;
}

void x86_speculate_redirect(struct x86_cpu *cpu, uint64_t target)
{
	cpu->rip = target;
}

void x86_speculate_end(struct x86_cpu *cpu, unsigned level)
{
	struct x86_overlay *overlay = cpu->overlay;
	const struct level *saved;

	if (!overlay || !level || level > overlay->depth)
		return;
	saved = overlay->level[level - 1];
	*cpu = saved->cpu;
	/* Host addresses may have changed. */
	x86_bind_memory(cpu);
	x86_stores_keep(overlay->stores, saved->stores);
	overlay->mark = saved->stores;
	overlay->depth = level - 1;
}

unsigned x86_overlay_depth(const struct x86_cpu *cpu)
{
	return cpu->overlay->depth;
}
