/* Float modes as bits of SQ_PGM_RESOURCES_2. */
#include "evergreen/kernel/kernel.h"

struct evg_float_mode evg_float_mode_decode(uint32_t resources, bool dx10_clamp)
{
	return (struct evg_float_mode){
		.single_round = resources & 3,
		.double_round = resources >> 2 & 3,
		.keep_single_in = resources >> 4 & 1,
		.keep_single_out = resources >> 5 & 1,
		.flush_double_in = !(resources >> 6 & 1),
		.flush_double_out = !(resources >> 7 & 1),
		.clamp_keeps_nan = !dx10_clamp,
	};
}

uint32_t evg_float_mode_encode(const struct evg_float_mode *mode)
{
	return mode->single_round | (uint32_t)mode->double_round << 2 |
	       (uint32_t)mode->keep_single_in << 4 |
	       (uint32_t)mode->keep_single_out << 5 |
	       (uint32_t)!mode->flush_double_in << 6 |
	       (uint32_t)!mode->flush_double_out << 7;
}
