#include "base/clock.h"

#include <math.h>
#include <time.h>

picoseconds clock_period(double megahertz)
{
	return (picoseconds)llround(1e6 / megahertz);
}

/* Numbers below it can be multiplied by a million, or by megahertz below a
 * million, and fit: 17 seconds of picoseconds, or 80 minutes of cycles at 3.4
 * GHz. Then one division does. */
#define SMALL (UINT64_C(1) << 44)

picoseconds clock_cycle_start(uint64_t cycle, uint32_t megahertz)
{
	if (cycle < SMALL)
		return cycle * 1000000 / megahertz;
	return cycle / megahertz * 1000000 +
	       cycle % megahertz * 1000000 / megahertz;
}

uint64_t clock_cycle_at(picoseconds time, uint32_t megahertz)
{
	return time / 1000000 * megahertz +
	       (time % 1000000 * megahertz + 999999) / 1000000;
}

/* The greatest cycle c with floor(c * 1,000,000 / megahertz) <= time. */
static uint64_t cycle_with(picoseconds time, uint32_t megahertz)
{
	uint64_t cycle;

	if (time < SMALL && megahertz < 1000000)
		return ((time + 1) * megahertz - 1) / 1000000;
	cycle = clock_cycle_at(time, megahertz);
	return clock_cycle_start(cycle, megahertz) > time ? cycle - 1 : cycle;
}

picoseconds clock_cycle_of(picoseconds time, uint32_t megahertz)
{
	return clock_cycle_start(cycle_with(time, megahertz), megahertz);
}

/* The same for near times, most of those that are asked for, without a division
 * of 64 bits by a number that the compiler does not know. With
 * (from + 1) * megahertz - 1 = cycle * 1,000,000 + rest, the cycle began
 * (rest + megahertz) / megahertz - 1 before `from`, whole picoseconds; what was
 * rounded off its beginning counts for its end. */
static picoseconds near_after(picoseconds from, uint32_t cycles,
			      uint32_t megahertz)
{
	uint64_t whole = (from + 1) * megahertz - 1;
	uint32_t rest = (uint32_t)(whole % 1000000);
	uint32_t inside = (rest + megahertz) / megahertz;
	uint32_t rounded = inside * megahertz - (rest + 1);

	return from + (rounded + cycles * 1000000) / megahertz;
}

picoseconds clock_after(picoseconds from, uint64_t cycles, uint32_t megahertz)
{
	uint64_t cycle;

	/* 4,000,000,000 and a remainder fit into 32 bits. */
	if (from < SMALL && cycles <= 4000 && megahertz < 1000000)
		return near_after(from, (uint32_t)cycles, megahertz);
	cycle = cycle_with(from, megahertz);
	if (cycle < SMALL && cycles < SMALL / 2)
		return from + (cycle * 1000000 % megahertz + cycles * 1000000) /
				      megahertz;
	return clock_cycle_start(cycle + cycles, megahertz) + from -
	       clock_cycle_start(cycle, megahertz);
}

double host_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
