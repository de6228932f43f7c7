/* Atomics without a result, combined: a thread that runs work-groups keeps what
 * it would add to a dword to itself until somebody can see it. Threads that
 * count in the same few dwords else pass the host's cache lines to and fro.
 *
 * An operation can be combined when doing it with a and then with b comes to
 * the same as doing it once with some c: a + b for ADD, the lesser for MIN and
 * so on. Such operations come in any order, too, so that results are those
 * of one thread. What is kept is done when the same thread touches memory
 * near it in any other way, at the end of a slice, and at the end. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_COMBINE_H
#define M2S_EVERGREEN_EMU_MEMORY_COMBINE_H

#include "evergreen/emu/state.h"

enum { EVG_COMBINED = 8192, EVG_COMBINED_WINDOWS = 4 };

/* What is kept of some dwords that lie beside each other. */
struct evg_combined {
	uint32_t first;     /* address of value[0]; UINT32_MAX: of none */
	uint32_t low, high; /* addresses that are kept; low > high: none */
	enum evg_rat_op op;
	uint32_t identity;  /* what changes nothing: all values that are not kept */
	uint32_t value[EVG_COMBINED];
};

/* Of a work-group object: one host thread at a time has it. Windows for
 * different operations have no dword in common. */
struct evg_combiner {
	uint32_t low, high; /* no more than this is kept; low > high: nothing */
	unsigned next;      /* window that is given up next */
	struct evg_combined *windows[EVG_COMBINED_WINDOWS]; /* or NULL */
	struct evg_combined *last; /* that was used, or NULL */
};

struct evg_combiner *evg_combiner_create(void);
/* What is kept is lost. NULL is fine. */
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

/* The window for `op` in the dwords at addresses `low` to `high`, multiples of
 * 4; what is kept for another operation there is done first. NULL: they are
 * too far apart, and it is to be done at once. */
struct evg_combined *evg_combiner_window(struct evg_combiner *combiner,
					 enum evg_rat_op op, uint32_t identity,
					 uint32_t low, uint32_t high,
					 const struct evg_simd *simd,
					 uint8_t *memory_base);

/* Does what is kept; nothing is then. NULL is fine. */
void evg_combiner_settle(struct evg_combiner *combiner,
			 const struct evg_simd *simd, uint8_t *memory_base);

#endif
