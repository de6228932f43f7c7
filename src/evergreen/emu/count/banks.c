#include "evergreen/emu/count/banks.h"

#include "evergreen/emu/count/bank-cycles.h"
#include "evergreen/emu/simd/functions.h"

struct evg_bank_cycles evg_bank_cycles(const struct evg_step *step,
				       uint32_t banks, uint32_t window_size)
{
	return bank_cycles(step, banks, window_size);
}

evg_bank_function *evg_bank_best(void)
{
	const struct evg_simd *simd = evg_simd_best();

	return simd == &evg_simd_v4   ? evg_bank_cycles_v4
	       : simd == &evg_simd_v3 ? evg_bank_cycles_v3
				      : evg_bank_cycles_v2;
}
