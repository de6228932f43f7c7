/* Memory that address spaces share copy-on-write after a fork.
 *
 * A layer is a memory object of the host (a memfd). Pages that a fork finds
 * written go into a layer, and parent and child map the layer privately: the
 * host's MMU copies a page when one of them writes to it. When only one space
 * is left that maps a layer, that space maps it shared and so writes to the
 * layer itself: the next fork has nothing to copy. Only private anonymous
 * memory lies in layers. Regions do not record layers. */
#ifndef M2S_MEMSYS_SPACE_LAYER_H
#define M2S_MEMSYS_SPACE_LAYER_H

#include "memsys/space/interval.h"
#include "memsys/space/space.h"

struct layer {
	int memory;               /* memfd; a page's offset is its address */
	bool open;                /* takes new pages at free offsets */
	struct holding *holdings; /* one per space that maps it */
};

/* One space's use of one layer. */
struct holding {
	struct space *space;
	struct layer *layer;
	struct holding *next_in_space, *next_in_layer;
	size_t extents;
	struct holding *copy;     /* the child's, while forking */
};

/* A range of guest addresses at which a layer is mapped. */
struct extent {
	struct interval interval;
	struct holding *holding;
	uint64_t offset;          /* of `interval.start` in the layer */
	bool own;                 /* writes go to the layer */
};

struct space_layers {
	struct intervals set;     /* of struct extent */
	struct holding *holdings;
	size_t holding_count;
	struct holding *last;     /* the newest that this space made, or NULL */
	/* The current fork puts all pages into a new layer. */
	bool whole;
};

/* The first extent that ends after `address`, or NULL. */
struct extent *space_extent_from(const struct space *space, uint64_t address);
struct extent *space_extent_next(const struct extent *extent);

/* A layer that only this space maps and that takes pages at any of its free
 * offsets. NULL when the host has no more. */
struct holding *space_layer_open(struct space *space);
/* The holding with which another space maps a layer. */
struct holding *space_layer_hold(struct space *space, struct layer *layer);

/* Maps a layer privately at the parts of [start, end) that regions cover. 0 or
 * a negative errno. */
int space_layer_map(struct space *space, uint64_t start, uint64_t end,
		    struct holding *holding, uint64_t offset);
/* Removes the extents of [start, end), whose mapping is about to change or has
 * changed. */
void space_layer_clear(struct space *space, uint64_t start, uint64_t end);
/* Replaces layers in [start, end) by mappings of zeros. 0 or a negative
 * errno. */
int space_layer_zero(struct space *space, uint64_t start, uint64_t end);
/* To be called after host memory of [from, from + size) has moved to `to`. */
void space_layer_moved(struct space *space, uint64_t from, uint64_t to,
		       uint64_t size);
/* To be called before a fork: from then on nothing writes to a layer. 0 or a
 * negative errno. */
int space_layer_disown(struct space *space);
/* To be called at the end of a space, when its memory is no longer mapped. */
void space_layers_free(struct space *space);

/* --- space/pagemap.c: what the host tells about pages --- */

enum { PAGEMAP_ENTRIES = 2048 };
struct pagemap {
	int file;
	uint64_t first, count; /* host page numbers */
	uint64_t entry[PAGEMAP_ENTRIES];
};
void pagemap_open(struct pagemap *pagemap);
void pagemap_close(struct pagemap *pagemap);
/* Finds the next pages in [*at, end) that are mapped privately and have
 * contents of their own: pages that were touched and no longer are the file's
 * (or layer's). If the host does not tell, all pages count. False when there is
 * none. Otherwise *at is the first such page, and *stop is the end of the
 * run. */
bool pagemap_next(struct pagemap *pagemap, const struct space *space,
		  uint64_t *at, uint64_t *stop, uint64_t end);

/* --- space/copy.c --- */

/* Writes mapped pages of [start, end) to a file, whatever their protection. 0
 * or a negative errno. */
int space_store_pages(const struct space *space, uint64_t start, uint64_t end,
		      int file, uint64_t offset);

#endif
