/* The declarations that the files of src/memsys/space share. */
#ifndef M2S_MEMSYS_SPACE_INTERNAL_H
#define M2S_MEMSYS_SPACE_INTERNAL_H

#include "memsys/space/interval.h"
#include "memsys/space/space.h"

/* The simulator's own descriptor of a file that a region maps privately, so
 * that the file can be mapped again when its name is gone. */
struct mapped_file {
	int descriptor;
	unsigned references; /* regions */
};

struct region {
	struct interval interval;
	struct mapped_file *file; /* NULL: shared, anonymous, or no descriptor */
	struct space_region public; /* its name is the `name` below */
	char *name;
};

/* A reservation of far memory. */
struct window {
	struct interval interval; /* a multiple of pieces */
	uint8_t *base;            /* host address of its start */
};

struct space_regions {
	struct intervals set;     /* of struct region */
	struct intervals windows; /* of struct window */
	/* Watched page numbers + 1, open addressing; 0 is a free slot. */
	uint64_t *watched;
	size_t watched_count, watched_size;
};

/* The host's mmap() protection for a guest protection. */
int space_host_protection(int protection);
/* Changes the host's protection only. 0 or a negative errno. */
int space_host_protect(const struct space *space, uint64_t start, uint64_t end,
		       int protection);

/* --- space/host.c --- */

/* Reserves host memory that cannot be accessed, and some more behind it. NULL
 * when the host has no room. */
uint8_t *space_reserve(uint64_t size);
void space_release(uint8_t *base, uint64_t size);
/* Moves host pages, all or none. 0 or -1. The host moves one mapping at a time
 * and does not tell where one ends: a range that is several is halved. */
int space_move_pages(uint8_t *from, uint8_t *to, uint64_t size);
/* Moves the host memory of the regions in [start, end) from one host address to
 * another, all or nothing. 0 or -1. */
int space_move_host(const struct space *space, uint64_t start, uint64_t end,
		    uint8_t *from, uint8_t *to);

/* --- space.c --- */

/* space_map() that keeps the file for later. Takes over the reference to
 * `kept`. */
int space_map_kept(struct space *space, const struct space_region *region,
		   int file, struct mapped_file *kept);

/* --- space/far.c --- */

/* Makes the window of the piece that holds an address, or all windows of a
 * range. 0 or -ENOMEM. */
int space_far_make(struct space *space, uint64_t address);
int space_far_make_all(struct space *space, uint64_t start, uint64_t end);
/* Frees the windows of [start, end) in which nothing is mapped any more. */
void space_far_trim(struct space *space, uint64_t start, uint64_t end);
void space_far_free(struct space *space);

/* --- space/region.c --- */

/* The first region that ends after `address`, or NULL. */
struct region *space_region_from(const struct space *space, uint64_t address);
/* The region above this one, or NULL. */
struct region *space_region_next(const struct region *region);
/* Takes over one reference to `file`, which may be NULL. */
void space_region_insert(struct space *space,
			 const struct space_region *public,
			 struct mapped_file *file);
/* A reference to the file of a new private mapping. If a region near by maps
 * the same file, its descriptor is shared. NULL when the host has no more
 * descriptors. */
struct mapped_file *space_region_file(const struct space *space,
				      const struct space_region *public,
				      int file);
struct mapped_file *mapped_file_hold(struct mapped_file *file);
void mapped_file_release(struct mapped_file *file);
/* Makes `address` a boundary by splitting the region that spans it. Returns the
 * first region at or above `address`. */
struct region *space_region_split(struct space *space, uint64_t address);
/* Removes the regions of [start, end) from the tree. */
void space_region_clear(struct space *space, uint64_t start, uint64_t end);
/* Joins adjacent regions with equal properties, from the region that ends at
 * `start` to the region that begins at `end`. */
void space_region_merge(struct space *space, uint64_t start, uint64_t end);
/* Whether all of the bytes can be read. x86 pages that can be written or
 * executed can also be read. */
bool space_readable(const struct space *space, uint64_t address, uint64_t size);

/* --- space/watch.c --- */

/* Calls visit(page) for each watched page in [start, end). */
void space_watch_each(struct space *space, uint64_t start, uint64_t end,
		      void (*visit)(struct space *space, uint64_t page));
/* space_unwatch() by the page's number; a visitor for space_watch_each(). */
void space_unwatch_page(struct space *space, uint64_t page);
/* To be called before the mapping or protection of a range changes. */
void space_about_to_change(struct space *space, uint64_t start, uint64_t end);
/* Tells the observer. */
static inline void space_tell(struct space *space, enum space_change change,
			      uint64_t start, uint64_t end)
{
	if (space->observer.owner)
		space->observer.changed(space->observer.owner, change, start,
					end);
}

#endif
