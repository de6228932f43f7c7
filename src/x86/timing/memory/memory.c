#include "x86/timing/memory/memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/memory/pages.h"

enum {
	ENTRIES = 128,       /* accesses that wait */
	PARTS = 2,           /* lines of an access */
	ENTRY_BYTES = 8,     /* of a page table */
};
#define PAGE_TABLES UINT64_C(0x800000000000)

enum stage { STAGE_FREE, STAGE_WALK, STAGE_WALKS, STAGE_LINES };

/* An access that waits: first for its pages, then for its lines. */
struct entry {
	struct x86_caches *memory;
	enum stage stage;
	enum memsys_access_kind kind;
	bool code, forwarded, silent; /* silent: nobody waits */
	uint64_t ticket, instruction;
	uint64_t address[PARTS];
	unsigned size[PARTS];
	unsigned parts, translated, sent, pending;
};

struct x86_caches {
	struct x86_core *core;
	struct module *data, *code;
	struct event_queue *events;
	uint32_t source;
	uint32_t megahertz;
	uint64_t line;
	unsigned page_shift, walk_cycles, walkers, walking;
	bool refused;        /* the core waits for room */
	bool stalled;        /* an entry does */
	struct x86_pages pages;
	struct x86_caches_counts counts;
	struct entry entry[ENTRIES];
};

static picoseconds start_of(const struct x86_caches *memory, uint64_t cycle)
{
	return clock_cycle_start(cycle, memory->megahertz);
}

/* The first cycle that begins now or later. */
static uint64_t cycle_now(const struct x86_caches *memory)
{
	return clock_cycle_at(event_queue_now(memory->events),
			      memory->megahertz);
}

static void after(struct x86_caches *memory, unsigned cycles,
		  event_action *action, void *owner)
{
	picoseconds now = event_queue_now(memory->events);

	event_schedule(memory->events,
		       clock_after(now, cycles, memory->megahertz) - now,
		       memory->source, action, owner, 0);
}

/* --- Lines ---------------------------------------------------------------- */

static void proceed(struct entry *entry);

static void part_done(void *owner, uint64_t tag)
{
	struct entry *entry = owner;

	(void)tag;
	entry->pending--;
	proceed(entry);
}

static struct module *module_of(const struct entry *entry)
{
	return entry->code ? entry->memory->code : entry->memory->data;
}

static void finish(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;

	entry->stage = STAGE_FREE;
	if (!entry->silent)
		x86_core_memory_done(memory->core, entry->ticket,
				     cycle_now(memory));
	else
		x86_core_memory_room(memory->core);
}

static void proceed(struct entry *entry)
{
	while (entry->sent < entry->parts) {
		unsigned i = entry->sent;

		if (!module_hit(module_of(entry), entry->kind,
				entry->instruction, entry->address[i],
				entry->size[i])) {
			if (!module_access_by(module_of(entry), entry->kind,
					      entry->instruction,
					      entry->address[i],
					      entry->size[i], part_done, entry,
					      0, NULL)) {
				entry->memory->stalled = true;
				return;
			}
			entry->pending++;
		}
		entry->sent++;
	}
	if (!entry->pending)
		finish(entry);
}

/* --- Pages ---------------------------------------------------------------- */

static void translate(struct entry *entry);

static void walk_read(void *owner, uint64_t tag)
{
	struct entry *entry = owner;
	struct x86_caches *memory = entry->memory;

	(void)tag;
	memory->walking--;
	x86_pages_learn(&memory->pages, entry->address[entry->translated],
			memory->page_shift, entry->code);
	translate(entry);
	for (unsigned i = 0; i < ENTRIES; i++)
		if (memory->entry[i].stage == STAGE_WALK)
			translate(&memory->entry[i]);
}

/* The page-table entry; the tables above it are in the walker's own caches. */
static void read_table(void *owner, uint64_t tag)
{
	struct entry *entry = owner;
	struct x86_caches *memory = entry->memory;
	uint64_t page = entry->address[entry->translated] >>
			memory->page_shift;
	uint64_t address = PAGE_TABLES +
			   ((uint64_t)memory->page_shift << 40) +
			   page * ENTRY_BYTES;

	if (module_hit(memory->data, MEMSYS_LOAD, 0, address, ENTRY_BYTES))
		walk_read(entry, tag);
	else if (!module_access_by(memory->data, MEMSYS_LOAD, 0, address,
				   ENTRY_BYTES, walk_read, entry, 0, NULL))
		after(memory, 1, read_table, entry);
}

static void second_found(void *owner, uint64_t tag)
{
	struct entry *entry = owner;

	(void)tag;
	entry->translated++;
	translate(entry);
}

/* Translates what is left, then goes on to the lines. */
static void translate(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;

	while (entry->translated < entry->parts) {
		switch (x86_pages_look_up(&memory->pages,
					  entry->address[entry->translated],
					  memory->page_shift, entry->code)) {
		case PAGES_FIRST:
			entry->translated++;
			continue;
		case PAGES_SECOND:
			entry->stage = STAGE_WALKS;
			memory->counts.second_tlb++;
			after(memory, memory->pages.second_cycles,
			      second_found, entry);
			return;
		case PAGES_WALK:
			break;
		}
		if (memory->walking == memory->walkers) {
			entry->stage = STAGE_WALK;
			return;
		}
		entry->stage = STAGE_WALKS;
		memory->walking++;
		memory->counts.walks++;
		after(memory, memory->pages.second_cycles +
			      memory->walk_cycles, read_table, entry);
		return;
	}
	entry->stage = STAGE_LINES;
	if (entry->forwarded)
		finish(entry);
	else
		proceed(entry);
}

/* --- Accesses ------------------------------------------------------------- */

/* Brings the time to a cycle, whose events have been run. */
static void set_time(struct x86_caches *memory, uint64_t cycle)
{
	event_queue_set_now(memory->events, start_of(memory, cycle));
}

static struct entry *free_entry(struct x86_caches *memory)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		if (memory->entry[i].stage == STAGE_FREE)
			return &memory->entry[i];
	return NULL;
}

/* Divides an access into its lines. */
static void divide(const struct x86_caches *memory, struct entry *entry,
		   uint64_t address, unsigned size)
{
	uint64_t end = (address / memory->line + 1) * memory->line;

	entry->address[0] = address;
	entry->size[0] = size;
	entry->parts = 1;
	if (address + size <= end)
		return;
	/* What is longer than two lines counts as two. */
	entry->size[0] = (unsigned)(end - address);
	entry->address[1] = end;
	entry->size[1] = size - entry->size[0];
	if (entry->size[1] > memory->line)
		entry->size[1] = (unsigned)memory->line;
	entry->parts = 2;
}

static enum x86_core_part part_of(const struct x86_caches *memory,
				  uint64_t address)
{
	switch (module_distance(memory->data, address)) {
	case 0:
	case 1:
		return X86_CORE_L2;
	case 2:
		return X86_CORE_L3;
	default:
		return X86_CORE_DRAM;
	}
}

/* All of an access is there: nothing waits. */
static bool at_once(struct x86_caches *memory, const struct entry *entry)
{
	if (entry->parts > 1 && !entry->forwarded &&
	    module_distance(module_of(entry), entry->address[1]))
		return false;
	for (unsigned i = 0; i < entry->parts; i++)
		if (!x86_pages_in_first(&memory->pages, entry->address[i],
					memory->page_shift, entry->code))
			return false;
	for (unsigned i = 0; i < entry->parts && !entry->forwarded; i++)
		if (!module_hit(module_of(entry), entry->kind,
				entry->instruction, entry->address[i],
				entry->size[i]))
			return false;
	return true;
}

/* Whether the first line can be asked for now. */
static bool has_room(struct x86_caches *memory, struct entry *slot,
		     const struct entry *entry)
{
	struct module *module = module_of(entry);

	if (!module_access_by(module, entry->kind, entry->instruction,
			      entry->address[0], entry->size[0], part_done,
			      slot, 0, NULL))
		return false;
	*slot = *entry;
	slot->memory = memory;
	slot->stage = STAGE_LINES;
	slot->translated = slot->parts;
	slot->sent = slot->pending = 1;
	proceed(slot);
	return true;
}

/* Starts an entry with its pages. Returns X86_CORE_PENDING, or 0 when all of it
 * is there by now: the core, which does not wait yet, must not hear of that. */
static unsigned start(struct entry *slot, const struct entry *entry)
{
	*slot = *entry;
	slot->silent = true;
	translate(slot);
	if (slot->stage == STAGE_FREE)
		return 0;
	slot->silent = entry->silent;
	return X86_CORE_PENDING;
}

static unsigned begin(void *owner, struct x86_core_request *request)
{
	struct x86_caches *memory = owner;
	struct entry entry = {
		.memory = memory,
		.kind = request->store ? MEMSYS_STORE : MEMSYS_LOAD,
		.forwarded = request->forwarded,
		.ticket = request->ticket,
		.instruction = request->instruction,
	}, *slot;
	bool known = true;

	set_time(memory, request->cycle);
	divide(memory, &entry, request->address, request->size);
	if (at_once(memory, &entry))
		return 0;
	slot = free_entry(memory);
	for (unsigned i = 0; i < entry.parts; i++)
		known &= x86_pages_in_first(&memory->pages, entry.address[i],
					    memory->page_shift, false);
	request->part = (uint8_t)(known ? part_of(memory, request->address)
					: X86_CORE_TLB);
	if (slot && !known)
		return start(slot, &entry);
	if (slot && has_room(memory, slot, &entry))
		return X86_CORE_PENDING;
	memory->refused = true;
	memory->counts.refused++;
	return X86_CORE_BUSY;
}

/* A store's line is asked for when the store has retired, if there is room. */
static void own(void *owner, uint64_t address, unsigned size, uint64_t cycle)
{
	struct x86_caches *memory = owner;
	struct entry entry = { .memory = memory, .kind = MEMSYS_STORE,
			       .silent = true }, *slot;

	set_time(memory, cycle);
	divide(memory, &entry, address, size);
	entry.parts = 1;
	if (!module_distance(memory->data, entry.address[0]))
		return;
	slot = free_entry(memory);
	if (slot && has_room(memory, slot, &entry))
		memory->counts.owned++;
}

static unsigned fetch(void *owner, uint64_t address, uint64_t cycle,
		      uint64_t ticket)
{
	struct x86_caches *memory = owner;
	struct entry entry = { .memory = memory, .kind = MEMSYS_LOAD,
			       .code = true, .ticket = ticket }, *slot;

	set_time(memory, cycle);
	divide(memory, &entry, address, 1);
	if (at_once(memory, &entry))
		return 0;
	slot = free_entry(memory);
	if (!slot)
		return X86_CORE_BUSY;
	return start(slot, &entry);
}

/* --- Time ----------------------------------------------------------------- */

static void advance(void *owner, uint64_t cycle)
{
	struct x86_caches *memory = owner;

	event_queue_run(memory->events, start_of(memory, cycle) + 1);
	set_time(memory, cycle);
	if (memory->stalled) {
		memory->stalled = false;
		for (unsigned i = 0; i < ENTRIES; i++)
			if (memory->entry[i].stage == STAGE_LINES &&
			    memory->entry[i].sent < memory->entry[i].parts)
				proceed(&memory->entry[i]);
	}
	if (memory->refused) {
		memory->refused = false;
		x86_core_memory_room(memory->core);
	}
}

static uint64_t next(void *owner)
{
	struct x86_caches *memory = owner;
	picoseconds time = event_queue_next(memory->events);

	return time == UINT64_MAX ? UINT64_MAX
				  : clock_cycle_at(time, memory->megahertz);
}

/* --- Life ----------------------------------------------------------------- */

struct x86_caches *x86_caches_create(struct memsys *memsys,
				     struct event_queue *events, unsigned core,
				     uint32_t megahertz,
				     const struct x86_memory_figures *figures,
				     unsigned page_shift, struct error *error)
{
	struct x86_caches *memory = xcalloc(1, sizeof *memory);

	memory->data = memsys_entry(memsys, MEMSYS_X86, core, 0);
	memory->code = memsys_instruction_entry(memsys, MEMSYS_X86, core, 0);
	if (!memory->data || !memory->code) {
		error_set(error, "the memory configuration has no entry for "
				 "core %u", core);
		free(memory);
		return NULL;
	}
	memory->events = events;
	memory->source = event_source_create(events);
	memory->megahertz = megahertz;
	memory->line = module_block_size(memory->data);
	memory->page_shift = page_shift;
	memory->walk_cycles = figures->walk_cycles;
	memory->walkers = figures->walkers;
	x86_pages_init(&memory->pages, figures);
	return memory;
}

void x86_caches_free(struct x86_caches *memory)
{
	if (!memory)
		return;
	x86_pages_free(&memory->pages);
	free(memory);
}

struct x86_core_memory x86_caches_of(struct x86_caches *memory)
{
	return (struct x86_core_memory){
		.begin = begin, .own = own, .fetch = fetch,
		.advance = advance, .next = next, .owner = memory,
	};
}

void x86_caches_serve(struct x86_caches *memory, struct x86_core *core)
{
	memory->core = core;
}

const struct x86_caches_counts *
x86_caches_counts(const struct x86_caches *memory)
{
	return &memory->counts;
}
