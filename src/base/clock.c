#include "base/clock.h"

#include <math.h>
#include <time.h>

picoseconds clock_period(double megahertz)
{
	return (picoseconds)llround(1e6 / megahertz);
}

picoseconds clock_cycle_start(uint64_t cycle, uint32_t megahertz)
{
	return cycle / megahertz * 1000000 +
	       cycle % megahertz * 1000000 / megahertz;
}

uint64_t clock_cycle_at(picoseconds time, uint32_t megahertz)
{
	return time / 1000000 * megahertz +
	       (time % 1000000 * megahertz + 999999) / 1000000;
}

double host_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
