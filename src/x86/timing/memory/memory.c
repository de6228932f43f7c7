#include "base/optimize.h"

#include "x86/timing/memory/memory.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/memory/internal.h"

static picoseconds start_of(struct x86_caches *memory, uint64_t cycle)
{
	/* Many accesses begin in the same cycle. */
	if (cycle != memory->asked.cycle) {
		memory->asked.cycle = cycle;
		memory->asked.start = clock_rate_start(&memory->rate, cycle);
	}
	return memory->asked.start;
}

/* The first cycle that begins now or later. */
static uint64_t cycle_now(const struct x86_caches *memory)
{
	return clock_rate_at(&memory->rate, event_queue_now(memory->events));
}

/* --- Lines ---------------------------------------------------------------- */

static void proceed(struct entry *entry);
static void advance(void *owner, uint64_t cycle);

static void part_done(void *owner, uint64_t tag)
{
	struct entry *entry = owner;

	(void)tag;
	entry->pending--;
	proceed(entry);
}

static struct module *module_of(const struct entry *entry)
{
	return entry->code ? entry->memory->code :
	       entry->second ? entry->memory->second : entry->memory->data;
}

static void finish(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;

	entry->stage = STAGE_FREE;
	if (memory->locking == entry)
		memory->locking = NULL;
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
				entry->instruction, entry->physical[i],
				entry->size[i])) {
			if (!module_access_by(module_of(entry), entry->kind,
					      entry->instruction,
					      entry->physical[i],
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

/* Stores past the caches: into buffers, line by line. */
static bool combine(struct entry *entry)
{
	while (entry->sent < entry->parts) {
		if (!x86_caches_combine(entry->memory,
					entry->physical[entry->sent],
					entry->size[entry->sent])) {
			entry->memory->stalled = true;
			return false;
		}
		entry->sent++;
	}
	return true;
}

/* All pages of an entry are known. */
static void translated(struct entry *entry)
{
	if (entry->past && !entry->forwarded) {
		if (combine(entry))
			finish(entry);
	} else if (entry->forwarded)
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
	uint64_t end = (address | (memory->line - 1)) + 1;

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
	unsigned distance = module_distance(memory->data, address);

	if (distance == module_memory_distance(memory->data, address))
		return X86_CORE_DRAM;
	return distance < 2 ? X86_CORE_L2 : X86_CORE_L3;
}

/* The first level has all pages of an access. */
static bool is_translated(struct x86_caches *memory, struct entry *entry)
{
	for (unsigned i = 0; i < entry->parts; i++) {
		struct x86_pages_question question = entry_question(entry, i);

		if (!x86_pages_in_first(&memory->pages, &question))
			return false;
		entry->physical[i] = question.physical;
	}
	return true;
}

/* All of a translated access is there: nothing waits. */
static bool at_once(const struct entry *entry)
{
	if (entry->parts > 1 && !entry->forwarded &&
	    module_distance(module_of(entry), entry->physical[1]))
		return false;
	for (unsigned i = 0; i < entry->parts && !entry->forwarded; i++)
		if (!module_hit(module_of(entry), entry->kind,
				entry->instruction, entry->physical[i],
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
			      entry->physical[0], entry->size[0], part_done,
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
	entry_translate(slot);
	if (slot->stage == STAGE_FREE)
		return 0;
	slot->silent = entry->silent;
	return X86_CORE_PENDING;
}

/* An access for which not all is there. */
static unsigned wait(struct x86_caches *memory,
		     struct x86_core_request *request,
		     const struct entry *entry, bool known)
{
	struct entry *slot = free_entry(memory);

	request->part = (uint8_t)(known ? part_of(memory, entry->physical[0])
					: X86_CORE_TLB);
	if (slot && (!known || entry->past))
		return start(slot, entry);
	if (slot && has_room(memory, slot, entry))
		return X86_CORE_PENDING;
	memory->refused = true;
	memory->counts.refused++;
	return X86_CORE_BUSY;
}

/* A hit that a prefetcher has learned from has given it work. */
static unsigned hit(struct x86_caches *memory, struct x86_core_request *request)
{
	if (request->forwarded)
		return 0;
	request->soon = module_has_prefetches(memory->data);
	return memory->hit;
}

static bool is_one_line(const struct x86_caches *memory, uint64_t address,
			unsigned size)
{
	return !((address ^ (address + size - 1)) & ~(memory->line - 1));
}

/* A prefetch instruction: nobody waits for its line, but for room. */
static unsigned hint(struct x86_caches *memory,
		     struct x86_core_request *request, bool known,
		     uint64_t physical)
{
	struct entry entry;

	if (!x86_caches_hint(memory, request, known, physical, &entry))
		return 0;
	if (wait(memory, request, &entry, known) == X86_CORE_BUSY)
		return X86_CORE_BUSY;
	x86_caches_hinted(memory, request);
	return 0;
}

static unsigned begin(void *owner, struct x86_core_request *request)
{
	struct x86_caches *memory = owner;
	bool store = request->store || request->locked;
	enum memsys_access_kind kind = store ? MEMSYS_STORE : MEMSYS_LOAD;
	bool one = is_one_line(memory, request->address, request->size), known;
	struct x86_pages_question question = {
		.address = request->address,
		.shift = memory->page_shift,
		.store = store,
	};
	struct entry entry;

	set_time(memory, request->cycle);
	/* Most accesses: one line, which is there. */
	known = one && x86_pages_in_first(&memory->pages, &question);
	if (request->hint)
		return hint(memory, request, known, question.physical);
	if (known &&
	    (request->forwarded ||
	     (!request->past &&
	      module_hit(memory->data, kind, request->instruction,
			 question.physical, request->size))))
		return hit(memory, request);
	entry = (struct entry){
		.memory = memory,
		.kind = kind,
		.forwarded = request->forwarded,
		.past = request->past,
		.ticket = request->ticket,
		.instruction = request->instruction,
	};
	divide(memory, &entry, request->address, request->size);
	entry.physical[0] = question.physical;
	if (!one) {
		known = is_translated(memory, &entry);
		if (known && !entry.past && at_once(&entry))
			return hit(memory, request);
	}
	if (known && entry.past && combine(&entry)) {
		request->soon = true;
		return 0;
	}
	return wait(memory, request, &entry, known);
}

/* A store's line is asked for when the store has retired, if there is room. */
static void own(void *owner, uint64_t address, unsigned size, uint64_t cycle)
{
	struct x86_caches *memory = owner;
	struct x86_pages_question question = {
		.address = address,
		.shift = memory->page_shift,
		.store = true,
	};
	struct entry entry, *slot;

	set_time(memory, cycle);
	if (!x86_pages_in_first(&memory->pages, &question) ||
	    !module_distance(memory->data, question.physical))
		return;
	slot = free_entry(memory);
	if (!slot)
		return;
	entry = (struct entry){ .memory = memory, .kind = MEMSYS_STORE,
				.silent = true };
	divide(memory, &entry, address, size);
	entry.parts = 1;
	entry.physical[0] = question.physical;
	if (has_room(memory, slot, &entry))
		memory->counts.owned++;
}

enum x86_caches_line x86_caches_lock(struct x86_caches *memory,
				     uint64_t instruction, uint64_t address,
				     unsigned size, uint64_t cycle,
				     unsigned cycles)
{
	struct entry entry = { .memory = memory, .kind = MEMSYS_STORE,
			       .silent = true, .instruction = instruction };
	struct entry *slot;

	if (memory->locking || cycle < memory->locked_until)
		return X86_LINE_COMES;
	advance(memory, cycle);
	divide(memory, &entry, address, size);
	if (is_translated(memory, &entry) && at_once(&entry)) {
		memory->locked_until = cycle + cycles;
		module_hold(memory->data, entry.physical[0],
			    start_of(memory, memory->locked_until));
		return X86_LINE_HERE;
	}
	slot = free_entry(memory);
	if (!slot)
		return X86_LINE_COMES;
	*slot = entry;
	memory->locking = slot;
	entry_translate(slot);
	x86_core_memory_soon(memory->core);
	return X86_LINE_ASKED;
}

static unsigned fetch(void *owner, uint64_t address, uint64_t cycle,
		      uint64_t ticket)
{
	struct x86_caches *memory = owner;
	struct entry entry = { .memory = memory, .kind = MEMSYS_LOAD,
			       .code = true, .ticket = ticket }, *slot;

	set_time(memory, cycle);
	divide(memory, &entry, address, 1);
	if (is_translated(memory, &entry) && at_once(&entry))
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
				memory->translated(&memory->entry[i]);
	}
	if (memory->refused) {
		memory->refused = false;
		x86_core_memory_room(memory->core);
	}
}

static void flush(void *owner, uint64_t address, uint64_t cycle)
{
	set_time(owner, cycle);
	x86_caches_flush(owner, address);
}

static void drain(void *owner, uint64_t cycle)
{
	set_time(owner, cycle);
	x86_caches_drain(owner);
}

static uint64_t next(void *owner)
{
	struct x86_caches *memory = owner;
	picoseconds time = event_queue_next(memory->events);
	uint64_t cycle = time == UINT64_MAX
				 ? UINT64_MAX
				 : clock_rate_at(&memory->rate, time);

	/* The next window's events are not known yet. */
	return cycle < memory->limit ? cycle : memory->limit;
}

/* --- Life ----------------------------------------------------------------- */

struct x86_caches *x86_caches_create(struct memsys *memsys, unsigned core,
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
	if (module_is_translated(memory->data) ||
	    module_is_translated(memory->code)) {
		error_set(error, "the memory configuration gives core %u a "
				 "TLB: the TLBs of cores are those of "
				 "--x86-preset", core);
		free(memory);
		return NULL;
	}
	memory->hit = (unsigned)clock_cycle_at(module_hit_time(memory->data),
					       megahertz);
	memory->events = module_events(memory->data);
	memory->translated = translated;
	memory->source = event_source_create(memory->events);
	memory->limit = UINT64_MAX;
	memory->rate = clock_rate_of(megahertz);
	memory->line = module_block_size(memory->data);
	memory->page_shift = page_shift;
	memory->walk_cycles = figures->walk_cycles;
	memory->walkers = figures->walkers;
	memory->tagged = figures->tlb_tagged;
	memory->combines = figures->combine_buffers;
	memory->second = module_only_cache_below(memory->data);
	/* One in another queue cannot be entered from here. */
	if (memory->second && module_events(memory->second) !=
				      module_events(memory->data))
		memory->second = NULL;
	memory->hints = figures->hints;
	memory->hint_stores = figures->hint_stores;
	memory->history.size = figures->hint_history;
	x86_pages_init(&memory->pages, figures);
	return memory;
}

struct x86_core_memory x86_caches_of(struct x86_caches *memory)
{
	return (struct x86_core_memory){
		.begin = begin, .own = own, .flush = flush, .drain = drain,
		.fetch = fetch,
		.advance = advance, .next = next, .owner = memory,
	};
}

void x86_caches_serve(struct x86_caches *memory, struct x86_core *core)
{
	memory->core = core;
}
