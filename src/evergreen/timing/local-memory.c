/* Local memory: a queue of instructions, the banks, and the output queues in
 * which the values of reads wait for the group that takes them.
 *
 *	stream cores ─► input queue ─► banks ─► output queues A, B
 *	     ▲          (instructions)          (values of a wavefront)
 *	     └───────────────────────────────────────────┘
 *
 * Instructions are served in order, so that it is enough to know when the
 * banks have served each of the last ones, and when each value arrives. */
#include "base/optimize.h"

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/compute-unit.h"

/* The values of one queue that have been asked for and not yet taken. */
struct output_queue {
	uint32_t head, count;
	uint64_t arrival[]; /* cycles, a ring of OutputQueueSize */
};

static size_t queue_bytes(const struct evg_config *config)
{
	return sizeof(struct output_queue) +
	       config->local_output_queue * sizeof(uint64_t);
}

void local_memory_create(struct compute_unit *cu)
{
	const struct evg_config *config = &cu->timing->config;

	/* Of this only what is used takes memory. */
	cu->lds.queues = xcalloc(2 * config->max_wavefronts,
				 queue_bytes(config));
}

void local_memory_free(struct compute_unit *cu)
{
	free(cu->lds.queues);
}

static struct output_queue *queue_of(struct compute_unit *cu,
				     const struct resident *resident,
				     unsigned queue)
{
	return (void *)((char *)cu->lds.queues +
			(2 * resident->slot + queue) *
				queue_bytes(&cu->timing->config));
}

/* Cycle of the value at a place behind the head. */
static uint64_t *arrival_at(struct output_queue *queue, uint32_t place,
			    uint32_t size)
{
	place += queue->head;
	return &queue->arrival[place < size ? place : place - size];
}

uint64_t local_memory_take(struct compute_unit *cu,
			   const struct resident *resident)
{
	const struct evg_queue_use *use = cu->step.queues;
	uint32_t size = cu->timing->config.local_output_queue;
	uint64_t there = 0;

	if (!resident->reads_local)
		return 0;
	for (unsigned q = 0; q < 2; q++) {
		struct output_queue *queue = queue_of(cu, resident, q);
		uint32_t takes = use->takes[q];
		uint32_t needs = takes ? takes : use->looks[q];

		/* Fewer when predicates have made lanes go apart. */
		if (needs > queue->count)
			needs = queue->count;
		if (takes > queue->count)
			takes = queue->count;
		if (needs && *arrival_at(queue, needs - 1, size) > there)
			there = *arrival_at(queue, needs - 1, size);
		queue->head += takes;
		if (queue->head >= size)
			queue->head -= size;
		queue->count -= takes;
	}
	return there;
}

bool local_memory_ask(struct compute_unit *cu, struct resident *resident,
		      uint64_t served)
{
	const struct evg_config *config = &cu->timing->config;
	const struct evg_queue_use *use = cu->step.queues;

	for (unsigned q = 0; q < 2; q++) {
		struct output_queue *queue = queue_of(cu, resident, q);

		if (!resident->reads_local)
			queue->count = 0;
		for (unsigned i = 0; i < use->pushes[q]; i++) {
			if (queue->count == config->local_output_queue) {
				error_set(&cu->error, "kernel '%s': code "
					  "address 0x%x: the LDS output queue "
					  "%c is full with %u values "
					  "([LocalMemory] OutputQueueSize) of "
					  "which the clause has taken none: "
					  "the hardware would hang; take "
					  "values earlier, or configure a "
					  "longer queue",
					  evg_ndrange_launch(
						  cu->timing->ndrange)
						  ->kernel->name,
					  cu->step.address, 'A' + (int)q,
					  queue->count);
				return false;
			}
			if (!queue->count)
				queue->head = 0;
			*arrival_at(queue, queue->count++,
				    config->local_output_queue) =
				served + config->local_latency;
		}
	}
	resident->reads_local = true;
	return true;
}

/* How long the banks are busy with the unit's step. */
static uint32_t bank_cycles(struct compute_unit *cu)
{
	const struct evg_config *config = &cu->timing->config;
	const struct evg_step *step = &cu->step;
	unsigned lanes = evg_lane_count(step->memory_mask) +
			 evg_lane_count(step->memory_mask2);
	struct evg_bank_cycles cycles = cu->timing->bank_cycles(
		step, config->local_banks, config->local_window);

	cu->n.local_accesses += lanes;
	if (step->memory_write) {
		cu->n.local_writes += lanes;
		cu->n.local_writes_served += cycles.requests;
		cu->n.local_writes_merged += lanes - cycles.requests;
	} else {
		cu->n.local_reads += lanes;
		cu->n.local_reads_served += cycles.requests;
		cu->n.local_reads_merged += lanes - cycles.requests;
	}
	cu->n.local_cycles += cycles.all;
	cu->n.local_conflict_cycles += cycles.conflicts;
	return cycles.all;
}

uint64_t local_memory_serve(struct compute_unit *cu, uint64_t start,
			    uint64_t *served)
{
	const struct evg_config *config = &cu->timing->config;
	uint32_t places = config->local_input_queue + 1;
	uint32_t requests = cu->step.memory_mask2 ? 2 : 1;
	/* The stream cores hand the requests over. */
	uint64_t sent = start + (uint64_t)cu->timing->sub_wavefronts *
				((requests + config->local_ports - 1) /
				 config->local_ports);
	uint64_t begin = cu->lds.free > start ? cu->lds.free : start;
	uint64_t room;

	cu->lds.free = begin + bank_cycles(cu);
	*served = cu->lds.free > sent ? cu->lds.free : sent;
	/* The instruction that has to be served before there is room for the
	 * next one: this one, or one that came earlier. */
	cu->lds.served[cu->lds.last] = *served;
	cu->lds.last = cu->lds.last + 1 < places ? cu->lds.last + 1 : 0;
	room = cu->lds.served[cu->lds.last];
	return room > sent ? room : sent;
}
