/* Random numbers for tests: the same ones in every run. */
#ifndef M2S_TESTS_UNIT_RANDOM_H
#define M2S_TESTS_UNIT_RANDOM_H

#include <stdint.h>

/* splitmix64: any state is a good one to begin with. */
static inline uint64_t random_draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

#endif
