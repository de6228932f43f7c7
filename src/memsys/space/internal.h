/* What the files of a guest's address space share. */
#ifndef M2S_MEMSYS_SPACE_INTERNAL_H
#define M2S_MEMSYS_SPACE_INTERNAL_H

#include "memsys/interval.h"
#include "memsys/space/space.h"

/* A descriptor of ours for what a region maps privately, so that the file can
 * be mapped again when its name is gone. */
struct mapped_file {
	int descriptor;
	unsigned references; /* regions */
};

struct region {
	struct interval interval;
	struct mapped_file *file; /* NULL: shared, anonymous, or no descriptor */
	struct space_region public; /* name points to `name` */
	char *name;
};

/* A reservation of far memory. */
struct window {
	struct interval interval; /* whole pieces */
	uint8_t *base;            /* the host's address of its start */
};

struct space_regions {
	struct intervals set;     /* of struct region */
	struct intervals windows; /* of struct window */
	/* Watched page numbers + 1, open addressing; 0 is a free slot. */
	uint64_t *watched;
	size_t watched_count, watched_size;
};

/* Guest protection as the host's. */
int space_host_protection(int protection);
/* Changes the host's protection only. 0 or a negative errno. */
int space_host_protect(const struct space *space, uint64_t start, uint64_t end,
		       int protection);

/* --- space.c --- */

/* Host memory that cannot be accessed, and some more behind it; NULL when
 * there is none. */
uint8_t *space_reserve(uint64_t size);
void space_release(uint8_t *base, uint64_t size);
/* Moves what regions have in [start, end) from one place of the host to
 * another, all or nothing: 0 or -1. */
int space_move_host(const struct space *space, uint64_t start, uint64_t end,
		    uint8_t *from, uint8_t *to);

/* space_map() with the file kept for later; takes over the reference. */
int space_map_kept(struct space *space, const struct space_region *region,
		   int file, struct mapped_file *kept);

/* --- space/far.c --- */

/* Makes windows for the piece of an address, for all of a range. 0 or
 * -ENOMEM. */
int space_far_make(struct space *space, uint64_t address);
int space_far_make_all(struct space *space, uint64_t start, uint64_t end);
/* Frees windows that nothing is mapped in any more. */
void space_far_trim(struct space *space, uint64_t start, uint64_t end);
void space_far_free(struct space *space);
/* When a space grows to `size`: the size that no window spans; what is far
 * moves to its place from `base` on, all or nothing; its windows go. */
uint64_t space_far_reach(const struct space *space, uint64_t size);
int space_far_absorb(struct space *space, uint64_t size, uint8_t *base);
void space_far_drop(struct space *space, uint64_t size);

/* --- space/region.c --- */

/* The first region that ends after `address`, or NULL. */
struct region *space_region_from(const struct space *space, uint64_t address);
/* The region above this one, or NULL. */
struct region *space_region_next(const struct region *region);
/* Takes over one reference to `file`, which may be NULL. */
void space_region_insert(struct space *space,
			 const struct space_region *public,
			 struct mapped_file *file);
/* A reference to the file of a new private mapping, by its descriptor: that of
 * a region near by when it is the same file. NULL when the host has no more
 * descriptors. */
struct mapped_file *space_region_file(const struct space *space,
				      const struct space_region *public,
				      int file);
struct mapped_file *mapped_file_hold(struct mapped_file *file);
void mapped_file_release(struct mapped_file *file);
/* Makes `address` a boundary: splits the region that spans it. Returns the
 * first region at or above it. */
struct region *space_region_split(struct space *space, uint64_t address);
/* Forgets what lies in [start, end). */
void space_region_clear(struct space *space, uint64_t start, uint64_t end);
/* Joins neighbours that do not differ, from the one that ends at `start` to
 * the one that begins at `end`. */
void space_region_merge(struct space *space, uint64_t start, uint64_t end);
/* Whether all of the bytes can be read: x86 pages that can be written or
 * executed can. */
bool space_readable(const struct space *space, uint64_t address, uint64_t size);

/* --- space/watch.c --- */

/* Calls visit(page) for each watched page in [start, end). */
void space_watch_each(struct space *space, uint64_t start, uint64_t end,
		      void (*visit)(struct space *space, uint64_t page));
/* space_unwatch() by the page's number; to be visited. */
void space_unwatch_page(struct space *space, uint64_t page);
/* Before the mapping or protection of a range changes. */
void space_about_to_change(struct space *space, uint64_t start, uint64_t end);

#endif
