/* Pages of accesses: TLBs, walks, first touches, address spaces. */
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/internal.h"

#define PAGE_TABLES UINT64_C(0x800000000000)

static void after(struct x86_caches *memory, unsigned cycles,
		  event_action *action, void *owner)
{
	picoseconds now = event_queue_now(memory->events);

	event_schedule(memory->events,
		       clock_rate_after(&memory->rate, now, cycles) - now,
		       memory->source, action, owner, 0);
}

enum x86_frame_answer x86_caches_frame(const struct x86_caches *memory,
				       uint64_t address, bool store,
				       uint64_t *frame, bool *writable,
				       bool *large)
{
	uint64_t page = address >> memory->page_shift;

	*frame = page;
	*writable = true;
	*large = false;
	return memory->table ? x86_frames_find(memory->table, page, store,
					       frame, writable, large)
			     : X86_FRAME_KNOWN;
}

void x86_caches_learn(struct x86_caches *memory,
		      const struct x86_pages_question *question, uint64_t frame,
		      bool writable, bool large)
{
	struct x86_pages_question known = *question;

	if (large && !question->code) {
		known.shift = LARGE_SHIFT;
		frame >>= LARGE_SHIFT - X86_PAGE_BITS;
	}
	x86_pages_learn(&memory->pages, &known, frame, writable);
}

uint64_t x86_caches_table_entry(const struct x86_caches *memory,
				uint64_t address)
{
	uint64_t space = x86_caches_space(memory);
	unsigned shift = memory->page_shift;

	if (memory->table &&
	    x86_frames_is_large(memory->table, address >> X86_PAGE_BITS))
		shift = LARGE_SHIFT;
	return PAGE_TABLES + (space << 42) + ((uint64_t)shift << 40) +
	       (address >> shift) * ENTRY_BYTES;
}

static void fault_done(void *owner, uint64_t tag);

/* The operating system works for one page at a time. */
static void fault(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;
	picoseconds now = event_queue_now(memory->events);

	if (memory->fault_free < now)
		memory->fault_free = now;
	memory->fault_free = clock_rate_after(&memory->rate, memory->fault_free,
					      memory->fault_cycles);
	memory->counts.faults++;
	event_schedule(memory->events, memory->fault_free - now,
		       memory->source, fault_done, entry, 0);
}

/* The walk has reached its end. */
static void learn(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;
	struct x86_pages_question question = entry_question(entry, entry->translated);
	enum x86_frame_answer answer;
	uint64_t frame;
	bool writable, large;

	if (memory->apart && memory->table &&
	    !x86_frames_knows(memory->table, question.address >> X86_PAGE_BITS,
			      question.store)) {
		memory->touching[memory->touching_count++] = entry;
		return;
	}
	answer = x86_caches_frame(memory, question.address, question.store,
				  &frame, &writable, &large);
	if (answer == X86_FRAME_NONE) {
		/* a wrong path, or what another thread has unmapped */
		entry->forwarded = true;
		entry->translated++;
		entry_translate(entry);
		return;
	}
	if (answer != X86_FRAME_KNOWN) {
		fault(entry);
		return;
	}
	x86_caches_learn(memory, &question, frame, writable, large);
	entry_translate(entry);
}

void x86_caches_touch(struct x86_caches *memory)
{
	unsigned count = memory->touching_count;

	memory->touching_count = 0;
	for (unsigned i = 0; i < count; i++)
		learn(memory->touching[i]);
}

/* The page has a frame. */
static void fault_done(void *owner, uint64_t tag)
{
	(void)tag;
	learn(owner);
}

static void walk_read(void *owner, uint64_t tag)
{
	struct entry *entry = owner;
	struct x86_caches *memory = entry->memory;

	(void)tag;
	memory->walking--;
	learn(entry);
	for (unsigned i = 0; i < ENTRIES; i++)
		if (memory->entry[i].stage == STAGE_WALK)
			entry_translate(&memory->entry[i]);
}

/* The page-table entry; the tables above it are in the walker's own caches. */
static void read_table(void *owner, uint64_t tag)
{
	struct entry *entry = owner;
	struct x86_caches *memory = entry->memory;
	uint64_t address = x86_caches_table_entry(
		memory, entry->address[entry->translated]);

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
	entry_translate(entry);
}

/* Translates what is left, then goes on to the lines. */
void entry_translate(struct entry *entry)
{
	struct x86_caches *memory = entry->memory;

	while (entry->translated < entry->parts) {
		unsigned part = entry->translated;
		struct x86_pages_question question = entry_question(entry, part);
		enum pages_answer answer =
			x86_pages_look_up(&memory->pages, &question);

		entry->physical[part] = question.physical;
		switch (answer) {
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
	memory->translated(entry);
}

/* --- Address spaces ------------------------------------------------------- */

uint32_t x86_caches_space(const struct x86_caches *memory)
{
	return memory->table ? x86_page_table_number(memory->table) : 0;
}

void x86_caches_enter(struct x86_caches *memory, struct x86_page_table *table,
		      unsigned fault_cycles)
{
	memory->fault_cycles = fault_cycles;
	if (memory->table == table)
		return;
	if (!memory->tagged && memory->table) {
		x86_pages_clear(&memory->pages);
		memory->counts.flushes++;
	}
	memory->table = table;
	memory->pages.mixed = x86_page_table_mixes(table);
	x86_pages_enter_space(&memory->pages, x86_page_table_number(table));
}

void x86_caches_forget(struct x86_caches *memory, uint32_t space,
		       uint64_t start, uint64_t end)
{
	if (x86_pages_forget(&memory->pages, space, start, end))
		memory->counts.shootdowns++;
}
