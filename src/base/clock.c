#include "base/clock.h"

#include <math.h>
#include <time.h>

picoseconds clock_period(double megahertz)
{
	return (picoseconds)llround(1e6 / megahertz);
}

double host_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
