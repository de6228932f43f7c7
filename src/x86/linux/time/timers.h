/* Timers that expire. */
#ifndef M2S_X86_LINUX_TIME_TIMERS_H
#define M2S_X86_LINUX_TIME_TIMERS_H

#include <stdint.h>

struct linux_system;

/* Sends signals for expired timers and counts overruns. */
void timers_poll(struct linux_system *system);
/* The earliest time at which a timer expires; INT64_MAX: none. */
int64_t timers_next(struct linux_system *system);

#endif
