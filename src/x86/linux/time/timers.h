/* Timers that expire. */
#ifndef M2S_X86_LINUX_TIME_TIMERS_H
#define M2S_X86_LINUX_TIME_TIMERS_H

#include <stdint.h>

struct linux_system;

/* Sends and counts what has expired. */
void timers_poll(struct linux_system *system);
/* Earliest time at which a timer needs attention, INT64_MAX: none. */
int64_t timers_next(struct linux_system *system);

#endif
