/* Time-outs of the calls that wait for descriptors. */
#ifndef M2S_X86_LINUX_POLL_DEADLINE_H
#define M2S_X86_LINUX_POLL_DEADLINE_H

#include "x86/linux/state.h"

/* Sets the deadline on the first attempt; ns < 0: none. */
void poll_set_deadline(struct context *context, int64_t nanoseconds);
/* A time-out argument, which is an int: in ns, negative for none. */
int64_t poll_milliseconds(uint64_t argument);
/* Whether the deadline has passed. */
bool poll_expired(const struct context *context);
/* ns up to the deadline, or 0. */
int64_t poll_time_left(const struct context *context);
/* Whether the caller learns how much of its timeout is left: at the end, and
 * for the call to be made again. */
bool poll_time_is_told(const struct context *context, int64_t result);

#endif
