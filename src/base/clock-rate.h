/* A clock's frequency with its inverse: times of cycles (base/clock.h) without a
 * division, for those that ask for them all the time. */
#ifndef M2S_BASE_CLOCK_RATE_H
#define M2S_BASE_CLOCK_RATE_H

#include "base/clock.h"

__extension__ typedef unsigned __int128 clock_wide;

struct clock_rate {
	uint32_t megahertz; /* 0: none */
	/* 2^64 / megahertz, rounded up; 0: of clocks for which it does not serve,
	 * where base/clock.c divides. */
	uint64_t inverse;
};

static inline struct clock_rate clock_rate_of(uint32_t megahertz)
{
	return (struct clock_rate){
		.megahertz = megahertz,
		.inverse = megahertz > 1 && megahertz < 1000000
				   ? UINT64_MAX / megahertz + 1 : 0,
	};
}

/* number / megahertz, or one more. What was rounded up adds less than number /
 * 2^64 to the quotient: nothing to that of a number of 32 bits. */
static inline uint64_t clock_rate_quotient(const struct clock_rate *rate,
					   uint64_t number)
{
	return (uint64_t)((clock_wide)number * rate->inverse >> 64);
}

/* As clock_after(): base/clock.c says how. Times below 2^44 can be multiplied by a
 * million or megahertz; 4,000,000,000 and a remainder fit into 32 bits. */
static inline picoseconds clock_rate_after(const struct clock_rate *rate,
					   picoseconds from, uint64_t cycles)
{
	uint32_t megahertz = rate->megahertz, rest, rounded;

	if (from >> 44 || cycles > 4000 || !rate->inverse)
		return clock_after(from, cycles, megahertz);
	rest = (uint32_t)(((from + 1) * megahertz - 1) % 1000000);
	rounded = (uint32_t)clock_rate_quotient(rate, rest + megahertz) *
			  megahertz -
		  (rest + 1);
	return from + clock_rate_quotient(
			      rate, rounded + (uint32_t)cycles * 1000000);
}

/* *middle: `first` cycles after `from`; returns the time `second` cycles after
 * that. From the beginning of a cycle the two ways are one. */
static inline picoseconds clock_rate_after_both(const struct clock_rate *rate,
						picoseconds from,
						uint64_t first, uint64_t second,
						picoseconds *middle)
{
	uint32_t megahertz = rate->megahertz, rest, rounded;

	rest = (uint32_t)(((from + 1) * megahertz - 1) % 1000000);
	if (from >> 44 || first + second > 4000 || !rate->inverse ||
	    rest >= megahertz) {
		*middle = clock_rate_after(rate, from, first);
		return clock_rate_after(rate, *middle, second);
	}
	rounded = megahertz - (rest + 1);
	*middle = from + clock_rate_quotient(
				 rate, rounded + (uint32_t)first * 1000000);
	return from + clock_rate_quotient(
			      rate,
			      rounded + (uint32_t)(first + second) * 1000000);
}

/* As clock_cycle_start(). */
static inline picoseconds clock_rate_start(const struct clock_rate *rate,
					   uint64_t cycle)
{
	uint64_t number = cycle * 1000000, quotient;

	if (cycle >> 43 || !rate->inverse)
		return clock_cycle_start(cycle, rate->megahertz);
	quotient = clock_rate_quotient(rate, number);
	return quotient - (quotient * rate->megahertz > number);
}

/* As clock_cycle_of(). */
static inline picoseconds clock_rate_cycle_of(const struct clock_rate *rate,
					      picoseconds time)
{
	if (time >> 43 || !rate->inverse)
		return clock_cycle_of(time, rate->megahertz);
	return clock_rate_start(rate, ((time + 1) * rate->megahertz - 1) /
					      1000000);
}

/* As clock_cycle_at(), which divides by a million only. */
static inline uint64_t clock_rate_at(const struct clock_rate *rate,
				     picoseconds time)
{
	if (time >> 44 || !rate->inverse)
		return clock_cycle_at(time, rate->megahertz);
	return (time * rate->megahertz + 999999) / 1000000;
}

#endif
