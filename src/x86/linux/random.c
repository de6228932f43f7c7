/* Random numbers that a run repeats. */
#include "x86/linux/random.h"
#include "x86/linux/state.h"

uint64_t random_next(struct linux_system *system)
{
	/* splitmix64 over a counter. */
	uint64_t z = system->random[0] += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
