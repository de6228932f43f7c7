/* Memory beyond a space's size: windows of whole pieces, each a reservation of
 * the host, made when something of theirs is first needed. So a program that
 * reserves terabytes at addresses of its choice, as sanitizers do for their
 * shadow memory, costs the host what it touches. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "memsys/space/internal.h"

#define PIECE (UINT64_C(1) << SPACE_PIECE_BITS)

static struct window *window_of(struct interval *interval)
{
	return (struct window *)interval;
}

static struct window *window_from(const struct space *space, uint64_t address)
{
	return window_of(intervals_from(&space->regions->windows, address));
}

uint8_t *space_chunk(const struct space *space, uint64_t at, uint64_t end,
		     uint64_t *stop)
{
	const struct window *window;

	if (at < space->size) {
		*stop = end < space->size ? end : space->size;
		return space->base + at;
	}
	window = window_from(space, at);
	if (!window || window->interval.start > at) {
		*stop = window && window->interval.start < end
				? window->interval.start : end;
		return NULL;
	}
	*stop = end < window->interval.end ? end : window->interval.end;
	return window->base + (at - window->interval.start);
}

int space_host_protect(const struct space *space, uint64_t start, uint64_t end,
		       int protection)
{
	uint64_t stop;

	for (uint64_t at = start; at < end; at = stop) {
		uint8_t *host = space_chunk(space, at, end, &stop);

		if (host && mprotect(host, stop - at, protection) != 0)
			return -errno;
	}
	return 0;
}

/* ---- Windows ---- */

static void fill_table(struct space *space, const struct window *window)
{
	uint64_t first = window->interval.start / PIECE;
	uint64_t last = window->interval.end / PIECE;

	for (uint64_t piece = first; piece < last; piece++)
		space->far[piece] = window->base + (piece - first) * PIECE;
}

static void window_insert(struct space *space, uint64_t start, uint64_t end,
			  uint8_t *base)
{
	struct window *window = xcalloc(1, sizeof *window);

	window->interval.start = start;
	window->interval.end = end;
	window->base = base;
	intervals_insert(&space->regions->windows, &window->interval);
	fill_table(space, window);
}

static uint64_t window_size(const struct window *window)
{
	return window->interval.end - window->interval.start;
}

static void window_remove(struct space *space, struct window *window)
{
	uint64_t first = window->interval.start / PIECE;
	uint64_t last = window->interval.end / PIECE;

	for (uint64_t piece = first; piece < last; piece++)
		space->far[piece] = NULL;
	space_release(window->base, window_size(window));
	intervals_remove(&space->regions->windows, &window->interval);
	free(window);
}

/* Maps the anonymous memory that regions have in a range of fresh host
 * memory. */
static int map_zeros(const struct space *space, uint64_t start, uint64_t end,
		     uint8_t *host)
{
	const struct region *region = space_region_from(space, start);

	for (; region && region->public.start < end;
	     region = space_region_next(region)) {
		uint64_t at = region->public.start, stop = region->public.end;

		at = at < start ? start : at;
		stop = stop > end ? end : stop;
		if (region->public.protection &&
		    mprotect(host + (at - start), stop - at,
			     space_host_protection(
				     region->public.protection)) != 0)
			return -errno;
	}
	return 0;
}

/* The piece that holds an address gets a window. */
int space_far_make(struct space *space, uint64_t address)
{
	uint64_t start = address / PIECE * PIECE;
	uint8_t *base;

	if (space_at(space, address))
		return 0;
	if (address >= space->end)
		return -ENOMEM;
	if (!space->far) {
		space->far_count = (space->end + PIECE - 1) / PIECE;
		space->far = xcalloc(space->far_count, sizeof *space->far);
	}
	base = space_reserve(PIECE);
	if (!base)
		return -ENOMEM;
	if (map_zeros(space, start, start + PIECE, base) != 0) {
		space_release(base, PIECE);
		return -ENOMEM;
	}
	window_insert(space, start, start + PIECE, base);
	return 0;
}

int space_far_make_all(struct space *space, uint64_t start, uint64_t end)
{
	int result = 0;

	for (uint64_t at = start; at < end && !result;
	     at = (at / PIECE + 1) * PIECE)
		result = space_far_make(space, at);
	return result;
}

void space_far_trim(struct space *space, uint64_t start, uint64_t end)
{
	struct window *window = window_from(space, start), *next;

	for (; window && window->interval.start < end; window = next) {
		const struct region *region =
			space_region_from(space, window->interval.start);

		next = window_of(window->interval.beside[1]);
		if (!region || region->public.start >= window->interval.end)
			window_remove(space, window);
	}
}

void space_far_free(struct space *space)
{
	while (space->regions->windows.root)
		window_remove(space, window_of(space->regions->windows.root));
	free(space->far);
}

/* ---- Growing ---- */

/* Moves far memory below `size` to its place from `base` on, all or nothing. */
static int absorb_windows(struct space *space, uint64_t size, uint8_t *base)
{
	uint64_t at, stop;
	int result = 0;

	for (at = space->size; at < size && !result; at = stop) {
		uint8_t *host = space_chunk(space, at, size, &stop);

		result = host ? space_move_host(space, at, stop, host,
						base + at)
			      : map_zeros(space, at, stop, base + at);
		if (result)
			break;
	}
	if (!result)
		return 0;
	for (uint64_t end = at, back = space->size; back < end; back = stop) {
		uint8_t *host = space_chunk(space, back, end, &stop);

		if (host)
			space_move_host(space, back, stop, base + back, host);
	}
	return -ENOMEM;
}

/* Frees the windows below `size`. */
static void drop_windows(struct space *space, uint64_t size)
{
	struct window *window;

	while ((window = window_from(space, 0)) &&
	       window->interval.start < size)
		window_remove(space, window);
}

/* The nearest size that no window spans. */
static uint64_t size_between_windows(const struct space *space, uint64_t size)
{
	const struct window *window = window_from(space, size);

	return window && window->interval.start < size ? window->interval.end
						       : size;
}

int space_grow(struct space *space, uint64_t size)
{
	uint8_t *base;

	if (size > space->end)
		return -ENOMEM;
	size = size_between_windows(space, size);
	base = space_reserve(size);
	if (!base)
		return -ENOMEM;
	if (space_move_host(space, 0, space->size, space->base, base)) {
		space_release(base, size);
		return -ENOMEM;
	}
	if (absorb_windows(space, size, base)) {
		space_move_host(space, 0, space->size, base, space->base);
		space_release(base, size);
		return -ENOMEM;
	}
	space_release(space->base, space->size);
	drop_windows(space, size);
	space->base = base;
	space->size = size;
	space->moves++;
	return 0;
}

/* ---- Side by side on the host ---- */

/* Makes two windows that meet at an address one. */
static int join_windows(struct space *space, struct window *low,
			struct window *high)
{
	uint64_t start = low->interval.start, end = high->interval.end;
	uint64_t middle = low->interval.end;
	uint8_t *base = space_reserve(end - start);

	if (!base)
		return -ENOMEM;
	if (space_move_host(space, start, middle, low->base, base)) {
		space_release(base, end - start);
		return -ENOMEM;
	}
	if (space_move_host(space, middle, end, high->base,
			    base + (middle - start))) {
		space_move_host(space, start, middle, base, low->base);
		space_release(base, end - start);
		return -ENOMEM;
	}
	window_remove(space, low);
	window_remove(space, high);
	window_insert(space, start, end, base);
	space->moves++;
	return 0;
}

/* Makes an address lie side by side with the one before it. */
static int join_at(struct space *space, uint64_t boundary)
{
	struct window *low, *high;

	if (boundary < space->size)
		return 0;
	if (space_far_make(space, boundary) != 0)
		return -ENOMEM;
	high = window_from(space, boundary);
	if (boundary == space->size)
		return space_grow(space, high->interval.end);
	if (space_far_make(space, boundary - 1) != 0)
		return -ENOMEM;
	low = window_from(space, boundary - 1);
	high = window_from(space, boundary);
	return low == high ? 0 : join_windows(space, low, high);
}

uint8_t *space_host(struct space *space, uint64_t address, uint64_t size)
{
	uint64_t end = address + size, stop;

	if (end < address || end > space->end ||
	    space_far_make(space, address) != 0)
		return NULL;
	while (space_chunk(space, address, end, &stop) && stop < end)
		if (join_at(space, stop) != 0)
			return NULL;
	return space_at(space, address);
}

/* ---- From the host's addresses ---- */

/* An access that begins in front of a reservation's end reaches this far. */
enum { GUARD_SEEN = SPACE_PAGE };

static bool guest_of(const uint8_t *base, uint64_t start, uint64_t size,
		     const uint8_t *host, uint64_t *address)
{
	if (host < base || host >= base + size + GUARD_SEEN)
		return false;
	*address = start + (uint64_t)(host - base);
	return true;
}

bool space_guest(const struct space *space, const uint8_t *host,
		 uint64_t *address)
{
	struct interval *at = intervals_first(&space->regions->windows);

	if (guest_of(space->base, 0, space->size, host, address))
		return true;
	for (; at; at = at->beside[1])
		if (guest_of(window_of(at)->base, at->start,
			     window_size(window_of(at)), host, address))
			return true;
	return false;
}

bool space_reach(struct space *space, uint64_t address)
{
	return !space_at(space, address) && space_region_at(space, address) &&
	       space_far_make(space, address) == 0;
}

bool space_rejoin(struct space *space, const uint8_t *host)
{
	uint64_t address;

	return space_guest(space, host, &address) &&
	       space_at(space, address) != host &&
	       space_region_at(space, address) &&
	       join_at(space, address / PIECE * PIECE) == 0;
}
