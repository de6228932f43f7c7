#include "evergreen/emu/sync.h"

#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"

enum { SEMA_V, SEMA_P, BARRIER, INIT };

static void append_wavefront(struct evg_sync_queue *queue,
			     struct evg_wavefront *wavefront)
{
	wavefront->sync.next = NULL;
	if (queue->first)
		queue->last->sync.next = wavefront;
	else
		queue->first = wavefront;
	queue->last = wavefront;
	queue->count++;
}

static struct evg_wavefront *take_first(struct evg_sync_queue *queue)
{
	struct evg_wavefront *wavefront = queue->first;

	if (wavefront) {
		queue->first = wavefront->sync.next;
		queue->count--;
	}
	return wavefront;
}

static void wait(struct evg_wavefront *wavefront, struct evg_sync *sync,
		 struct evg_sync_queue *queue)
{
	append_wavefront(queue, wavefront);
	wavefront->progress.waiting = wavefront->sync.waits = true;
	wavefront->progress.barrier_line =
	    wavefront->plan->cf[wavefront->progress.started].cf->line;
	sync->waiting++;
}

static void release_wavefront(struct evg_sync *sync,
			      struct evg_wavefront *wavefront)
{
	wavefront->progress.waiting = wavefront->sync.waits = false;
	sync->waiting--;
	append_wavefront(&sync->released, wavefront);
}

/* As many of those that wait as the semaphore now lets pass. */
static void release_semaphore(struct evg_sync *sync,
			      struct evg_sync_resource *resource)
{
	while (resource->count > 0 && resource->semaphore.first) {
		resource->count--;
		release_wavefront(sync, take_first(&resource->semaphore));
	}
}

static void release_barrier(struct evg_sync *sync,
			    struct evg_sync_resource *resource)
{
	struct evg_wavefront *wavefront;

	while ((wavefront = take_first(&resource->barrier)))
		release_wavefront(sync, wavefront);
}

static void arrive(struct evg_wavefront *wavefront, struct evg_sync *sync,
		   struct evg_sync_resource *resource, int32_t next)
{
	if (!resource->initialised || resource->count > 0) {
		resource->count -= resource->initialised;
		wait(wavefront, sync, &resource->barrier);
		return;
	}
	/* The last one: it does not wait, and the barrier may be used again. */
	release_barrier(sync, resource);
	resource->count = next;
}

/* Those that came to the barrier before INIT count, so that INIT need not be
 * the first to be executed. */
static void initialise(struct evg_sync *sync,
		       struct evg_sync_resource *resource, int32_t value)
{
	resource->initialised = true;
	resource->count = value - (int32_t)resource->barrier.count;
	if (resource->count < 0) {
		release_barrier(sync, resource);
		resource->count = value;
	}
	release_semaphore(sync, resource);
}

/* A field, and what its index mode adds. */
static uint32_t indexed(const struct evg_wavefront *wavefront, uint32_t field,
			unsigned mode)
{
	return field + (mode ? wavefront->indices.cf[mode - 1] : 0);
}

void sync_execute(struct evg_wavefront *wavefront,
		  const struct evg_cf_inst *inst)
{
	struct evg_sync *sync = &wavefront->group->ndrange->sync;
	uint32_t number = indexed(wavefront, inst->gws_resource,
				  inst->gws_resource_index_mode);
	int32_t value = (int32_t)indexed(wavefront,
					 inst->gws_sign
						 ? -(uint32_t)inst->gws_value
						 : inst->gws_value,
					 inst->gws_value_index_mode);
	struct evg_sync_resource *resource;

	if (number >= EVG_SYNC_RESOURCES) {
		control_fault_number(wavefront, EVG_FAULT_SYNC, number);
		return;
	}
	if (value < -EVG_SYNC_COUNT_MAX || value > EVG_SYNC_COUNT_MAX) {
		control_fault(wavefront, "a value beyond 2^20");
		return;
	}
	resource = &sync->resources[number];
	switch (inst->gws_opcode) {
	case SEMA_V:
		if (resource->count + value > EVG_SYNC_COUNT_MAX ||
		    resource->count + value < -EVG_SYNC_COUNT_MAX) {
			control_fault(wavefront, "the semaphore would go "
						 "beyond 2^20");
			return;
		}
		resource->count += value;
		release_semaphore(sync, resource);
		return;
	case SEMA_P:
		if (resource->count > 0)
			resource->count--;
		else
			wait(wavefront, sync, &resource->semaphore);
		return;
	case BARRIER:
		arrive(wavefront, sync, resource, value);
		return;
	default:
		initialise(sync, resource, value);
	}
}

struct evg_wavefront *evg_ndrange_next_released(struct evg_ndrange *ndrange)
{
	return take_first(&ndrange->sync.released);
}

bool evg_ndrange_waits_globally(const struct evg_ndrange *ndrange)
{
	return ndrange->sync.waiting != 0;
}
