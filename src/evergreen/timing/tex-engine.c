/* The TEX engine: fetch clauses, read-only. Instructions are issued in order,
 * so many work-item addresses a cycle; their block accesses go to the compute
 * unit's entry module, and a clause ends when all its data have arrived. Other
 * clauses are issued meanwhile, as far as the load queue reaches. */
#include "base/optimize.h"

#include <math.h>
#include <stddef.h>

#include "evergreen/timing/compute-unit.h"
#include "evergreen/timing/inst-cycles.h"
#include "evergreen/timing/trace.h"

enum { INSTRUCTION_BYTES = 16, DECODE_CYCLES = 1, WRITE_CYCLES = 1 };

static void tex_visit(void *owner, uint64_t tag);

static void schedule_tex(struct compute_unit *cu)
{
	uint64_t now = unit_cycle(cu);
	bool full = cu->tex.loads >= cu->timing->config.tex_load_queue;

	account_hold(&cu->account, ENGINE_TEX, now,
		     full ? ACCOUNT_QUEUE : ACCOUNT_INSTRUCTION);
	if (cu->tex.scheduled || full ||
	    (!cu->tex.active && !cu->tex.pending.head))
		return;
	cu->tex.scheduled = true;
	unit_after(cu, cu->tex.free > now ? cu->tex.free - now : 0, tex_visit,
		   cu, 0);
}

static void finish_if_done(struct resident *resident)
{
	if (!resident->clause_issued || resident->pending_fetches)
		return;
	resident->clause_issued = false;
	unit_after(resident->cu, WRITE_CYCLES, resident->cu->cf.complete,
		   resident, 0);
}

static void fetch_done(struct resident *resident)
{
	resident->pending_fetches--;
	resident->cu->tex.loads--;
	finish_if_done(resident);
	schedule_tex(resident->cu);
}

static void constant_done(void *owner, uint64_t tag)
{
	(void)tag;
	fetch_done(owner);
}

/* Indexed constants: one value for all work-items is read once. */
static uint32_t constant_cycles(const struct compute_unit *cu,
				const struct evg_step *step)
{
	const struct evg_config *config = &cu->timing->config;
	double rate = config->constant_indexed_rate;
	uint32_t bytes = evg_lane_count(step->memory_mask) *
			 step->memory_bytes;
	uint32_t first;

	if (!step->memory_mask)
		return 1;
	first = step->memory_address[__builtin_ctzll(step->memory_mask)];
	for (uint64_t mask = step->memory_mask; mask; mask &= mask - 1)
		if (step->memory_address[__builtin_ctzll(mask)] != first) {
			rate = config->constant_divergent_rate;
			break;
		}
	return (uint32_t)ceil(bytes / (rate * config->stream_cores));
}

static void issue_fetch(struct compute_unit *cu, struct resident *resident)
{
	const struct evg_config *config = &cu->timing->config;
	uint64_t now = unit_cycle(cu);
	uint32_t lanes, cycles, bytes;

	if (!unit_step(cu, resident))
		return;
	lanes = evg_lane_count(cu->step.active);
	cycles = (lanes + config->tex_addresses - 1) / config->tex_addresses;
	/* Filtering makes one value of many texels: see texture_passes. */
	bytes = cu->step.texture_passes
			? 0
			: evg_lane_count(cu->step.memory_mask) *
				  cu->step.memory_bytes;
	if (cycles < (bytes + config->tex_bytes - 1) / config->tex_bytes)
		cycles = (bytes + config->tex_bytes - 1) / config->tex_bytes;
	if (cu->step.memory_constant)
		cycles = constant_cycles(cu, &cu->step);
	if (!cycles)
		cycles = 1;
	unit_calculate_addresses(cu);
	if (cu->step.texture_passes)
		cycles *= cu->step.texture_passes;
	cu->n.tex_instructions++;
	cu->n.tex_cycles += cycles;
	account_busy(&cu->account, ENGINE_TEX, now, ACCOUNT_ISSUED, cycles);
	cu->n.lane_operations += lanes;
	cu->tex.free = now + cycles;
	inst_cycles_count(cu, resident, now, cycles);
	unit_pipeline(resident, now, now, now + cycles);
	unit_trace_engine(resident, TRACE_TEX, 0, now, now + cycles, 0);
	resident->pending_fetches++;
	cu->tex.loads++;
	if (cu->step.clause_end) {
		resident->clause_issued = true;
		resident_place(resident, ACCOUNT_DATA);
		resident->ended = cu->step.program_end;
		cu->tex.active = NULL;
	}
	if (cu->step.memory_constant ||
	    !global_send(cu, resident, &cu->step, fetch_done))
		unit_after(cu, cycles + config->tex_constant_latency,
			   constant_done, resident, 0);
}

static void tex_visit(void *owner, uint64_t tag)
{
	struct compute_unit *cu = owner;
	const struct evg_config *config = &cu->timing->config;

	(void)tag;
	cu->tex.scheduled = false;
	if (!cu->tex.active) {
		uint64_t fetched;

		if (!cu->tex.pending.head)
			return;
		cu->tex.active = resident_pop(&cu->tex.pending);
		/* Its first instruction was fetched while it waited. */
		fetched = cu->tex.active->fetch_start +
			  config->tex_fetch_latency + DECODE_CYCLES;
		if (cu->tex.free < fetched)
			cu->tex.free = fetched;
		cu->n.tex_wavefronts++;
	} else if (cu->tex.loads < config->tex_load_queue) {
		issue_fetch(cu, cu->tex.active);
		/* A narrow fetch queue limits the rate. */
		uint64_t fetch = (INSTRUCTION_BYTES + config->tex_fetch_size -
				  1) / config->tex_fetch_size *
				 config->tex_fetch_latency;
		if (cu->tex.free < unit_cycle(cu) + fetch)
			cu->tex.free = unit_cycle(cu) + fetch;
	}
	if (!cu->stopped)
		schedule_tex(cu);
}

static void tex_enqueue(void *owner, uint64_t tag)
{
	struct resident *resident = owner;

	(void)tag;
	resident->fetch_start = unit_cycle(resident->cu);
	resident_place(resident, ACCOUNT_TEX);
	resident_push(&resident->cu->tex.pending, resident);
	schedule_tex(resident->cu);
}

void tex_start(struct resident *resident)
{
	struct compute_unit *cu = resident->cu;
	uint32_t units = cu->step.cf->count * (INSTRUCTION_BYTES / 8u);

	if (clause_waits(resident, cu->step.cf, units, tex_enqueue))
		resident_place(resident, ACCOUNT_CLAUSE);
	else
		tex_enqueue(resident, 0);
}
