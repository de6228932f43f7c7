/* Read-modify-write operations: the rows of atomic.def as constants and
 * functions. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_ATOMIC_H
#define M2S_EVERGREEN_EMU_MEMORY_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

enum evg_atomic {
#define ATOMIC(id, ...) EVG_ATOMIC_##id,
#include "evergreen/emu/memory/atomic.def"
	EVG_ATOMIC_COUNT,
	EVG_ATOMIC_NONE = EVG_ATOMIC_COUNT, /* other operations */
};

/* The read-modify-write operation of each LDS and each MEM_RAT operation. */
extern const uint8_t evg_lds_atomic[EVG_LDS_COUNT];
extern const uint8_t evg_rat_atomic[EVG_RAT_COUNT];

/* Whether several operations without a result have the same effect in any
 * order, so that they can be combined into one. */
bool evg_atomic_commutes(enum evg_atomic op);
bool evg_atomic_joins(enum evg_atomic op);

/* Whether two singles are equal in every float mode: denormals are not
 * zeros. */
static inline bool atomic_equal(uint32_t a, uint32_t b)
{
	bool zeros = !((a | b) & 0x7fffffff);
	bool is_nan = (a & 0x7fffffff) > 0x7f800000;

	return zeros || (a == b && !is_nan);
}

/* atomic_ADD and so on, which compute the new value. */
#define ATOMIC(id, operands, order, value)                                     \
	static inline __attribute__((always_inline)) uint32_t atomic_##id(     \
		uint32_t d, uint32_t s0, uint32_t s1)                          \
	{                                                                      \
		(void)d, (void)s0, (void)s1;                                   \
		return value;                                                  \
	}
#include "evergreen/emu/memory/atomic.def"

#endif
