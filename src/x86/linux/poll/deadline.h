/* Time-outs of the calls that wait for descriptors. */
#ifndef M2S_X86_LINUX_POLL_DEADLINE_H
#define M2S_X86_LINUX_POLL_DEADLINE_H

#include "x86/linux/state.h"

/* Sets the deadline on the first attempt of a call. A negative time means
 * none. */
void poll_set_deadline(struct context *context, int64_t nanoseconds);
/* Converts a time-out argument, which is an int of milliseconds, to ns.
 * Negative: none. */
int64_t poll_milliseconds(uint64_t argument);
/* Whether the deadline has passed. */
bool poll_expired(const struct context *context);
/* The time left until the deadline in ns, or 0. */
int64_t poll_time_left(const struct context *context);
/* Whether the call writes back the rest of its time-out: it does at its end,
 * and before it is made again. */
bool poll_time_is_told(const struct context *context, int64_t result);

#endif
