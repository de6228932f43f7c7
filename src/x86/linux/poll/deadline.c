#include "x86/linux/poll/deadline.h"

#include <sys/personality.h>

#include "x86/linux/calls.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

void poll_set_deadline(struct context *context, int64_t nanoseconds)
{
	if (!context->call.resumed && !context->call.restarted)
		context->wait.deadline =
			nanoseconds < 0
				? INT64_MAX
				: clock_monotonic(context->process->system) +
					  nanoseconds;
}

int64_t poll_milliseconds(uint64_t argument)
{
	return (int64_t)(int)argument * 1000000;
}

bool poll_expired(const struct context *context)
{
	return context->wait.deadline <=
	       clock_monotonic(context->process->system);
}

bool poll_time_is_told(const struct context *context, int64_t result)
{
	return (result >= 0 ||
		(result == CALL_BLOCKS && context->call.interrupted)) &&
	       context->wait.deadline != INT64_MAX &&
	       !(context->process->personality & STICKY_TIMEOUTS);
}

int64_t poll_time_left(const struct context *context)
{
	int64_t left = context->wait.deadline -
		       clock_monotonic(context->process->system);

	return left > 0 ? left : 0;
}
