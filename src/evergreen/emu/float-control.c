#include "evergreen/emu/float-control.h"

#include <immintrin.h>
#include <stdbool.h>

#include "evergreen/emu/emu.h"

static uint32_t float_control(unsigned round, bool keep_in, bool keep_out)
{
	static const uint32_t rounding[] = {
	    [EVG_ROUND_NEAREST] = 0,
	    [EVG_ROUND_UP] = 0x4000,
	    [EVG_ROUND_DOWN] = 0x2000,
	    [EVG_ROUND_ZERO] = 0x6000,
	};

	return FLOAT_MASKED | rounding[round & 3] |
	       (keep_in ? 0 : FLOAT_FLUSH_IN) |
	       (keep_out ? 0 : FLOAT_FLUSH_OUT);
}

struct evg_float_control evg_float_control_of(const struct evg_float_mode *mode)
{
	return (struct evg_float_control){
	    .singles = float_control(mode->single_round, mode->keep_single_in,
				     mode->keep_single_out),
	    .doubles = float_control(mode->double_round, !mode->flush_double_in,
				     !mode->flush_double_out),
	};
}

unsigned evg_float_mode_begin(void)
{
	unsigned old = _mm_getcsr();

	/* Setting it is slow: not when it is as it should be. */
	if ((old & ~(unsigned)FLOAT_FLAGS) != FLOAT_MODE)
		_mm_setcsr(FLOAT_MODE);
	return old;
}

void evg_float_mode_end(unsigned old)
{
	if ((old & ~(unsigned)FLOAT_FLAGS) != FLOAT_MODE)
		_mm_setcsr(old);
}
