#include "evergreen/emu/memory/combine.h"

#include <stdlib.h>

#include "base/memory.h"

struct evg_combiner *evg_combiner_create(void)
{
	struct evg_combiner *combiner = xcalloc_aligned(sizeof *combiner);

	combiner->low = UINT32_MAX;
	return combiner;
}

void evg_combiner_free(struct evg_combiner *combiner)
{
	if (!combiner)
		return;
	for (unsigned i = 0; i < EVG_COMBINED_WINDOWS; i++)
		free(combiner->windows[i]);
	free(combiner);
}

static void settle_window(struct evg_combined *window,
			  const struct evg_simd *simd, uint8_t *memory_base)
{
	uint8_t *first = memory_base + window->first;

	if (window->low > window->high)
		return;
	for (uint32_t i = (window->low - window->first) / 4;
	     i <= (window->high - window->first) / 4; i++) {
		if (window->value[i] == window->identity)
			continue;
		simd->rat_update(window->op, (uint32_t *)(void *)first + i,
				 window->value[i], 0);
		window->value[i] = window->identity;
	}
	window->low = UINT32_MAX;
	window->high = 0;
}

void evg_combiner_settle(struct evg_combiner *combiner,
			 const struct evg_simd *simd, uint8_t *memory_base)
{
	if (!combiner || combiner->low > combiner->high)
		return;
	for (unsigned i = 0; i < EVG_COMBINED_WINDOWS; i++)
		if (combiner->windows[i])
			settle_window(combiner->windows[i], simd, memory_base);
	combiner->low = UINT32_MAX;
	combiner->high = 0;
}

static void fill_window(struct evg_combined *window, uint32_t identity)
{
	for (uint32_t i = 0; i < EVG_COMBINED; i++)
		window->value[i] = identity;
	window->identity = identity;
}

static struct evg_combined *create_window(uint32_t identity)
{
	struct evg_combined *window = xmalloc_aligned(sizeof *window);

	window->low = UINT32_MAX;
	window->high = 0;
	fill_window(window, identity);
	return window;
}

/* Does what is kept for other operations from `low` to `high`, and keeps
 * nothing there any more. */
static void close_others(struct evg_combiner *combiner, enum evg_rat_op op,
			 uint32_t low, uint64_t high,
			 const struct evg_simd *simd, uint8_t *memory_base)
{
	for (unsigned i = 0; i < EVG_COMBINED_WINDOWS; i++) {
		struct evg_combined *window = combiner->windows[i];

		if (!window || window->op == op || window->first > high ||
		    window->first + 4 * (uint64_t)EVG_COMBINED <= low)
			continue;
		settle_window(window, simd, memory_base);
		window->first = UINT32_MAX;
	}
}

/* Gives the window that comes next to other dwords, `low` to `high` in their
 * middle: who comes next may go beyond either end. */
static struct evg_combined *move(struct evg_combiner *combiner,
				 enum evg_rat_op op, uint32_t identity,
				 uint32_t low, uint32_t high,
				 const struct evg_simd *simd,
				 uint8_t *memory_base)
{
	struct evg_combined **place = &combiner->windows[combiner->next];
	struct evg_combined *window = *place;
	uint32_t before = (4 * EVG_COMBINED - (high - low)) / 8 * 4;

	combiner->next = (combiner->next + 1) % EVG_COMBINED_WINDOWS;
	if (!window)
		window = *place = create_window(identity);
	settle_window(window, simd, memory_base);
	if (window->identity != identity)
		fill_window(window, identity);
	window->op = op;
	window->first = before < low ? low - before : 0;
	close_others(combiner, op, window->first,
		     window->first + 4 * (uint64_t)EVG_COMBINED - 1, simd,
		     memory_base);
	return window;
}

struct evg_combined *evg_combiner_window(struct evg_combiner *combiner,
					 enum evg_rat_op op, uint32_t identity,
					 uint32_t low, uint32_t high,
					 const struct evg_simd *simd,
					 uint8_t *memory_base)
{
	for (unsigned i = 0; i < EVG_COMBINED_WINDOWS; i++)
		if (evg_combined_covers(combiner->windows[i], op, low, high))
			return combiner->last = combiner->windows[i];
	if (high - low < 4 * EVG_COMBINED)
		return combiner->last = move(combiner, op, identity, low, high,
					     simd, memory_base);
	close_others(combiner, op, low, high, simd, memory_base);
	return NULL;
}
