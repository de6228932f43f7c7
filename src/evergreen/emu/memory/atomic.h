/* Read-modify-write operations: what atomic.def says of them. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_ATOMIC_H
#define M2S_EVERGREEN_EMU_MEMORY_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/isa/inst.h"

enum evg_atomic {
#define ATOMIC(id, ...) EVG_ATOMIC_##id,
#include "evergreen/emu/memory/atomic.def"
	EVG_ATOMIC_COUNT,
	EVG_ATOMIC_NONE = EVG_ATOMIC_COUNT, /* what is no such operation */
};

/* Which one an LDS and a MEM_RAT operation do. */
extern const uint8_t evg_lds_atomic[EVG_LDS_COUNT];
extern const uint8_t evg_rat_atomic[EVG_RAT_COUNT];

/* Whether several that return nothing come to the same in any order, and can
 * be done as one. */
bool evg_atomic_commutes(enum evg_atomic op);
bool evg_atomic_joins(enum evg_atomic op);

/* Whether two singles are equal, whatever the float mode: denormals are not
 * zeros. */
static inline bool atomic_equal(uint32_t a, uint32_t b)
{
	bool zeros = !((a | b) & 0x7fffffff);
	bool is_nan = (a & 0x7fffffff) > 0x7f800000;

	return zeros || (a == b && !is_nan);
}

/* atomic_ADD and so on: the new value. */
#define ATOMIC(id, operands, order, value)                                     \
	static inline __attribute__((always_inline)) uint32_t atomic_##id(     \
		uint32_t d, uint32_t s0, uint32_t s1)                          \
	{                                                                      \
		(void)d, (void)s0, (void)s1;                                   \
		return value;                                                  \
	}
#include "evergreen/emu/memory/atomic.def"

#endif
