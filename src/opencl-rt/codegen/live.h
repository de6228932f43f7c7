/* The registers of a kernel whose values are read later.
 *
 * A register's channel counts as read later when, on some way from there on, a
 * lane may read the channel before an instruction writes it for that lane. */
#ifndef M2S_OPENCL_RT_CODEGEN_LIVE_H
#define M2S_OPENCL_RT_CODEGEN_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "evergreen/isa/code.h"

enum {
	CODEGEN_CHANNELS = 4,
	CODEGEN_REGISTERS = EVG_REGISTERS,
	CODEGEN_REGISTER_WORDS = CODEGEN_REGISTERS * CODEGEN_CHANNELS / 64,
};

/* A set of registers' channels. */
struct codegen_registers {
	uint64_t words[CODEGEN_REGISTER_WORDS];
};

static inline bool codegen_has(const struct codegen_registers *set,
			       unsigned number, unsigned channel)
{
	unsigned bit = number * CODEGEN_CHANNELS + channel;

	return set->words[bit / 64] >> bit % 64 & 1;
}

static inline void codegen_add(struct codegen_registers *set, unsigned number,
			       unsigned channel)
{
	unsigned bit = number * CODEGEN_CHANNELS + channel;

	set->words[bit / 64] |= UINT64_C(1) << bit % 64;
}

static inline void codegen_drop(struct codegen_registers *set, unsigned number,
				unsigned channel)
{
	unsigned bit = number * CODEGEN_CHANNELS + channel;

	set->words[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

/* Returns the channels that are read behind each CF instruction, by address: an
 * array of code->cf_count sets, to be freed with free(). All registers count as
 * read where the analysis does not know the ways of lanes (calls, jump tables,
 * clauses that end a loop for some lanes). */
struct codegen_registers *codegen_live(const struct evg_code *code);

#endif
