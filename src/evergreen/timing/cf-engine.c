/* The control-flow engine: one CF instruction a cycle enters
 * fetch ─► decode ─► execute ─► complete, from the wavefronts that are ready;
 * a wavefront has at most one CF instruction in flight. */
#include "base/optimize.h"

#include <stddef.h>

#include "evergreen/isa/table.h"
#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/inst-cycles.h"
#include "evergreen/timing/trace.h"

enum { DECODE_CYCLES = 1, EXECUTE_CYCLES = CF_EXECUTE_CYCLES };

static void cf_execute(void *owner, uint64_t tag);

/* Takes the wavefront that the policy prefers out of the ready queue: the one
 * that has waited longest, the one that issued last, or the one that came to
 * the device first. Where the policy has no preference the longest wait
 * decides. */
static struct resident *select_wavefront(struct compute_unit *cu)
{
	struct resident_queue *ready = &cu->cf.ready;
	struct resident **best = &ready->head, *chosen;
	int policy = cu->timing->config.policy;

	if (policy == EVG_POLICY_ROUND_ROBIN)
		return resident_pop(ready);
	for (struct resident **r = &ready->head; *r; r = &(*r)->next)
		if (policy == EVG_POLICY_GREEDY
			    ? (*r)->issued > (*best)->issued
			    : (*r)->age < (*best)->age)
			best = r;
	chosen = *best;
	*best = chosen->next;
	if (ready->tail == chosen) {
		ready->tail = ready->head;
		while (ready->tail && ready->tail->next)
			ready->tail = ready->tail->next;
	}
	return chosen;
}

static uint64_t decoded_after(const struct compute_unit *cu)
{
	return cu->timing->config.cf_fetch_latency + DECODE_CYCLES;
}

/* The instruction was missing in its cache, and is there. */
static void cf_arrived(void *owner, uint64_t tag)
{
	struct resident *resident = owner;

	(void)tag;
	if (!resident->cu->stopped)
		resident_place(resident, ACCOUNT_CF);
	unit_after(resident->cu, decoded_after(resident->cu), cf_execute,
		   resident, 0);
}

/* The engine goes on with other wavefronts when the instruction cache does not
 * have the instruction. */
static void fetch_instruction(struct compute_unit *cu,
			      struct resident *resident)
{
	if (cf_fetch_waits(resident, evg_wavefront_next(resident->wavefront),
			   cf_arrived))
		resident_place(resident, ACCOUNT_CLAUSE);
	else
		unit_after(cu, decoded_after(cu), cf_execute, resident, 0);
}

static void cf_visit(void *owner, uint64_t tag)
{
	struct compute_unit *cu = owner;
	struct resident *resident;

	(void)tag;
	cu->cf.scheduled = false;
	/* The ND-range may be gone after an error. */
	if (!cu->cf.ready.head || cu->stopped)
		return;
	resident = select_wavefront(cu);
	cu->cf.free = unit_cycle(cu) + 1;
	resident->issued = cu->cf.free;
	account_busy(&cu->account, ENGINE_CF, unit_cycle(cu),
		     ACCOUNT_ISSUED, 1);
	fetch_instruction(cu, resident);
	if (cu->cf.ready.head) {
		cu->cf.scheduled = true;
		unit_after(cu, 1, cf_visit, cu, 0);
	}
}

static void cf_enqueue(void *owner, uint64_t tag)
{
	struct resident *resident = owner;
	struct compute_unit *cu = resident->cu;
	uint64_t now = unit_cycle(cu);

	(void)tag;
	resident_push(&cu->cf.ready, resident);
	if (cu->cf.scheduled)
		return;
	/* Others that come in this cycle are not preferred to it. */
	if (cu->cf.free <= now &&
	    cu->timing->config.policy == EVG_POLICY_ROUND_ROBIN) {
		cf_visit(cu, 0);
		return;
	}
	cu->cf.scheduled = true;
	unit_after(cu, cu->cf.free > now ? cu->cf.free - now : 0, cf_visit, cu,
		   0);
}

void cf_ready(struct resident *resident, uint64_t delay)
{
	unit_after(resident->cu, delay, cf_enqueue, resident, 0);
}

/* Ends a CF instruction of the wavefront: the step latency follows, then
 * cf_ready. */
static void complete_instruction(struct resident *resident)
{
	const struct evg_config *config = &resident->cu->timing->config;
	uint64_t pipeline = config->cf_fetch_latency + DECODE_CYCLES +
			    EXECUTE_CYCLES;

	resident_place(resident, resident->ended ? ACCOUNT_DRAIN : ACCOUNT_CF);
	if (resident->ended) {
		group_wavefront_ended(resident);
		return;
	}
	cf_ready(resident, config->cf_step_latency > pipeline
				   ? config->cf_step_latency - pipeline
				   : 0);
}

static void cf_complete(void *owner, uint64_t tag)
{
	(void)tag;
	complete_instruction(owner);
}

static void cf_export_event(void *owner, uint64_t tag)
{
	(void)tag;
	global_export(owner);
}

/* At least a cycle of export and EXECUTE_CYCLES, then cf_complete(), and the
 * way from there to cf_execute(). */
uint32_t cf_store_distance(const struct evg_config *config)
{
	uint32_t pipeline = config->cf_fetch_latency + DECODE_CYCLES +
			    EXECUTE_CYCLES;
	uint32_t wait = config->cf_step_latency > pipeline
				? config->cf_step_latency - pipeline
				: 0;

	return 1 + EXECUTE_CYCLES + wait + config->cf_fetch_latency +
	       DECODE_CYCLES;
}

/* A store with MARK has taken effect. */
static void write_done(struct resident *resident)
{
	resident->unacknowledged--;
	if (resident->waits_acknowledge &&
	    resident->unacknowledged <= resident->acknowledge_level) {
		resident->waits_acknowledge = false;
		complete_instruction(resident);
	}
	if (!--resident->group->pending_writes)
		group_writes_drained(resident->cu, resident->group);
}

/* A store goes its own way; the wavefront waits only for the export bus and for
 * room in the export buffer. */
static void cf_store(struct compute_unit *cu, struct resident *resident)
{
	uint64_t now = unit_cycle(cu), start = now;

	cu->n.global_writes++;
	unit_calculate_addresses(cu);
	if (cu->global.export_free > start)
		start = cu->global.export_free;
	cu->global.export_free = start + global_export_cycles(cu, &cu->step);
	cu->n.export_cycles += cu->global.export_free - start;
	unit_trace_engine(resident, TRACE_EXPORT, 0, start,
			  cu->global.export_free, 0);
	global_send(cu, resident, &cu->step, write_done);
	unit_after(cu, cu->global.export_free - now, cf_export_event,
		   resident, 0);
}

void cf_pass_released(struct compute_unit *cu)
{
	struct evg_timing *timing = cu->timing;
	picoseconds delay = timing->config.sync_latency * timing->period;
	struct evg_wavefront *wavefront;

	if (delay < islands_window(timing->islands))
		delay = islands_window(timing->islands);
	while ((wavefront = evg_ndrange_next_released(timing->ndrange))) {
		struct resident *resident = evg_wavefront_owner(wavefront);

		event_send(cu->events, resident->cu->events, delay, cu->source,
			   cf_complete, resident, 0);
	}
}

/* The unit for global wave sync serves the whole device: the answer takes
 * longer than the instruction. */
static void cf_sync(struct compute_unit *cu, struct resident *resident)
{
	cf_pass_released(cu);
	if (cu->step.global_wait)
		resident_place(resident, ACCOUNT_SYNC);
	else
		unit_after(cu, EXECUTE_CYCLES + cu->timing->config.sync_latency,
			   cf_complete, resident, 0);
}

static void cf_execute(void *owner, uint64_t tag)
{
	struct resident *resident = owner;
	struct compute_unit *cu = resident->cu;

	(void)tag;
	if (!unit_step(cu, resident))
		return;
	cu->n.cf_instructions++;
	inst_cycles_count(cu, resident, unit_cycle(cu), EXECUTE_CYCLES);
	unit_pipeline(resident, resident->issued - 1, unit_cycle(cu),
		      unit_cycle(cu) + EXECUTE_CYCLES);
	unit_trace_engine(resident, TRACE_CF, 0, resident->issued - 1,
			  resident->issued, 0);
	resident->ended = cu->step.program_end;
	switch (cu->step.kind) {
	case EVG_STEP_STORE:
		cf_store(cu, resident);
		return;
	case EVG_STEP_CLAUSE:
		if (cu->step.cf->format == EVG_CF_ALU_WORD) {
			cu->n.alu_triggers++;
			alu_start(resident);
		} else {
			cu->n.tex_triggers++;
			tex_start(resident);
		}
		return;
	default:
		break;
	}
	if (cu->step.cf->op == EVG_CF_WAVE_SYNC) {
		cf_sync(cu, resident);
		return;
	}
	if (evg_cf_waits(cu->step.cf->op) &&
	    resident->unacknowledged > cu->step.cf->address) {
		resident->waits_acknowledge = true;
		resident_place(resident, ACCOUNT_ACKNOWLEDGE);
		resident->acknowledge_level = cu->step.cf->address;
		return;
	}
	unit_after(cu, EXECUTE_CYCLES, cf_complete, resident, 0);
}

void cf_create(struct compute_unit *cu)
{
	cu->cf.complete = cf_complete;
}
