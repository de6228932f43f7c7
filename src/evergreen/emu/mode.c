/* SET_MODE: the float mode from the first active lane's operand. */
#include <immintrin.h>

#include "evergreen/emu/mode.h"
#include "evergreen/emu/machine.h"

/* False when no lane executes the instruction. */
static bool first_value(const struct evg_wavefront *wavefront,
			const struct evg_uop *uop, uint32_t *value)
{
	uint64_t lanes =
	    wavefront->masks.lanes[uop->mask] & wavefront->masks.valid;
	const struct evg_operand *source = &uop->source[0];
	const uint32_t *row =
	    (const uint32_t *)(const void *)(wavefront->registers
						 .base[source->base] +
					     source->offset);

	if (!lanes)
		return false;
	*value = row[source->stride ? __builtin_ctzll(lanes) : 0];
	return true;
}

void evg_run_set_mode(struct evg_wavefront *wavefront,
		      const struct evg_uop *uop)
{
	struct evg_float_mode mode;
	uint32_t value;

	if (!first_value(wavefront, uop, &value))
		return;
	mode = evg_float_mode_decode(value, true);
	wavefront->float_control = evg_float_control_of(&mode);
	_mm_setcsr(wavefront->float_control.singles);
}
