#include "m2s/sampling/plan.h"

#include "m2s/sampling/phases.h"

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

/* The detailed part around an interval. */
static uint64_t begin_of(const struct sampling_plan *plan, size_t phase)
{
	uint64_t start = plan->phases->row[phase].start;

	return start < plan->lead ? 0 : start - plan->lead;
}

static uint64_t end_of(const struct sampling_plan *plan, size_t phase)
{
	return plan->phases->row[phase].start + plan->phases->length +
	       SAMPLING_TAIL;
}

/* Parts that overlap are one. */
static struct sampling_step phases_step(const struct sampling_plan *plan,
					uint64_t done)
{
	size_t count = plan->phases->count, phase = 0;

	while (phase < count && end_of(plan, phase) <= done)
		phase++;
	if (phase == count)
		return before(plan, UINT64_MAX);
	if (done < begin_of(plan, phase))
		return before(plan, begin_of(plan, phase) - done);
	while (phase + 1 < count &&
	       begin_of(plan, phase + 1) <= end_of(plan, phase))
		phase++;
	return (struct sampling_step){ SAMPLING_DETAIL,
				       end_of(plan, phase) - done };
}

struct sampling_step sampling_step(const struct sampling_plan *plan,
				   uint64_t done, bool inside, uint64_t since)
{
	uint64_t detail = plan->lead + plan->unit + SAMPLING_TAIL, at;

	if (plan->phases)
		return phases_step(plan, done);
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
