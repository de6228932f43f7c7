#include "x86/timing/memory/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/space/space.h"

/* The first megabyte is the firmware's. */
enum { FIRST_FRAME = 0x100 };

/* A hash table of pages. */
struct slot {
	uint64_t key, object; /* key + 1; 0: none */
	uint64_t frame;
	bool copy;            /* the first store gets a frame of its own */
	bool large;           /* a part of a large page */
};

struct table {
	struct slot *slots;
	size_t size, count;   /* size: a power of two, or 0 */
};

struct x86_page_table {
	struct x86_frames *frames;
	struct x86_page_table *next;
	struct space *space;  /* NULL: it is gone */
	uint32_t number;
	struct table pages;
};

struct x86_frames {
	x86_frames_lost *lost;
	x86_frames_written *written; /* NULL: nobody */
	void *owner;
	struct x86_page_table *tables;
	uint32_t last_number;
	struct table files;   /* pages of files: key page, object file */
	bool gives_large;
	uint64_t first;       /* the number of the first frame */
	uint32_t *uses;       /* by frame, from the first one on */
	size_t count, capacity;
	uint64_t *unused;     /* frames, the last one is given first */
	size_t unused_count, unused_capacity;
	struct x86_frames_counts n;
};

/* ---- Hash tables ---- */

static size_t place(const struct table *table, uint64_t key, uint64_t object)
{
	uint64_t hash = (key ^ object << 17) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 24) & (table->size - 1);

	while (table->slots[at].key && (table->slots[at].key != key + 1 ||
					table->slots[at].object != object))
		at = (at + 1) & (table->size - 1);
	return at;
}

static struct slot *find(const struct table *table, uint64_t key,
			 uint64_t object)
{
	struct slot *slot;

	if (!table->count)
		return NULL;
	slot = &table->slots[place(table, key, object)];
	return slot->key ? slot : NULL;
}

static void enter(struct table *table, struct slot slot)
{
	if (2 * (table->count + 1) > table->size) {
		struct table old = *table;

		table->size = old.size ? 2 * old.size : 64;
		table->slots = xcalloc(table->size, sizeof *table->slots);
		for (size_t i = 0; i < old.size; i++)
			if (old.slots[i].key)
				table->slots[place(table, old.slots[i].key - 1,
						   old.slots[i].object)] =
					old.slots[i];
		free(old.slots);
	}
	table->slots[place(table, slot.key - 1, slot.object)] = slot;
	table->count++;
}

static void take_out(struct table *table, struct slot *slot)
{
	size_t at = (size_t)(slot - table->slots);

	table->slots[at].key = 0;
	/* Re-insert what may have been pushed past the freed slot. */
	for (at = (at + 1) & (table->size - 1); table->slots[at].key;
	     at = (at + 1) & (table->size - 1)) {
		struct slot moved = table->slots[at];

		table->slots[at].key = 0;
		table->slots[place(table, moved.key - 1, moved.object)] = moved;
	}
	table->count--;
}

/* ---- Frames ---- */

static uint64_t give(struct x86_frames *frames)
{
	frames->n.given++;
	if (frames->unused_count) {
		uint64_t frame = frames->unused[--frames->unused_count];

		frames->uses[frame - frames->first] = 1;
		return frame;
	}
	ARRAY_GROW(frames->uses, frames->count, frames->capacity);
	frames->uses[frames->count] = 1;
	return frames->first + frames->count++;
}

/* PAGES_OF_LARGE frames, one behind another and aligned. Those left out are given
 * to small pages. */
enum { LARGE_BITS = 9, PAGES_OF_LARGE = 1 << LARGE_BITS };

static uint64_t give_large(struct x86_frames *frames)
{
	uint64_t frame;

	while ((frames->first + frames->count) % PAGES_OF_LARGE) {
		ARRAY_GROW(frames->uses, frames->count, frames->capacity);
		frames->uses[frames->count] = 0;
		ARRAY_GROW(frames->unused, frames->unused_count,
			   frames->unused_capacity);
		frames->unused[frames->unused_count++] =
			frames->first + frames->count++;
	}
	frame = frames->first + frames->count;
	for (unsigned i = 0; i < PAGES_OF_LARGE; i++) {
		ARRAY_GROW(frames->uses, frames->count, frames->capacity);
		frames->uses[frames->count++] = 1;
	}
	frames->n.given += PAGES_OF_LARGE;
	frames->n.large++;
	return frame;
}

static void drop(struct x86_frames *frames, uint64_t frame)
{
	if (--frames->uses[frame - frames->first])
		return;
	ARRAY_GROW(frames->unused, frames->unused_count,
		   frames->unused_capacity);
	frames->unused[frames->unused_count++] = frame;
}

/* The page of a file, which the page cache keeps. */
static uint64_t of_file(struct x86_frames *frames,
			const struct space_region *region, uint64_t page)
{
	uint64_t key = page - (region->start >> X86_PAGE_BITS) +
		       (region->offset >> X86_PAGE_BITS);
	uint64_t object = region->inode ^ region->device << 40;
	struct slot *slot = find(&frames->files, key, object);
	struct slot made = { .key = key + 1, .object = object };

	if (slot) {
		frames->n.shared++;
		frames->uses[slot->frame - frames->first]++;
		return slot->frame;
	}
	made.frame = give(frames);
	frames->uses[made.frame - frames->first]++;
	enter(&frames->files, made);
	return made.frame;
}

/* Whether a page of [first, end) has a frame. */
static bool holds(const struct x86_page_table *table, uint64_t first,
		  uint64_t end)
{
	const struct table *pages = &table->pages;

	if (end - first < pages->size) {
		while (first < end && !find(pages, first, 0))
			first++;
		return first < end;
	}
	for (size_t i = 0; i < pages->size; i++)
		if (pages->slots[i].key > first && pages->slots[i].key <= end)
			return true;
	return false;
}

/* ---- Large pages ---- */

static bool may_be_large(const struct x86_page_table *table,
			 const struct space_region *region, uint64_t page)
{
	uint64_t first = page & ~(uint64_t)(PAGES_OF_LARGE - 1);

	return table->frames->gives_large && region->anonymous &&
	       !region->shared &&
	       region->start >> X86_PAGE_BITS <= first &&
	       region->end >> X86_PAGE_BITS >= first + PAGES_OF_LARGE &&
	       !holds(table, first, first + PAGES_OF_LARGE);
}

/* Gives the large page around a page its frames. Returns the first one. */
static uint64_t fill_large(struct x86_page_table *table, uint64_t page)
{
	uint64_t first = page & ~(uint64_t)(PAGES_OF_LARGE - 1);
	uint64_t frame = give_large(table->frames);

	for (unsigned i = 0; i < PAGES_OF_LARGE; i++)
		enter(&table->pages, (struct slot){ .key = first + i + 1,
						    .frame = frame + i,
						    .large = true });
	return frame;
}

/* A large page becomes small ones, with the same frames. */
static void split(struct x86_page_table *table, uint64_t page)
{
	uint64_t first = page & ~(uint64_t)(PAGES_OF_LARGE - 1);

	for (unsigned i = 0; i < PAGES_OF_LARGE; i++) {
		struct slot *slot = find(&table->pages, first + i, 0);

		if (slot)
			slot->large = false;
	}
}

bool x86_frames_is_large(const struct x86_page_table *table, uint64_t page)
{
	const struct slot *slot = find(&table->pages, page, 0);

	return slot && slot->large;
}

bool x86_page_table_mixes(const struct x86_page_table *table)
{
	return table->frames->gives_large;
}

void x86_frames_give_large(struct x86_frames *frames)
{
	frames->gives_large = true;
}

/* ---- Touches ---- */

enum x86_frame_answer x86_frames_find(struct x86_page_table *table,
				      uint64_t page, bool store,
				      uint64_t *frame, bool *writable,
				      bool *large)
{
	struct x86_frames *frames = table->frames;
	struct slot *slot = find(&table->pages, page, 0), made = { .key = 0 };
	const struct space_region *region;

	if (slot) {
		enum x86_frame_answer answer = X86_FRAME_KNOWN;

		if (slot->copy && store) {
			slot->copy = false;
			if (frames->uses[slot->frame - frames->first] > 1) {
				drop(frames, slot->frame);
				slot->frame = give(frames);
				frames->n.copied++;
			}
			answer = X86_FRAME_COPIED;
		}
		*frame = slot->frame;
		*writable = !slot->copy;
		*large = slot->large;
		return answer;
	}
	region = table->space ? space_region_at(table->space,
						page << X86_PAGE_BITS) : NULL;
	if (!region)
		return X86_FRAME_NONE;
	*large = may_be_large(table, region, page);
	if (*large) {
		*frame = fill_large(table, page) + page % PAGES_OF_LARGE;
		*writable = true;
		return X86_FRAME_FIRST;
	}
	made.key = page + 1;
	if (region->anonymous || (!region->shared && store)) {
		made.frame = give(frames);
	} else {
		made.frame = of_file(frames, region, page);
		made.copy = !region->shared;
	}
	enter(&table->pages, made);
	*frame = made.frame;
	*writable = !made.copy;
	return X86_FRAME_FIRST;
}

bool x86_frames_knows(const struct x86_page_table *table, uint64_t page,
		      bool store)
{
	const struct slot *slot = find(&table->pages, page, 0);

	return slot ? !slot->copy || !store
		    : !table->space || !space_region_at(table->space,
							page << X86_PAGE_BITS);
}

/* ---- Page tables ---- */

static void lose(struct x86_page_table *table, struct slot *slot)
{
	table->frames->n.lost++;
	drop(table->frames, slot->frame);
}

/* The pages of [first, end) lose their frames. Whether there was one. */
static bool clear(struct x86_page_table *table, uint64_t first, uint64_t end)
{
	size_t before = table->pages.count;

	if (!before)
		return false;
	if (end - first > table->pages.size) {
		struct table old = table->pages;

		table->pages = (struct table){ .size = 0 };
		for (size_t i = 0; i < old.size; i++) {
			struct slot *slot = &old.slots[i];

			if (!slot->key)
				continue;
			if (slot->key - 1 >= first && slot->key - 1 < end)
				lose(table, slot);
			else
				enter(&table->pages, *slot);
		}
		free(old.slots);
		return table->pages.count != before;
	}
	for (uint64_t page = first; page < end; page++) {
		struct slot *slot = find(&table->pages, page, 0);

		if (!slot)
			continue;
		lose(table, slot);
		take_out(&table->pages, slot);
	}
	return table->pages.count != before;
}

static void changed(void *owner, enum space_change change, uint64_t start,
		    uint64_t end)
{
	struct x86_page_table *table = owner;
	struct x86_frames *frames = table->frames;
	uint64_t first = start >> X86_PAGE_BITS;
	uint64_t last = (end + (1 << X86_PAGE_BITS) - 1) >> X86_PAGE_BITS;
	bool low = first % PAGES_OF_LARGE && x86_frames_is_large(table, first);
	bool high = last % PAGES_OF_LARGE && x86_frames_is_large(table, last), any;

	/* What goes, or gets other rights, may begin or end in a large page. */
	if (low) {
		split(table, first);
		start = (first & ~(uint64_t)(PAGES_OF_LARGE - 1))
			<< X86_PAGE_BITS;
	}
	if (high) {
		split(table, last);
		end = ((last | (PAGES_OF_LARGE - 1)) + 1) << X86_PAGE_BITS;
	}
	/* With other rights a page keeps its frame. */
	any = change == SPACE_PROTECTED ? holds(table, first, last)
					: clear(table, first, last);
	if (change == SPACE_GONE)
		table->space = NULL;
	else if (any)
		frames->lost(frames->owner, table->number, start, end);
}

/* A child's page table. */
static void forked(void *owner, struct space *to, uint64_t start, uint64_t end)
{
	struct x86_page_table *from = owner;
	struct x86_frames *frames = from->frames;
	struct x86_page_table *child = x86_frames_table(frames, to);
	bool any = false;

	for (size_t i = 0; i < from->pages.size; i++) {
		struct slot *slot = &from->pages.slots[i];
		uint64_t at = (slot->key - 1) << X86_PAGE_BITS;

		if (!slot->key || at < start || at >= end ||
		    find(&child->pages, slot->key - 1, 0))
			continue;
		slot->copy = any = true;
		slot->large = false;
		frames->uses[slot->frame - frames->first]++;
		frames->n.shared++;
		enter(&child->pages, *slot);
	}
	if (any)
		frames->lost(frames->owner, from->number, start, end);
}

static void written(void *owner, uint64_t start, uint64_t end, bool buffer)
{
	struct x86_page_table *table = owner;

	table->frames->written(table->frames->owner, table, start, end, buffer);
}

void x86_frames_follow(struct x86_frames *frames, x86_frames_written *follow)
{
	frames->written = follow;
}

bool x86_frames_has(const struct x86_page_table *table, uint64_t page,
		    uint64_t *frame)
{
	const struct slot *slot = find(&table->pages, page, 0);

	if (!slot || slot->copy)
		return false;
	*frame = slot->frame;
	return true;
}

struct x86_page_table *x86_frames_table(struct x86_frames *frames,
					struct space *space)
{
	struct x86_page_table *table;

	if (space->observer.owner)
		return space->observer.owner;
	table = xcalloc(1, sizeof *table);
	table->frames = frames;
	table->space = space;
	table->number = ++frames->last_number;
	table->next = frames->tables;
	frames->tables = table;
	space->observer = (struct space_observer){
		.changed = changed, .forked = forked, .owner = table,
		.written = frames->written ? written : NULL,
	};
	return table;
}

uint32_t x86_page_table_number(const struct x86_page_table *table)
{
	return table->number;
}

/* ---- Life ---- */

struct x86_frames *x86_frames_create(x86_frames_lost *lost, void *owner)
{
	struct x86_frames *frames = xcalloc(1, sizeof *frames);

	frames->lost = lost;
	frames->owner = owner;
	frames->first = FIRST_FRAME;
	return frames;
}

void x86_frames_begin(struct x86_frames *frames, uint64_t first)
{
	frames->first = first;
}

void x86_frames_free(struct x86_frames *frames)
{
	struct x86_page_table *table, *next;

	if (!frames)
		return;
	for (table = frames->tables; table; table = next) {
		next = table->next;
		if (table->space)
			table->space->observer =
				(struct space_observer){ .owner = NULL };
		free(table->pages.slots);
		free(table);
	}
	free(frames->files.slots);
	free(frames->uses);
	free(frames->unused);
	free(frames);
}

const struct x86_frames_counts *
x86_frames_counts(const struct x86_frames *frames)
{
	return &frames->n;
}
