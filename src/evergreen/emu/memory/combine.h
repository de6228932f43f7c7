/* Combined atomics without a result. A thread that runs work-groups keeps its
 * additions to a dword to itself until somebody can observe the dword.
 * Otherwise threads that count in the same few dwords would pass the host's
 * cache lines to and fro.
 *
 * An operation can be combined when applying a and then b has the same effect
 * as applying one c: a + b for ADD, the lesser for MIN and so on. Such
 * operations also commute, so that results are those of one thread. Kept
 * operations are done when the same thread touches nearby memory in any other
 * way, at the end of a slice, and at the end of the run. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_COMBINE_H
#define M2S_EVERGREEN_EMU_MEMORY_COMBINE_H

#include "evergreen/emu/state.h"

enum { EVG_COMBINED = 8192, EVG_COMBINED_WINDOWS = 4 };

/* The kept operations on some adjacent dwords. */
struct evg_combined {
	uint32_t first;     /* address of value[0]; UINT32_MAX: none */
	/* Addresses with kept operations; low > high: none. */
	uint32_t low, high;
	enum evg_rat_op op;
	/* Operand that changes nothing: all values that are not kept. */
	uint32_t identity;
	uint32_t value[EVG_COMBINED];
};

/* The windows of a work-group object, which one host thread has at a time.
 * Windows for different operations have no dword in common. */
struct evg_combiner {
	/* Bounds of all kept addresses; low > high: nothing is kept. */
	uint32_t low, high;
	unsigned next;      /* window to be reused next */
	struct evg_combined *windows[EVG_COMBINED_WINDOWS]; /* or NULL */
	struct evg_combined *last; /* the window that was used last, or NULL */
};

struct evg_combiner *evg_combiner_create(void);
/* Frees the combiner; kept operations are lost. NULL is fine. */
void evg_combiner_free(struct evg_combiner *combiner);

static inline bool evg_combiner_keeps(const struct evg_combiner *combiner,
				      uint32_t low, uint32_t high)
{
	return combiner && combiner->low <= high && combiner->high >= low;
}

static inline bool evg_combined_covers(const struct evg_combined *window,
				       enum evg_rat_op op, uint32_t low,
				       uint32_t high)
{
	return window && window->op == op && low >= window->first &&
	       high - window->first < 4 * EVG_COMBINED;
}

/* The window for `op` on the dwords at addresses `low` to `high`, multiples of
 * 4. Operations that are kept there for another `op` are done first. NULL: the
 * dwords are too far apart, and the operation must be done at once. */
struct evg_combined *evg_combiner_window(struct evg_combiner *combiner,
					 enum evg_rat_op op, uint32_t identity,
					 uint32_t low, uint32_t high,
					 const struct evg_simd *simd,
					 uint8_t *memory_base);

/* Does all kept operations. NULL is fine. */
void evg_combiner_settle(struct evg_combiner *combiner,
			 const struct evg_simd *simd, uint8_t *memory_base);

#endif
