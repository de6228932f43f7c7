#include "evergreen/emu/count/banks.h"

#include "evergreen/emu/count/bank-cycles.h"

struct evg_bank_cycles evg_bank_cycles(const struct evg_step *step,
				       uint32_t banks, uint32_t window_size)
{
	return bank_cycles(step, banks, window_size);
}
