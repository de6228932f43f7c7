/* What the engines of a compute unit share: its clock, queues of wavefronts, the
 * stream cores, and the step of a wavefront. */
#include "base/optimize.h"

#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/trace.h"

void resident_push(struct resident_queue *queue, struct resident *resident)
{
	resident->next = NULL;
	if (queue->head)
		queue->tail->next = resident;
	else
		queue->head = resident;
	queue->tail = resident;
}

struct resident *resident_pop(struct resident_queue *queue)
{
	struct resident *resident = queue->head;

	queue->head = resident->next;
	if (!queue->head)
		queue->tail = NULL;
	return resident;
}

void resident_place(struct resident *resident, enum account_reason place)
{
	struct compute_unit *cu = resident->cu;

	unit_trace_place(resident, unit_cycle(cu));
	account_move(&cu->account, unit_cycle(cu), resident->place,
		     place);
	resident->place = place;
}

/* Takes the next cycles in which the stream cores are free; a lone wavefront
 * leaves enough of them. */
void unit_calculate_addresses(struct compute_unit *cu)
{
	uint64_t now = unit_cycle(cu);
	uint32_t cycles = cu->timing->config.address_groups *
			  cu->timing->sub_wavefronts;

	if (cu->alu.free < now)
		cu->alu.free = now;
	cu->alu.free += cycles;
	cu->n.address_cycles += cycles;
	account_busy(&cu->account, ENGINE_ALU, now, ACCOUNT_ADDRESS, cycles);
}

/* What it has stored in a window that is over has taken effect. */
static void unit_settle(struct compute_unit *cu)
{
	if (!cu->raised || event_queue_now(cu->events) < cu->raised_until)
		return;
	cu->raised = false;
	cu->stores.used = 0;
}

/* It wants to be looked at when the window has ended. */
static void unit_raise(struct compute_unit *cu)
{
	picoseconds window = cu->timing->window;

	if (cu->raised)
		return;
	cu->raised = true;
	cu->raised_until =
		(event_queue_now(cu->events) / window + 1) * window;
	if (cu->timing->follows)
		timing_note(cu, cu->raised_until -
				event_queue_now(cu->events));
	else
		event_queue_raise(cu->events, cu);
}

void unit_fail(struct compute_unit *cu)
{
	unit_settle(cu);
	unit_raise(cu);
	cu->failed = cu->stopped = true;
	cu->failed_at = event_queue_now(cu->events);
}

bool unit_step(struct compute_unit *cu, struct resident *resident)
{
	struct evg_wavefront *wavefront = resident->wavefront;

	if (cu->stopped)
		return false;
	unit_settle(cu);
	evg_wavefront_set_time(wavefront, unit_cycle(cu));
	if (evg_wavefront_step(wavefront, &cu->step, &cu->error)) {
		unit_fail(cu);
		return false;
	}
	cu->n.instructions++;
	if (cu->stores.used)
		unit_raise(cu);
	return true;
}
