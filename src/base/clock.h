/* Simulated time: picoseconds, from clock domains counted in cycles. */
#ifndef M2S_BASE_CLOCK_H
#define M2S_BASE_CLOCK_H

#include <stdint.h>

typedef uint64_t picoseconds;

/* The time of one cycle of a clock: 1,000,000 ps over its frequency in MHz,
 * rounded to the nearest whole number. */
picoseconds clock_period(double megahertz);

/* Host time in seconds from an arbitrary start, never going back. */
double host_seconds(void);

#endif
