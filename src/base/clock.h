/* Simulated time: picoseconds, from clock domains counted in cycles. */
#ifndef M2S_BASE_CLOCK_H
#define M2S_BASE_CLOCK_H

#include <stdint.h>

typedef uint64_t picoseconds;

/* The time of one cycle of a clock: 1,000,000 ps over its frequency in MHz,
 * rounded to the nearest whole number. */
picoseconds clock_period(double megahertz);

/* When cycle `cycle` of a clock begins: floor(cycle * 1,000,000 / megahertz)
 * picoseconds. No rounded period adds up. */
picoseconds clock_cycle_start(uint64_t cycle, uint32_t megahertz);
/* The first cycle that begins at `time` or later. */
uint64_t clock_cycle_at(picoseconds time, uint32_t megahertz);

/* The time `cycles` cycles of a clock after `from`, which may lie inside a
 * cycle. */
picoseconds clock_after(picoseconds from, uint64_t cycles, uint32_t megahertz);
/* The beginning of the clock's cycle in which `time` lies. */
picoseconds clock_cycle_of(picoseconds time, uint32_t megahertz);

/* Host time in seconds from an arbitrary start, never going back. */
double host_seconds(void);

#endif
