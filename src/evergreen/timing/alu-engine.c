/* The ALU engine: clauses of a few wavefronts (the even and the odd one)
 * alternate group by group through fetch ─► decode ─► read ─► execute ─►
 * write. Execute takes one sub-wavefront a cycle; a group's successor in the
 * same wavefront follows after the processing-element latency. A local-memory
 * access that needs longer, or a value of local memory that has not arrived,
 * stalls the engine: the hardware does not switch to another wavefront inside
 * a clause (AMD OpenCL guide). */
#include "base/optimize.h"

#include <stddef.h>

#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/inst-cycles.h"
#include "evergreen/timing/trace.h"

enum { DECODE_CYCLES = 1, READ_CYCLES = 1, WRITE_CYCLES = 1 };

static void alu_visit(void *owner, uint64_t tag);

static void schedule_alu(struct compute_unit *cu, uint64_t now, uint64_t cycle)
{
	if (cycle < now)
		cycle = now;
	if (cu->alu.scheduled && cu->alu.scheduled <= cycle + 1)
		return;
	cu->alu.scheduled = cycle + 1; /* never 0 */
	unit_after(cu, cycle - now, alu_visit, cu, cycle + 1);
}

/* Cycles until a group of so many bytes has been fetched and decoded. */
static uint32_t fetch_cycles(const struct evg_config *config, uint32_t bytes)
{
	return (bytes + config->alu_fetch_size - 1) / config->alu_fetch_size *
		       config->alu_fetch_latency +
	       DECODE_CYCLES;
}

void alu_create(struct compute_unit *cu)
{
	for (unsigned i = 0; i < MAX_ALU_WAVEFRONTS; i++)
		cu->alu.active[i].ready = UINT64_MAX;
	for (uint32_t units = 0; units <= GROUP_UNITS_MAX; units++)
		cu->alu.fetch_cycles[units] =
			fetch_cycles(&cu->timing->config, 8 * units);
}

/* Gives free places to the wavefronts that wait. Their first group was fetched
 * meanwhile. */
static __attribute__((noinline)) void fill_places(struct compute_unit *cu,
						  uint64_t now)
{
	const struct evg_config *config = &cu->timing->config;

	for (unsigned i = 0; i < config->alu_wavefronts; i++) {
		struct alu_place *place = &cu->alu.active[i];
		uint64_t fetched;

		if (place->resident)
			continue;
		place->resident = resident_pop(&cu->alu.pending);
		cu->alu.taken++;
		evg_wavefront_set_odd(place->resident->wavefront, i & 1);
		fetched = place->resident->fetch_start +
			  config->alu_fetch_latency + DECODE_CYCLES +
			  READ_CYCLES;
		place->ready = fetched > now ? fetched : now;
		place->wait = ACCOUNT_INSTRUCTION;
		place->groups = 0;
		if (!cu->alu.pending.head)
			break;
	}
}

static inline bool may_fill(const struct compute_unit *cu)
{
	return cu->alu.pending.head &&
	       cu->alu.taken < cu->timing->config.alu_wavefronts;
}

static void leave_place(struct compute_unit *cu, struct alu_place *place)
{
	place->resident = NULL;
	place->ready = UINT64_MAX;
	cu->alu.taken--;
}

/* The active wavefront that can issue first; after the last one on ties. The host
 * could not guess which one it is. A place without a wavefront is never ready. */
static unsigned select_active(const struct compute_unit *cu)
{
	unsigned count = cu->timing->config.alu_wavefronts;
	unsigned slot = cu->alu.last, best = 0;
	uint64_t least = UINT64_MAX;

	if (count == 2)
		return cu->alu.active[!slot].ready <= cu->alu.active[slot].ready
			       ? !slot
			       : slot;
	for (unsigned i = 0; i < count; i++) {
		bool sooner;

		slot = slot + 1 < count ? slot + 1 : 0;
		sooner = cu->alu.active[slot].ready < least;
		best = sooner ? slot : best;
		least = sooner ? cu->alu.active[slot].ready : least;
	}
	return best;
}

static void count_group(struct compute_unit *cu, const struct evg_step *step)
{
	unsigned slots = step->group->inst_count;

	cu->n.alu_instructions++;
	cu->n.alu_slots += slots;
	if (slots >= 1 && slots <= 5)
		cu->n.vliw_occupancy[slots - 1]++;
	cu->n.lane_operations += slots * step->active_count;
	/* Also one that no work-item took part in. */
	if (step->group->slot_mask & 1 << EVG_X &&
	    step->group->inst[EVG_X].op == EVG_ALU_LDS_IDX_OP)
		cu->n.alu_local_slots++;
}

/* The cycle in which the group has the values of local memory that it takes.
 * The engine stalls until then. */
static uint64_t wait_for_values(struct compute_unit *cu,
				const struct resident *resident, uint64_t now)
{
	uint64_t there = local_memory_take(cu, resident);

	if (there <= now)
		return now;
	account_busy(&cu->account, ENGINE_ALU, now, ACCOUNT_LOCAL,
		     there - now);
	return there;
}

/* As unit_step(). A VLIW group stores nothing to global memory. */
static inline bool step_group(struct compute_unit *cu,
			      struct resident *resident, uint64_t now)
{
	evg_wavefront_set_time(resident->wavefront, now);
	if (evg_wavefront_step(resident->wavefront, &cu->step, &cu->error)) {
		unit_fail(cu);
		return false;
	}
	cu->n.instructions++;
	return true;
}

static void issue_group(struct compute_unit *cu, unsigned slot, uint64_t now)
{
	const struct evg_config *config = &cu->timing->config;
	struct alu_place *place = &cu->alu.active[slot];
	struct resident *resident = place->resident;
	uint64_t cycles = cu->timing->sub_wavefronts, latency, fetch;
	uint64_t start = now, free, served;

	/* The ND-range may be gone after an error. */
	if (cu->stopped || !step_group(cu, resident, now))
		return;
	count_group(cu, &cu->step);
	if (cu->step.queues)
		start = wait_for_values(cu, resident, now);
	free = start + cycles;
	if (cu->step.memory_local)
		free = local_memory_serve(cu, start, &served);
	if (cu->step.queues &&
	    !local_memory_ask(cu, resident,
			      cu->step.memory_local ? served : free)) {
		unit_fail(cu);
		return;
	}
	latency = config->alu_latency;
	if (latency < free - start)
		latency = free - start;
	fetch = cu->alu.fetch_cycles[cu->step.group->size];
	place->wait = latency < fetch ? ACCOUNT_INSTRUCTION
				      : ACCOUNT_DEPENDENCE;
	latency = latency < fetch ? fetch : latency;
	cu->alu.free = free;
	cu->alu.last = slot;
	cu->n.alu_cycles += free - start;
	inst_cycles_count(cu, resident, start, free - start);
	unit_pipeline(resident, start, start, free);
	if (!place->groups++)
		place->begun = now;
	account_busy(&cu->account, ENGINE_ALU, now, ACCOUNT_ISSUED, cycles);
	if (free - start != cycles)
		account_busy(&cu->account, ENGINE_ALU, now, ACCOUNT_CONFLICT,
			     free - start - cycles);
	place->ready = start + latency;
	if (!cu->step.barrier && !cu->step.clause_end)
		return;
	unit_trace_engine(resident, TRACE_ALU, slot, place->begun, free,
			  place->groups);
	leave_place(cu, place);
	resident->ended = cu->step.program_end;
	if (cu->step.barrier) {
		/* The place goes to another wavefront meanwhile. */
		resident->clause_ended = cu->step.clause_end;
		resident_place(resident, ACCOUNT_BARRIER);
		barrier_arrive(resident);
	} else {
		resident_place(resident, ACCOUNT_CF);
		unit_after(cu, free - now + WRITE_CYCLES, cu->cf.complete,
			   resident, 0);
	}
}

/* The cycle in which the engine and the wavefront in a place are ready;
 * UINT64_MAX when it has none. */
static inline uint64_t issue_cycle(const struct compute_unit *cu, unsigned slot)
{
	uint64_t ready = cu->alu.active[slot].ready, free = cu->alu.free;

	return ready < free ? free : ready;
}

static void alu_visit(void *owner, uint64_t tag)
{
	struct compute_unit *cu = owner;
	uint64_t when, now = tag - 1;
	unsigned slot;

	/* A later visit was overtaken by an earlier one. */
	if (cu->alu.scheduled != tag)
		return;
	cu->alu.scheduled = 0;
	unit_set_cycle(cu, now);
	if (may_fill(cu))
		fill_places(cu, now);
	slot = select_active(cu);
	when = issue_cycle(cu, slot);
	if (when <= now) {
		issue_group(cu, slot, now);
		if (cu->stopped)
			return;
		if (may_fill(cu))
			fill_places(cu, now);
		slot = select_active(cu);
		when = issue_cycle(cu, slot);
	}
	if (when == UINT64_MAX)
		return;
	account_hold(&cu->account, ENGINE_ALU, now, cu->alu.active[slot].wait);
	schedule_alu(cu, now, when);
}

static void alu_enqueue(void *owner, uint64_t tag)
{
	struct resident *resident = owner;
	struct compute_unit *cu = resident->cu;

	(void)tag;
	resident->fetch_start = unit_cycle(cu);
	resident_place(resident, ACCOUNT_ALU);
	resident_push(&cu->alu.pending, resident);
	schedule_alu(cu, unit_cycle(cu), unit_cycle(cu) + 1);
}

void alu_start(struct resident *resident)
{
	struct compute_unit *cu = resident->cu;

	resident->reads_local = false;
	cu->n.alu_wavefronts++;
	if (clause_waits(resident, cu->step.cf, cu->step.cf->count,
			 alu_enqueue))
		resident_place(resident, ACCOUNT_CLAUSE);
	else
		alu_enqueue(resident, 0);
}

void barrier_arrive(struct resident *resident)
{
	struct resident_group *group = resident->group;
	struct compute_unit *cu = resident->cu;

	group->waiting++;
	if (group->waiting < group->wavefronts) {
		barrier_check(group);
		return;
	}
	group->waiting = 0;
	for (uint32_t i = 0; i < group->wavefronts; i++) {
		struct resident *other = &group->residents[i];

		evg_wavefront_release(other->wavefront);
		/* Always inside a clause: GROUP_BARRIER is an ALU
		 * instruction, which may be the last of its clause. */
		if (other->ended || other->clause_ended) {
			unit_after(cu, WRITE_CYCLES, cu->cf.complete, other,
				   0);
		} else {
			other->fetch_start = unit_cycle(cu);
			resident_place(other, ACCOUNT_ALU);
			resident_push(&cu->alu.pending, other);
		}
	}
	schedule_alu(cu, unit_cycle(cu), unit_cycle(cu) + 1);
}
