/* Sets of the channels of registers. */
#ifndef M2S_OPENCL_RT_CODEGEN_REGISTERS_H
#define M2S_OPENCL_RT_CODEGEN_REGISTERS_H

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

#endif
