/* Numbers without a pattern, the same ones in every run. */
#ifndef M2S_M2S_SAMPLING_RANDOM_H
#define M2S_M2S_SAMPLING_RANDOM_H

#include <stdint.h>

/* Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators",
 * OOPSLA 2014: the function that mixes bits. */
static inline uint64_t random_mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* The next number of a sequence: 0 or above, below 1. */
static inline double random_fraction(uint64_t *state)
{
	*state += UINT64_C(0x9e3779b97f4a7c15);
	return (double)(random_mix(*state) >> 11) * 0x1p-53;
}

#endif
