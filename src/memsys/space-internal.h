/* What the files of a guest's address space share. */
#ifndef M2S_MEMSYS_SPACE_INTERNAL_H
#define M2S_MEMSYS_SPACE_INTERNAL_H

#include "memsys/space.h"

struct region {
	struct space_region public; /* name points to `name` */
	char *name;
};

struct space_regions {
	struct region *list; /* by address, disjoint */
	size_t count, capacity;
	/* Watched page numbers + 1, open addressing; 0 is a free slot. */
	uint64_t *watched;
	size_t watched_count, watched_size;
};

/* --- space-region.c: the list --- */

/* Index of the first region that ends after `address`. */
size_t space_region_from(const struct space *space, uint64_t address);
void space_region_insert(struct space *space, size_t at,
			 const struct space_region *public);
void space_region_remove(struct space *space, size_t at, size_t count);
/* Makes `address` a boundary: splits the region that spans it. Returns the
 * index of the first region at or above it. */
size_t space_region_split(struct space *space, uint64_t address);
/* Joins neighbours that do not differ among regions [from, to]. */
void space_region_merge(struct space *space, size_t from, size_t to);
/* Whether all of the bytes can be read: x86 pages that can be written or
 * executed can. */
bool space_readable(const struct space *space, uint64_t address, uint64_t size);

/* --- space-watch.c --- */

/* Calls visit(page) for each watched page in [start, end). */
void space_watch_each(struct space *space, uint64_t start, uint64_t end,
		      void (*visit)(struct space *space, uint64_t page));
/* space_unwatch() by the page's number; to be visited. */
void space_unwatch_page(struct space *space, uint64_t page);
/* Before the mapping or protection of a range changes. */
void space_about_to_change(struct space *space, uint64_t start, uint64_t end);

#endif
