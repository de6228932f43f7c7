#include "memsys/space/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "memsys/space/internal.h"

static struct extent *extent_of(struct interval *interval)
{
	return (struct extent *)interval;
}

struct extent *space_extent_from(const struct space *space, uint64_t address)
{
	return extent_of(intervals_from(&space->layers->set, address));
}

struct extent *space_extent_next(const struct extent *extent)
{
	return extent_of(extent->interval.beside[1]);
}

static uint64_t extent_size(const struct extent *extent)
{
	return extent->interval.end - extent->interval.start;
}

/* ---- Layers and their holders ---- */

static bool alone(const struct layer *layer)
{
	return !layer->holdings->next_in_layer;
}

struct holding *space_layer_hold(struct space *space, struct layer *layer)
{
	struct holding *holding = xcalloc(1, sizeof *holding);

	holding->space = space;
	holding->layer = layer;
	holding->next_in_space = space->layers->holdings;
	space->layers->holdings = holding;
	space->layers->holding_count++;
	holding->next_in_layer = layer->holdings;
	layer->holdings = holding;
	return holding;
}

struct holding *space_layer_open(struct space *space)
{
	struct holding *last = space->layers->last;
	struct layer *layer;
	int memory;

	if (last && last->layer->open && alone(last->layer))
		return last;
	memory = memfd_create("guest", MFD_CLOEXEC);
	if (memory < 0)
		return NULL;
	if (ftruncate(memory, (off_t)space->end) != 0) {
		close(memory);
		return NULL;
	}
	layer = xcalloc(1, sizeof *layer);
	layer->memory = memory;
	layer->open = true;
	return space->layers->last = space_layer_hold(space, layer);
}

/* Gives pages of a layer back to the host. */
static void punch(const struct layer *layer, uint64_t from, uint64_t to)
{
	if (from < to)
		fallocate(layer->memory,
			  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)from, (off_t)(to - from));
}

static void reclaim(struct holding *holding);

/* When nothing of the space shows the layer any more. */
static void drop_holding(struct holding *holding)
{
	struct space_layers *layers = holding->space->layers;
	struct layer *layer = holding->layer;
	struct holding **at = &layers->holdings;

	while (*at != holding)
		at = &(*at)->next_in_space;
	*at = holding->next_in_space;
	layers->holding_count--;
	if (layers->last == holding)
		layers->last = NULL;
	for (at = &layer->holdings; *at != holding;)
		at = &(*at)->next_in_layer;
	*at = holding->next_in_layer;
	free(holding);
	if (!layer->holdings) {
		close(layer->memory);
		free(layer);
	} else if (alone(layer)) {
		reclaim(layer->holdings);
	}
}

/* ---- Extents ---- */

static void insert_extent(struct space *space, uint64_t start, uint64_t end,
			  struct holding *holding, uint64_t offset, bool own)
{
	struct extent *extent = xcalloc(1, sizeof *extent);

	extent->interval.start = start;
	extent->interval.end = end;
	extent->holding = holding;
	extent->offset = offset;
	extent->own = own;
	holding->extents++;
	intervals_insert(&space->layers->set, &extent->interval);
}

static void split_extent(struct space *space, uint64_t address)
{
	struct extent *extent = space_extent_from(space, address);
	uint64_t end;

	if (!extent || extent->interval.start >= address)
		return;
	end = extent->interval.end;
	interval_set_end(&extent->interval, address);
	insert_extent(space, address, end, extent->holding,
		      extent->offset + extent_size(extent), extent->own);
}

/* Joins what lies below and above an address when it goes on there. */
static void merge_extents(struct space *space, uint64_t address)
{
	struct extent *high = space_extent_from(space, address), *low;
	uint64_t end;

	low = high ? extent_of(high->interval.beside[0]) : NULL;
	if (!low || high->interval.start != address ||
	    low->interval.end != address || low->holding != high->holding ||
	    low->own != high->own ||
	    low->offset + extent_size(low) != high->offset)
		return;
	end = high->interval.end;
	intervals_remove(&space->layers->set, &high->interval);
	high->holding->extents--;
	free(high);
	interval_set_end(&low->interval, end);
}

static void remove_extent(struct space *space, struct extent *extent)
{
	struct holding *holding = extent->holding;

	intervals_remove(&space->layers->set, &extent->interval);
	if (alone(holding->layer))
		punch(holding->layer, extent->offset,
		      extent->offset + extent_size(extent));
	free(extent);
	if (!--holding->extents)
		drop_holding(holding);
}

void space_layer_clear(struct space *space, uint64_t start, uint64_t end)
{
	struct extent *extent;

	split_extent(space, start);
	split_extent(space, end);
	while ((extent = space_extent_from(space, start)) &&
	       extent->interval.start < end)
		remove_extent(space, extent);
}

void space_layers_free(struct space *space)
{
	struct space_layers *layers = space->layers;

	while (layers->set.root)
		remove_extent(space, extent_of(layers->set.root));
	while (layers->holdings)
		drop_holding(layers->holdings);
	free(layers);
}

/* ---- Mapping ---- */

static void protect_watched(struct space *space, uint64_t page)
{
	space_host_protect(space, page * SPACE_PAGE, (page + 1) * SPACE_PAGE,
			   PROT_READ);
}

/* Maps a layer over regions, or zeros when `holding` is NULL. */
struct cover {
	const struct layer *layer;
	uint64_t offset; /* of `start` */
	uint64_t start;
	int flags;
};

static int cover_pages(const struct space *space, const struct cover *cover,
		       uint64_t from, uint64_t end, int protection)
{
	const struct layer *layer = cover->layer;
	uint64_t stop;

	for (uint64_t at = from; at < end; at = stop) {
		uint8_t *host = space_chunk(space, at, end, &stop);

		if (host &&
		    mmap(host, stop - at, protection,
			 MAP_FIXED | MAP_NORESERVE | cover->flags |
				 (layer ? 0 : MAP_ANONYMOUS),
			 layer ? layer->memory : -1,
			 layer ? (off_t)(cover->offset + (at - cover->start))
			       : 0) == MAP_FAILED)
			return -errno;
	}
	return 0;
}

/* Maps a layer, or zeros when that is NULL, over the regions there. */
static int map_over(struct space *space, uint64_t start, uint64_t end,
		    const struct layer *layer, uint64_t offset, int flags)
{
	const struct cover cover = { layer, offset, start, flags };
	const struct region *region = space_region_from(space, start);
	int result = layer ? space_far_make_all(space, start, end) : 0;

	for (; !result && region && region->public.start < end;
	     region = space_region_next(region)) {
		uint64_t at = region->public.start, stop = region->public.end;

		result = cover_pages(
			space, &cover, at < start ? start : at,
			stop < end ? stop : end,
			space_host_protection(region->public.protection));
	}
	space_watch_each(space, start, end, protect_watched);
	return result;
}

int space_layer_map(struct space *space, uint64_t start, uint64_t end,
		    struct holding *holding, uint64_t offset)
{
	int result = map_over(space, start, end, holding->layer, offset,
			      MAP_PRIVATE);

	if (result)
		return result;
	/* The layer must not go with the last extent that this replaces. */
	holding->extents++;
	space_layer_clear(space, start, end);
	insert_extent(space, start, end, holding, offset, false);
	holding->extents--;
	merge_extents(space, start);
	merge_extents(space, end);
	return 0;
}

int space_layer_zero(struct space *space, uint64_t start, uint64_t end)
{
	struct extent *extent;
	int result;

	split_extent(space, start);
	split_extent(space, end);
	while ((extent = space_extent_from(space, start)) &&
	       extent->interval.start < end) {
		result = map_over(space, extent->interval.start,
				  extent->interval.end, NULL, 0, MAP_PRIVATE);
		if (result)
			return result;
		remove_extent(space, extent);
	}
	return 0;
}

void space_layer_moved(struct space *space, uint64_t from, uint64_t to,
		       uint64_t size)
{
	struct extent *extent;

	space_layer_clear(space, to, to + size);
	split_extent(space, from);
	split_extent(space, from + size);
	while ((extent = space_extent_from(space, from)) &&
	       extent->interval.start < from + size) {
		intervals_remove(&space->layers->set, &extent->interval);
		extent->interval.start += to - from;
		extent->interval.end += to - from;
		intervals_insert(&space->layers->set, &extent->interval);
		extent->holding->layer->open = false;
	}
}

/* Maps an extent's layer as `flags` says: 0 or a negative errno, and all is as
 * it was. */
static int remap(struct extent *extent, int flags, int flags_before)
{
	struct holding *holding = extent->holding;
	uint64_t start = extent->interval.start, end = extent->interval.end;
	int result = map_over(holding->space, start, end, holding->layer,
			      extent->offset, flags);

	if (result)
		map_over(holding->space, start, end, holding->layer,
			 extent->offset, flags_before);
	return result;
}

int space_layer_disown(struct space *space)
{
	struct extent *extent = space_extent_from(space, 0);
	int result = 0;

	for (; extent && !result; extent = space_extent_next(extent)) {
		struct layer *layer = extent->holding->layer;

		/* After a fork that failed: what was written since is not in
		 * the layer, which must not take it in the same place. */
		if (!extent->own)
			layer->open &= !alone(layer);
		else
			result = remap(extent, MAP_PRIVATE, MAP_SHARED);
		extent->own &= result != 0;
	}
	return result;
}

/* ---- A space that is left alone with a layer ---- */

/* Brings a layer up to date with what was written. */
static int write_back(struct pagemap *pagemap, const struct extent *extent)
{
	const struct space *space = extent->holding->space;
	uint64_t at = extent->interval.start, stop;

	for (; pagemap_next(pagemap, space, &at, &stop, extent->interval.end);
	     at = stop)
		if (space_store_pages(space, at, stop,
				      extent->holding->layer->memory,
				      extent->offset + at -
					      extent->interval.start))
			return -1;
	return 0;
}

/* Gives back what only the others had. */
static void trim(const struct holding *holding)
{
	const struct extent *extent = space_extent_from(holding->space, 0);
	const struct layer *layer = holding->layer;
	uint64_t at = 0;

	if (!layer->open)
		return;
	for (; extent; extent = space_extent_next(extent)) {
		if (extent->holding != holding)
			continue;
		punch(layer, at, extent->offset);
		at = extent->offset + extent_size(extent);
	}
	punch(layer, at, (uint64_t)lseek(layer->memory, 0, SEEK_END));
}

static void reclaim(struct holding *holding)
{
	struct extent *extent = space_extent_from(holding->space, 0);
	struct pagemap pagemap;
	bool good = true;

	pagemap_open(&pagemap);
	for (; extent && good; extent = space_extent_next(extent))
		good = extent->holding != holding || extent->own ||
		       write_back(&pagemap, extent) == 0;
	pagemap_close(&pagemap);
	if (good)
		trim(holding);
	extent = space_extent_from(holding->space, 0);
	for (; extent && good; extent = space_extent_next(extent))
		if (extent->holding == holding && !extent->own) {
			good = !remap(extent, MAP_SHARED, MAP_PRIVATE);
			extent->own = good;
		}
	holding->layer->open &= good;
}
