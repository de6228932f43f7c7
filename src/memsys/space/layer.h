/* Memory that address spaces share copy-on-write after a fork.
 *
 * A layer is a memory object of the host. Pages that a fork finds written go
 * into one, and parent and child map it privately: the host's MMU copies a
 * page when one of them writes to it. While only one space is left that maps
 * a layer, it maps it shared, and so writes to the layer itself: the next fork
 * then has nothing to copy. Only private anonymous memory lies in layers;
 * regions do not know. */
#ifndef M2S_MEMSYS_SPACE_LAYER_H
#define M2S_MEMSYS_SPACE_LAYER_H

#include "memsys/interval.h"
#include "memsys/space/space.h"

struct layer {
	int memory;               /* memfd; a page's offset is its address */
	bool open;                /* takes new pages at offsets without any */
	struct holding *holdings; /* one for each space that maps it */
};

/* That a space maps a layer. */
struct holding {
	struct space *space;
	struct layer *layer;
	struct holding *next_in_space, *next_in_layer;
	size_t extents;
	struct holding *copy;     /* the child's, while forking */
};

/* Addresses that show a layer. */
struct extent {
	struct interval interval;
	struct holding *holding;
	uint64_t offset;          /* of the first one in the layer */
	bool own;                 /* writes go to the layer */
};

struct space_layers {
	struct intervals set;     /* of struct extent */
	struct holding *holdings;
	size_t holding_count;
	struct holding *last;     /* the newest that this space made, or NULL */
	bool whole;               /* this fork puts all into a new layer */
};

/* The first extent that ends after `address`, or NULL. */
struct extent *space_extent_from(const struct space *space, uint64_t address);
struct extent *space_extent_next(const struct extent *extent);

/* A layer for this space alone that takes pages at any of its free addresses;
 * NULL when the host has none. */
struct holding *space_layer_open(struct space *space);
/* What a space needs to map a layer, too. */
struct holding *space_layer_hold(struct space *space, struct layer *layer);

/* Makes [start, end) show a layer privately, wherever a region is. 0 or a
 * negative errno. */
int space_layer_map(struct space *space, uint64_t start, uint64_t end,
		    struct holding *holding, uint64_t offset);
/* Forgets the extents of [start, end), whose mapping changes or has changed. */
void space_layer_clear(struct space *space, uint64_t start, uint64_t end);
/* Gives what lies in layers there a mapping of zeros instead. 0 or a negative
 * errno. */
int space_layer_zero(struct space *space, uint64_t start, uint64_t end);
/* After [from, from + size) went to `to` on the host. */
void space_layer_moved(struct space *space, uint64_t from, uint64_t to,
		       uint64_t size);
/* Before a fork: nothing writes to a layer any more. 0 or a negative errno. */
int space_layer_disown(struct space *space);
/* At the end of the space, whose memory is no longer mapped. */
void space_layers_free(struct space *space);

/* --- space/pagemap.c: what the host says of pages --- */

enum { PAGEMAP_ENTRIES = 2048 };
struct pagemap {
	int file;
	uint64_t first, count; /* host page numbers */
	uint64_t entry[PAGEMAP_ENTRIES];
};
void pagemap_open(struct pagemap *pagemap);
void pagemap_close(struct pagemap *pagemap);
/* The next pages in [*at, end) that are mapped privately and have bytes of
 * their own: they were touched, and are not the file's (or layer's). When the
 * host does not tell, all. False when there is none; else *at is the first and
 * *stop behind the last. */
bool pagemap_next(struct pagemap *pagemap, const struct space *space,
		  uint64_t *at, uint64_t *stop, uint64_t end);

/* --- space/fork.c --- */

/* Writes mapped pages of [start, end) to a file, whatever their protection. 0
 * or a negative errno. */
int space_store_pages(const struct space *space, uint64_t start, uint64_t end,
		      int file, uint64_t offset);

#endif
