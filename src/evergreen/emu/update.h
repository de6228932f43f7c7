/* What the rows of update.def call. */
#ifndef M2S_EVERGREEN_EMU_UPDATE_H
#define M2S_EVERGREEN_EMU_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether two singles are equal, whatever the float mode: denormals are not
 * zeros. */
static inline bool update_equal(uint32_t a, uint32_t b)
{
	bool zeros = !((a | b) & 0x7fffffff);
	bool is_nan = (a & 0x7fffffff) > 0x7f800000;

	return zeros || (a == b && !is_nan);
}

#endif
