#include "x86/timing/check/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

enum { CHUNK = 1024 }; /* pages asked for at once */

enum { ALL = SPACE_READ | SPACE_WRITE | SPACE_EXECUTE };

/* ---- Changes ---- */

static struct image_change *append(struct image_changes *changes)
{
	ARRAY_GROW(changes->list, changes->count, changes->capacity);
	return &changes->list[changes->count++];
}

void image_note_write(struct image_changes *changes, uint64_t address,
		      const void *bytes, size_t size)
{
	struct image_change *change = append(changes);

	*change = (struct image_change){
		.address = address, .size = size, .bytes = xmalloc(size),
		.kind = IMAGE_WRITE,
	};
	memcpy(change->bytes, bytes, size);
}

struct image_change image_change_copy(const struct image_change *change)
{
	struct image_change copy = *change;

	if (change->kind != IMAGE_WRITE)
		return copy;
	copy.bytes = xmalloc(change->size);
	memcpy(copy.bytes, change->bytes, change->size);
	return copy;
}

void image_changes_clear(struct image_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		free(changes->list[i].bytes);
	free(changes->list);
	*changes = (struct image_changes){ 0 };
}

void image_apply(struct space *image, const struct image_change *change)
{
	switch (change->kind) {
	case IMAGE_MAP:
		space_map(image, change->address, change->size,
			  change->accessible ? ALL : 0, false, -1, 0, "");
		break;
	case IMAGE_UNMAP:
		space_unmap(image, change->address, change->size);
		break;
	case IMAGE_WRITE:
		(void)space_write(image, change->address, change->bytes,
				  change->size);
		break;
	}
}

/* ---- Mappings ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void note_mapping(struct image_changes *changes, uint64_t start,
			 uint64_t end, enum image_change_kind kind,
			 bool accessible)
{
	*append(changes) = (struct image_change){
		.address = start, .size = end - start, .kind = (uint8_t)kind,
		.accessible = accessible,
	};
}

static void compare_mappings(const struct space *image,
			     const struct space *memory,
			     struct image_changes *changes)
{
	uint64_t at = 0;

	for (;;) {
		const struct space_region *m = space_region_above(memory, at);
		const struct space_region *i = space_region_above(image, at);
		bool in_m, in_i, readable;
		uint64_t end;

		if (!m && !i)
			return;
		at = m && (!i || m->start < i->start) ? (m->start > at
								 ? m->start
								 : at)
		     : i->start > at ? i->start : at;
		in_m = m && m->start <= at;
		in_i = i && i->start <= at;
		end = least(!m ? UINT64_MAX : in_m ? m->end : m->start,
			    !i ? UINT64_MAX : in_i ? i->end : i->start);
		readable = in_m && m->protection;
		if (!in_m)
			note_mapping(changes, at, end, IMAGE_UNMAP, false);
		else if (!in_i || readable != !!i->protection)
			/* What could not be read may have any bytes. */
			note_mapping(changes, at, end, IMAGE_MAP, readable);
		at = end;
	}
}

/* ---- Bytes ---- */

/* Notes which of `count` pages have been touched. */
static void touched(const struct space *space, uint64_t address, size_t count,
		    uint8_t *flags, bool all)
{
	uint64_t end = address + count * SPACE_PAGE, stop;
	uint8_t some[CHUNK];

	for (; address < end; address = stop) {
		uint8_t *host = space_chunk(space, address, end, &stop);
		size_t pages = (stop - address) / SPACE_PAGE;

		if (all || (host && mincore(host, stop - address, some)))
			memset(some, 1, pages);
		else if (!host)
			memset(some, 0, pages);
		for (size_t i = 0; i < pages; i++)
			*flags++ |= some[i] & 1;
	}
}

static void compare_page(const struct space *image, const struct space *memory,
			 uint64_t address, bool whole,
			 struct image_changes *changes)
{
	uint8_t own[SPACE_PAGE], theirs[SPACE_PAGE];
	unsigned start, end;

	/* The file behind a page may have become shorter. */
	if (space_read(memory, address, theirs, SPACE_PAGE))
		return;
	/* It will be mapped before: zeros. */
	if (space_read(image, address, own, SPACE_PAGE))
		memset(own, 0, SPACE_PAGE);
	if (!memcmp(own, theirs, SPACE_PAGE))
		return;
	if (whole) {
		image_note_write(changes, address, theirs, SPACE_PAGE);
		return;
	}
	for (start = 0; start < SPACE_PAGE; start = end) {
		while (start < SPACE_PAGE && own[start] == theirs[start])
			start++;
		for (end = start; end < SPACE_PAGE && own[end] != theirs[end];)
			end++;
		if (end > start)
			image_note_write(changes, address + start,
					 theirs + start, end - start);
	}
}

void image_compare(const struct space *image, const struct space *memory,
		   bool whole, struct image_changes *changes)
{
	const struct space_region *region;
	uint64_t next = 0;

	compare_mappings(image, memory, changes);
	while ((region = space_region_above(memory, next))) {
		uint64_t at = region->start;

		next = region->end;
		if (!region->protection || region->shared)
			continue;
		while (at < region->end) {
			uint8_t flags[CHUNK] = { 0 };
			size_t count = (region->end - at) / SPACE_PAGE;

			if (count > CHUNK)
				count = CHUNK;
			touched(memory, at, count, flags, !region->anonymous);
			touched(image, at, count, flags, false);
			for (size_t i = 0; i < count; i++)
				if (flags[i] ||
				    space_page_shared(memory,
						      at + i * SPACE_PAGE))
					compare_page(image, memory,
						     at + i * SPACE_PAGE, whole,
						     changes);
			at += count * SPACE_PAGE;
		}
	}
}
