/* Saturating counters. */
#ifndef M2S_X86_TIMING_PREDICT_COUNTER_H
#define M2S_X86_TIMING_PREDICT_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/* An unsigned counter of `bits` bits. Its upper half predicts taken. */
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

/* A two's-complement counter of `bits` bits, at most 8. Values of 0 and above
 * predict taken. Returns whether it has changed. */
static inline bool weight_step(int8_t *weight, bool up, unsigned bits)
{
	int limit = 1 << (bits - 1), before = *weight;

	if (up && *weight < limit - 1)
		++*weight;
	else if (!up && *weight > -limit)
		--*weight;
	return *weight != before;
}

static inline unsigned log2_of(uint32_t power)
{
	return (unsigned)__builtin_ctz(power);
}

#endif
