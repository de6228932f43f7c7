/* The log of stores, in their order. For loads there is a table of lines, which
 * says for each byte which store wrote it last. When the oldest store goes, its
 * bytes go, except those that a younger store has overwritten. */
#include "x86/emu/observe/stores.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LINE = 64, SMALL = 32, TABLE = 256 };

struct store {
	uint64_t address;
	uint64_t serial;
	size_t size;
	uint8_t *large;       /* the bytes of a store of more than ... */
	uint8_t small[SMALL];
};

struct line {
	uint64_t number;      /* address / LINE */
	uint64_t valid;       /* a bit for each byte; 0: the line is free for
	                       * another */
	uint64_t serial[LINE]; /* of the store that wrote the byte */
	uint8_t byte[LINE];
};

struct x86_stores {
	struct store *store;  /* [first, end) */
	size_t first, end, capacity;
	uint64_t serial;      /* that of the next store */
	/* Lines by number with open addressing: `place` holds 1 + an index of
	 * `line`, 0 where the search ends. */
	struct line *line;
	size_t lines, line_capacity;
	uint32_t *place;
	size_t places;        /* a power of 2 */
};

struct x86_stores *x86_stores_create(void)
{
	struct x86_stores *stores = xcalloc(1, sizeof *stores);

	stores->places = TABLE;
	stores->place = xcalloc(TABLE, sizeof *stores->place);
	return stores;
}

void x86_stores_free(struct x86_stores *stores)
{
	if (!stores)
		return;
	x86_stores_keep(stores, 0);
	free(stores->store);
	free(stores->line);
	free(stores->place);
	free(stores);
}

size_t x86_stores_count(const struct x86_stores *stores)
{
	return stores->end - stores->first;
}

/* ---- Lines ---- */

static size_t hash(const struct x86_stores *stores, uint64_t number)
{
	return (size_t)(number * 0x9e3779b97f4a7c15u >> 40) &
	       (stores->places - 1);
}

static struct line *find(const struct x86_stores *stores, uint64_t number)
{
	for (size_t at = hash(stores, number); stores->place[at];
	     at = (at + 1) & (stores->places - 1)) {
		struct line *line = &stores->line[stores->place[at] - 1];

		if (line->number == number)
			return line;
	}
	return NULL;
}

static void enter(struct x86_stores *stores, size_t index)
{
	size_t at = hash(stores, stores->line[index].number);

	while (stores->place[at])
		at = (at + 1) & (stores->places - 1);
	stores->place[at] = (uint32_t)index + 1;
}

static void forget_lines(struct x86_stores *stores)
{
	if (!stores->lines)
		return;
	stores->lines = 0;
	memset(stores->place, 0, stores->places * sizeof *stores->place);
}

/* Makes room for lines: removes lines without bytes, and lets the table grow if
 * many are left. */
static void make_room(struct x86_stores *stores)
{
	size_t left = 0;

	for (size_t i = 0; i < stores->lines; i++)
		if (stores->line[i].valid)
			stores->line[left++] = stores->line[i];
	stores->lines = left;
	if (left >= stores->places / 4) {
		free(stores->place);
		stores->places *= 2;
		stores->place = xcalloc(stores->places,
					sizeof *stores->place);
	} else {
		memset(stores->place, 0,
		       stores->places * sizeof *stores->place);
	}
	for (size_t i = 0; i < left; i++)
		enter(stores, i);
}

static struct line *line_at(struct x86_stores *stores, uint64_t number)
{
	struct line *line = find(stores, number);

	if (line)
		return line;
	if (stores->lines >= stores->places / 2)
		make_room(stores);
	ARRAY_GROW(stores->line, stores->lines, stores->line_capacity);
	line = &stores->line[stores->lines];
	line->number = number;
	line->valid = 0;
	enter(stores, stores->lines++);
	return line;
}

/* The part of [*address, end) in its line: the number of its first byte, and
 * *size. *address becomes the start of the next part. */
static unsigned next_part(uint64_t *address, uint64_t end, unsigned *size)
{
	unsigned first = (unsigned)(*address % LINE);
	uint64_t rest = end - *address;

	*size = rest < LINE - first ? (unsigned)rest : LINE - first;
	*address += *size;
	return first;
}

static uint64_t bits(unsigned first, unsigned size)
{
	return (size == 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1) << first;
}

static void write_lines(struct x86_stores *stores, const struct store *store,
			const uint8_t *bytes)
{
	uint64_t at = store->address, end = at + store->size;

	while (at != end) {
		struct line *line = line_at(stores, at / LINE);
		unsigned size, first = next_part(&at, end, &size);

		memcpy(line->byte + first, bytes, size);
		for (unsigned i = first; i < first + size; i++)
			line->serial[i] = store->serial;
		line->valid |= bits(first, size);
		bytes += size;
	}
}

/* ---- The log ---- */

static const uint8_t *bytes_of(const struct store *store)
{
	return store->large ? store->large : store->small;
}

void x86_stores_append(struct x86_stores *stores, uint64_t address,
		       const void *bytes, size_t size)
{
	struct store *store;

	if (stores->end == stores->capacity && stores->first &&
	    stores->first >= stores->capacity / 2) {
		memmove(stores->store, stores->store + stores->first,
			x86_stores_count(stores) * sizeof *stores->store);
		stores->end -= stores->first;
		stores->first = 0;
	}
	ARRAY_GROW(stores->store, stores->end, stores->capacity);
	store = &stores->store[stores->end++];
	store->address = address;
	store->serial = stores->serial++;
	store->size = size;
	store->large = size > SMALL ? xmalloc(size) : NULL;
	memcpy(store->large ? store->large : store->small, bytes, size);
	write_lines(stores, store, bytes);
}

bool x86_stores_touch(const struct x86_stores *stores, uint64_t address,
		      size_t size)
{
	uint64_t end = address + size;

	if (stores->first == stores->end)
		return false;
	while (address != end) {
		const struct line *line = find(stores, address / LINE);
		unsigned part, first = next_part(&address, end, &part);

		if (line && line->valid & bits(first, part))
			return true;
	}
	return false;
}

void x86_stores_over(const struct x86_stores *stores, uint64_t address,
		     void *bytes, size_t size)
{
	uint64_t end = address + size;
	uint8_t *to = bytes;

	while (address != end) {
		const struct line *line = find(stores, address / LINE);
		unsigned part, first = next_part(&address, end, &part);

		for (unsigned i = 0; line && i < part; i++)
			if (line->valid >> (first + i) & 1)
				to[i] = line->byte[first + i];
		to += part;
	}
}

void x86_stores_mark(const struct x86_stores *stores, size_t count,
		     uint64_t address, bool *flags, size_t size)
{
	if (count > x86_stores_count(stores))
		count = x86_stores_count(stores);
	for (size_t i = 0; i < count; i++) {
		const struct store *store = &stores->store[stores->first + i];

		for (size_t k = 0; k < store->size; k++)
			if (store->address + k - address < size)
				flags[store->address + k - address] = false;
	}
}

const void *x86_stores_oldest(const struct x86_stores *stores,
			      uint64_t *address, size_t *size)
{
	const struct store *store = &stores->store[stores->first];

	*address = store->address;
	*size = store->size;
	return bytes_of(store);
}

void x86_stores_remove_oldest(struct x86_stores *stores)
{
	struct store *store = &stores->store[stores->first++];
	uint64_t at = store->address, end = at + store->size;

	while (at != end) {
		struct line *line = find(stores, at / LINE);
		unsigned size, first = next_part(&at, end, &size);

		for (unsigned i = first; i < first + size; i++)
			if (line->serial[i] == store->serial)
				line->valid &= ~(UINT64_C(1) << i);
	}
	free(store->large);
	if (stores->first == stores->end) {
		stores->first = stores->end = 0;
		forget_lines(stores);
	}
}

void x86_stores_keep(struct x86_stores *stores, size_t count)
{
	if (count >= x86_stores_count(stores))
		return;
	while (x86_stores_count(stores) > count)
		free(stores->store[--stores->end].large);
	/* The lines are made anew from the stores that are left: few, or
	 * none. */
	forget_lines(stores);
	if (!count)
		stores->first = stores->end = 0;
	for (size_t i = stores->first; i < stores->end; i++)
		write_lines(stores, &stores->store[i],
			    bytes_of(&stores->store[i]));
}
