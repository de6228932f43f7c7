/* A GPU in the time of the cores with which it shares its memory. */
#include "evergreen/timing/timing.h"
#include "m2s/gpu/internal.h"
#include "sim/event.h"

bool gpu_shares(const struct gpu *gpu)
{
	return gpu->shares;
}

void gpu_set_give_way(struct gpu *gpu, void (*give_way)(void *owner),
		      void *owner)
{
	gpu->follow.give_way = give_way;
	gpu->follow.owner = owner;
	gpu->follow.due = UINT64_MAX;
}

picoseconds gpu_due(const struct gpu *gpu)
{
	return gpu->follow.due;
}

/* Ends are seen at the end of a window in which compute units run without a look
 * at each other. */
static picoseconds next_look(const struct gpu *gpu)
{
	picoseconds next = event_queue_now(gpu->events) +
			   evg_timing_window(&gpu->config);

	return gpu->follow.runs && next < gpu->follow.look ? next
							   : gpu->follow.look;
}

bool gpu_is_due(struct gpu *gpu)
{
	struct gpu_follow *follow = &gpu->follow;

	if (event_queue_now(gpu->events) >= follow->look ||
	    (follow->runs && evg_timing_has_ended(gpu->timing))) {
		follow->due = UINT64_MAX;
		return true;
	}
	follow->due = next_look(gpu);
	return false;
}

bool gpu_wait(void *owner, picoseconds until)
{
	struct gpu *gpu = owner;
	struct gpu_follow *follow = &gpu->follow;

	if (event_queue_now(gpu->events) >= until || follow->abandoned)
		return follow->abandoned;
	follow->look = until;
	follow->due = next_look(gpu);
	follow->give_way(follow->owner);
	return follow->abandoned;
}

void gpu_return(struct gpu *gpu)
{
	if (gpu->follow.abandoned)
		return;
	gpu->follow.wants_caller = true;
	gpu->follow.give_way(gpu->follow.owner);
	gpu->follow.wants_caller = false;
}

bool gpu_wants_caller(const struct gpu *gpu)
{
	return gpu->follow.wants_caller;
}

void gpu_abandon(struct gpu *gpu)
{
	gpu->follow.abandoned = true;
}
