/* Saturating counters. */
#ifndef M2S_X86_TIMING_PREDICT_COUNTER_H
#define M2S_X86_TIMING_PREDICT_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* Unsigned, of `bits` bits; the upper half predicts taken. */
static inline void counter_step(uint8_t *counter, bool up, unsigned bits)
{
	if (up && *counter < (1u << bits) - 1)
		++*counter;
	else if (!up && *counter > 0)
		--*counter;
}

static inline bool counter_taken(uint8_t counter, unsigned bits)
{
	return counter >> (bits - 1);
}

/* Two's complement, of `bits` bits, 8 at most; 0 and more predict taken. */
static inline void weight_step(int8_t *weight, bool up, unsigned bits)
{
	int limit = 1 << (bits - 1);

	if (up && *weight < limit - 1)
		++*weight;
	else if (!up && *weight > -limit)
		--*weight;
}

static inline unsigned log2_of(uint32_t power)
{
	return (unsigned)__builtin_ctz(power);
}

#endif
