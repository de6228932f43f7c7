/* Atomics without a result, combined: a thread that runs work-groups keeps what
 * it would add to a dword to itself until somebody can see it. Threads that
 * count in the same few dwords else pass the host's cache lines to and fro.
 *
 * An operation can be combined when doing it with a and then with b comes to
 * the same as doing it once with some c: a + b for ADD, the lesser for MIN and
 * so on. Such operations come in any order, too, so that results are those
 * of one thread. What is kept is done when the same thread touches memory
 * near it in any other way, at the end of a slice, and at the end. */
#ifndef M2S_EVERGREEN_EMU_COMBINE_H
#define M2S_EVERGREEN_EMU_COMBINE_H

#include "evergreen/emu/state.h"

enum { EVG_COMBINED_SHIFT = 12, EVG_COMBINED = 1 << EVG_COMBINED_SHIFT };

/* Of a work-group object: one host thread at a time has it. */
struct evg_combiner {
	uint32_t low, high;   /* addresses that are kept; low > high: none */
	enum evg_rat_op op;   /* of all of them */
	struct {
		uint32_t address; /* 0: free; nothing lies at address 0 */
		uint32_t value;
	} kept[EVG_COMBINED];
};

struct evg_combiner *evg_combiner_create(void);

static inline bool evg_combiner_keeps(const struct evg_combiner *combiner,
				      uint32_t low, uint32_t high)
{
	return combiner && combiner->low <= high && combiner->high >= low;
}

/* Where an address is kept: neighbours beside each other, and arrays that lie
 * one behind the other at different places. */
static inline uint32_t evg_combiner_place(uint32_t address)
{
	uint32_t dword = address / 4;

	return (dword ^ dword >> EVG_COMBINED_SHIFT) % EVG_COMBINED;
}

/* Does what is kept; nothing is then. NULL is fine. */
void evg_combiner_settle(struct evg_combiner *combiner,
			 const struct evg_simd *simd, uint8_t *memory_base);

#endif
