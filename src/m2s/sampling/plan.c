#include "m2s/sampling/plan.h"

/* `left` instructions before a detailed part. */
static struct sampling_step before(const struct sampling_plan *plan,
				   uint64_t left)
{
	if (left <= plan->warm)
		return (struct sampling_step){ SAMPLING_WARM, left };
	return (struct sampling_step){
		SAMPLING_SKIP,
		plan->warm && left != UINT64_MAX ? left - plan->warm : left,
	};
}

struct sampling_step sampling_step(const struct sampling_plan *plan,
				   uint64_t done, bool inside, uint64_t since)
{
	uint64_t detail = plan->lead + plan->unit + SAMPLING_TAIL, at;

	if (done < plan->fast_forward)
		return before(plan, plan->fast_forward - done);
	if (plan->markers && !inside)
		return before(plan, UINT64_MAX);
	if (!plan->period)
		return (struct sampling_step){ SAMPLING_DETAIL, UINT64_MAX };
	if (!plan->markers || since < plan->fast_forward)
		since = plan->fast_forward;
	at = (done - since) % plan->period;
	if (at < plan->period - detail)
		return before(plan, plan->period - detail - at);
	return (struct sampling_step){ SAMPLING_DETAIL, plan->period - at };
}
