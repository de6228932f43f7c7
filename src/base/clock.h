/* Simulated time: picoseconds, from clock domains counted in cycles. */
#ifndef M2S_BASE_CLOCK_H
#define M2S_BASE_CLOCK_H

#include <stdint.h>

typedef uint64_t picoseconds;

/* Host time in seconds from an arbitrary start, never going back. */
double host_seconds(void);

#endif
