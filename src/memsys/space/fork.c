/* A copy of a space's private memory for a child. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memsys/space/internal.h"
#include "memsys/space/layer.h"

/* Spaces with more pieces or layers than this write all of their memory to one
 * new layer at the next fork. */
enum { EXTENTS_MAX = 1024, LAYERS_MAX = 32 };

/* ---- Anonymous memory ---- */

/* Pages that go to a layer together. */
struct run {
	struct space *space;
	struct holding *holding;
	uint64_t start, end; /* empty: none */
};

static int run_end(struct run *run)
{
	int result = 0;

	if (run->start < run->end)
		result = space_layer_map(run->space, run->start, run->end,
					 run->holding, run->start);
	run->start = run->end = 0;
	return result;
}

/* Whether all between a run and `start` was never touched, and lies side by
 * side with them on the host. */
static bool joins(const struct run *run, uint64_t start)
{
	const struct extent *extent = space_extent_from(run->space, run->end);
	uint64_t stop;

	return run->start < run->end &&
	       !(extent && extent->interval.start < start) &&
	       space_chunk(run->space, run->end - 1, start + 1, &stop) &&
	       stop > start;
}

static int run_add(struct run *run, uint64_t start, uint64_t end)
{
	int result;

	if (!joins(run, start)) {
		result = run_end(run);
		if (result)
			return result;
		run->start = start;
	}
	result = space_store_pages(run->space, start, end,
				   run->holding->layer->memory, start);
	run->end = result ? run->end : end;
	return result;
}

/* The next pages to be stored in [*at, end): those that differ from what a
 * layer has, or all that one has. */
static bool next_pages(struct pagemap *pagemap, const struct space *space,
		       uint64_t *at, uint64_t *stop, uint64_t end)
{
	const struct extent *extent = space_extent_from(space, *at);
	uint64_t start = *at;
	bool found;

	if (!space->layers->whole || !extent || extent->interval.start >= end)
		return pagemap_next(pagemap, space, at, stop, end);
	found = start < extent->interval.start &&
		pagemap_next(pagemap, space, at, stop, extent->interval.start);
	if (found)
		return true;
	*at = start > extent->interval.start ? start : extent->interval.start;
	*stop = extent->interval.end < end ? extent->interval.end : end;
	return true;
}

/* Puts what was written into layers. 0 or a negative errno; then some of it is
 * still the space's own. */
static int store_written(struct space *space,
			 const struct space_region *region)
{
	struct run run = { .space = space };
	struct pagemap pagemap;
	uint64_t at = region->start, stop;
	int result = 0, last;

	pagemap_open(&pagemap);
	for (; !result && next_pages(&pagemap, space, &at, &stop, region->end);
	     at = stop) {
		if (!run.holding)
			run.holding = space_layer_open(space);
		result = run.holding ? run_add(&run, at, stop) : -ENOMEM;
	}
	pagemap_close(&pagemap);
	last = run_end(&run);
	return result ? result : last;
}

/* Shows the child the layers of the parent. */
static int share_layers(struct space *from, struct space *to,
			const struct space_region *region)
{
	struct extent *extent = space_extent_from(from, region->start);
	int result = 0;

	for (; !result && extent && extent->interval.start < region->end;
	     extent = space_extent_next(extent)) {
		struct holding *holding = extent->holding;

		if (!holding->copy)
			holding->copy = space_layer_hold(to, holding->layer);
		result = space_layer_map(to, extent->interval.start,
					 extent->interval.end, holding->copy,
					 extent->offset);
	}
	return result;
}

/* ---- Copying ---- */

/* Copies one page, at any place where both spaces have it. */
static void copy_page(const struct space *from, struct space *to,
		      uint64_t address)
{
	uint8_t page[SPACE_PAGE];

	if (space_far_make(to, address) == 0 && space_at(from, address) &&
	    space_copy(from, page, space_at(from, address), SPACE_PAGE) == 0)
		space_copy(to, space_at(to, address), page, SPACE_PAGE);
}

/* Copies pages that have bytes of their own, or all. */
static int copy_pages(struct space *from, struct space *to,
		      const struct space_region *region, bool all)
{
	uint64_t start = region->start, end = region->end;
	uint64_t at = start, stop = end;
	bool hidden = !region->protection;
	struct pagemap pagemap;
	int result = space_host_protect(to, start, end, PROT_READ | PROT_WRITE);

	if (!result && hidden)
		result = space_host_protect(from, start, end, PROT_READ);
	if (result)
		return result;
	pagemap_open(&pagemap);
	for (; all ? at < stop
		   : pagemap_next(&pagemap, from, &at, &stop, end);
	     at = stop)
		for (uint64_t page = at; page < stop; page += SPACE_PAGE)
			copy_page(from, to, page);
	pagemap_close(&pagemap);
	if (hidden)
		space_host_protect(from, start, end, PROT_NONE);
	return space_host_protect(to, start, end,
				  space_host_protection(region->protection));
}

/* ---- fork ---- */

int space_fork_prepare(struct space *from)
{
	struct space_layers *layers = from->layers;
	struct holding *holding = layers->holdings;

	for (; holding; holding = holding->next_in_space)
		holding->copy = NULL;
	layers->whole = layers->set.count > EXTENTS_MAX ||
			layers->holding_count > LAYERS_MAX;
	if (layers->whole)
		layers->last = NULL;
	return space_layer_disown(from);
}

int space_fork_region(struct space *from, struct space *to,
		      const struct space_region *region)
{
	struct mapped_file *kept = space_region_from(from, region->start)->file;
	struct space_region copy = *region;
	int result, stored;

	copy.flags &= (uint16_t)~SPACE_LOCKS;
	/* If the file is not available, its pages are copied. */
	copy.anonymous = !kept;
	copy.offset = kept ? region->offset : 0;
	result = space_map_kept(to, &copy, kept ? kept->descriptor : -1,
				mapped_file_hold(kept));
	if (result || (region->flags & SPACE_WIPE_ON_FORK))
		return result;
	if (from->observer.owner)
		from->observer.forked(from->observer.owner, to, region->start,
				      region->end);
	if (!region->anonymous)
		return copy_pages(from, to, region, !kept);
	stored = store_written(from, region);
	result = share_layers(from, to, region);
	if (!result && stored)
		result = copy_pages(from, to, region, false);
	return result;
}

bool space_page_shared(const struct space *space, uint64_t address)
{
	const struct extent *extent = space_extent_from(space, address);

	return extent && extent->interval.start <= address;
}
