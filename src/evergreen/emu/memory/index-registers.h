/* Registers that select other registers, constants and resources. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_INDEX_REGISTERS_H
#define M2S_EVERGREEN_EMU_MEMORY_INDEX_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct evg_index_registers {
	int32_t loop;             /* aL */
	bool has_loop;            /* inside a loop that sets aL */
	uint32_t cf[2];           /* CF index registers */
	uint32_t cf_at_clause[2]; /* their values when the clause began */
};

#endif
