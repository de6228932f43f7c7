/* One wavefront: its clauses, running and stepping. */
#include <immintrin.h>
#include <string.h>

#include "base/log.h"
#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/memory/stores.h"
#include "evergreen/emu/stray.h"
#include "evergreen/emu/count/traffic.h"

static void end_program(struct evg_wavefront *wavefront,
			const struct evg_cf_plan *cf)
{
	if (!cf->ends)
		return;
	evg_count_mask(wavefront);
	wavefront->progress.ended = true;
	evg_paths_add(&wavefront->paths, &wavefront->group->tally->paths);
}

/* A fetch or store, static instruction `line`, is about to run. */
static void begin_traffic(struct evg_wavefront *wavefront, uint32_t line)
{
	if (wavefront->observers.traffic)
		wavefront->observers.traffic->line = line;
}

/* Counts what it has noted. */
static void take_traffic(struct evg_wavefront *wavefront)
{
	if (wavefront->observers.traffic)
		evg_traffic_take(wavefront->observers.traffic);
}

static void run_store(struct evg_wavefront *wavefront,
		      const struct evg_cf_plan *cf)
{
	wavefront->deferred.checks_only =
	    wavefront->deferred.stores && cf->cf->inst.op != EVG_CF_MEM_SCRATCH;
	cf->store->body(wavefront, cf->store);
}

/* The dwords inside of a block of a store that strays, also those of elements
 * that lie in it in part. */
static void store_inside(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	const struct evg_simd *simd = wavefront->plan->simd;
	struct evg_step *step = wavefront->observers.step;
	struct evg_store_plan part = *cf->store;
	unsigned components = part.component_mask;
	const struct evg_cf_plan part_cf = { .cf = cf->cf, .store = &part };

	if (part.body != simd->rat[EVG_RAT_STORE_RAW] ||
	    !(components & (components - 1)))
		return;
	wavefront->observers.step = NULL;
	for (; components; components &= components - 1) {
		part.component_mask = components & -components;
		run_store(wavefront, &part_cf);
	}
	wavefront->observers.step = step;
	/* The store itself counts its accesses. */
	wavefront->global.dropped = 0;
}

void evg_wavefront_store(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	begin_traffic(wavefront, cf->cf->line);
	run_store(wavefront, cf);
	if (wavefront->fault.kind && evg_stray_begin(wavefront, cf->cf->line)) {
		store_inside(wavefront, cf);
		run_store(wavefront, cf);
		evg_stray_end(wavefront, cf->cf->line);
	}
	if (wavefront->deferred.checks_only && !wavefront->fault.kind)
		evg_stores_keep(wavefront, cf->store);
	wavefront->deferred.checks_only = false;
	take_traffic(wavefront);
}

/* Starts the CF instruction at pc; one without a clause is then complete. A
 * clause's first part is counted with it. */
static void cf_begin(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf)
{
	wavefront->progress.started = wavefront->progress.pc;
	wavefront->group->budget -= cf->instruction_count;
	wavefront->count.instructions += cf->instruction_count;
	if (cf->alu) {
		if (cf->action != EVG_ACTION_STAY)
			control_begin_clause(wavefront, cf);
		wavefront->progress.clause_entry =
		    wavefront->masks.lanes[EVG_MASK_ACTIVE];
		if (cf->alu->uses_predicate)
			control_set_predicate_masks(wavefront);
		if (cf->alu->uses_bank_index)
			memcpy(wavefront->indices.cf_at_clause,
			       wavefront->indices.cf,
			       sizeof wavefront->indices.cf);
		wavefront->progress.position = 1;
	} else if (cf->trap) {
		evg_count(wavefront, cf->counter, 1);
		control_fault(wavefront, cf->trap);
	} else if (cf->fetch_count && cf->condition) {
		wavefront->progress.position = 1;
	} else {
		evg_count(wavefront, cf->counter, 1);
		if (cf->store && wavefront->masks.lanes[EVG_MASK_ACTIVE])
			evg_wavefront_store(wavefront, cf);
		wavefront->progress.pc = control_execute[cf->action](wavefront, cf);
		end_program(wavefront, cf);
	}
}

static void clause_end(struct evg_wavefront *wavefront,
		       const struct evg_cf_plan *cf)
{
	wavefront->progress.position = 0;
	wavefront->progress.pc = cf->next;
	end_program(wavefront, cf);
	if (cf->action != EVG_ACTION_STAY)
		control_end_clause[cf->action](wavefront, cf);
}

/* --- ALU clauses -------------------------------------------------------- */

/* The thread has the default float mode before and after. */
static void run_uops(struct evg_wavefront *wavefront,
		     const struct evg_uop *uop, uint32_t uop_count)
{
	const struct evg_uop *end = uop + uop_count;

	if (wavefront->float_control.singles != FLOAT_MODE)
		_mm_setcsr(wavefront->float_control.singles);
	for (; uop < end; uop++)
		uop->body[wavefront->masks.full[uop->mask]](wavefront, uop);
	if (wavefront->float_control.singles != FLOAT_MODE)
		_mm_setcsr(FLOAT_MODE);
}

/* By native code, which gives the same, where there is any. */
static void run_segment(struct evg_wavefront *wavefront,
			const struct evg_clause_plan *clause,
			const struct evg_segment *segment)
{
	bool all = wavefront->masks.lanes[EVG_MASK_ACTIVE] == UINT64_MAX;

	if (wavefront->native.interpreted || !segment->native[all]) {
		run_uops(wavefront, clause->uops + segment->first_uop,
			 segment->uop_count);
		return;
	}
	if (wavefront->float_control.singles != FLOAT_MODE)
		_mm_setcsr(wavefront->float_control.singles);
	wavefront->plan->native->run_segment(wavefront, segment->native[all]);
	if (wavefront->float_control.singles != FLOAT_MODE)
		_mm_setcsr(FLOAT_MODE);
}

/* What a segment's last group does to masks. */
static void segment_end(struct evg_wavefront *wavefront,
			const struct evg_clause_plan *clause,
			const struct evg_segment *segment)
{
	uint64_t active = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	uint64_t lanes = wavefront->masks.lanes[segment->predicate_mask];
	uint64_t result = wavefront->masks.pending;

	if (segment->barrier) {
		wavefront->progress.waiting = true;
		wavefront->progress.barrier_line =
		    clause
			->groups[segment->first_group + segment->group_count -
				 1]
			.code->line;
	}
	if (!active ||
	    !(segment->update_predicate || segment->update_execute_mask))
		return;
	if (segment->update_predicate)
		wavefront->masks.predicate =
		    (wavefront->masks.predicate & ~lanes) | (result & lanes);
	/* Lanes that did not execute the PRED_SET stay active. */
	if (segment->update_execute_mask)
		control_set_active(wavefront, active & (result | ~lanes));
	if (clause->uses_predicate)
		control_set_predicate_masks(wavefront);
}

/* Runs from the group at `position`, which begins a segment, to the end of
 * the clause, a barrier, or a fault. */
static void run_alu(struct evg_wavefront *wavefront,
		    const struct evg_cf_plan *cf)
{
	const struct evg_clause_plan *clause = cf->alu;
	const struct evg_segment *segment = clause->segments;
	const struct evg_segment *end =
		clause->segments + clause->segment_count;

	if (wavefront->progress.position > 1)
		segment +=
		    clause->groups[wavefront->progress.position - 1].segment;
	for (; segment < end; segment++) {
		evg_count(wavefront, segment->counter,
		      segment->instruction_count);
		if (wavefront->masks.lanes[EVG_MASK_ACTIVE])
			run_segment(wavefront, clause, segment);
		take_traffic(wavefront);
		if (wavefront->fault.kind)
			return;
		segment_end(wavefront, clause, segment);
		wavefront->progress.position += segment->group_count;
		if (wavefront->progress.waiting)
			break;
	}
	if (wavefront->progress.position > clause->group_count)
		clause_end(wavefront, cf);
}

/* --- Fetch clauses ------------------------------------------------------ */

bool evg_wavefront_fetch(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	const struct evg_fetch_plan *fetch =
	    &cf->fetches[wavefront->progress.position - 1];

	evg_count(wavefront, fetch->counter,
		  1 + (wavefront->progress.position == 1));
	if (wavefront->masks.lanes[EVG_MASK_ACTIVE]) {
		if (fetch->trap) {
			control_fault(wavefront, fetch->trap);
			wavefront->fault.control = false;
			return false;
		}
		begin_traffic(wavefront, fetch->fetch->line);
		fetch->body(wavefront, fetch);
		if (wavefront->fault.kind &&
		    evg_stray_begin(wavefront, fetch->fetch->line)) {
			fetch->body(wavefront, fetch);
			evg_stray_end(wavefront, fetch->fetch->line);
		}
		take_traffic(wavefront);
		if (wavefront->fault.kind)
			return false;
	}
	return true;
}

static void run_fetch(struct evg_wavefront *wavefront,
		      const struct evg_cf_plan *cf)
{
	if (!evg_wavefront_fetch(wavefront, cf))
		return;
	wavefront->progress.position++;
	if (wavefront->progress.position > cf->fetch_count)
		clause_end(wavefront, cf);
}

/* --- Running and stepping ----------------------------------------------- */

/* The bytes of a row in which `lanes` lie, which are its first: so many of the
 * widest host vectors. */
static uint32_t bytes_of_lanes(uint64_t lanes)
{
	uint32_t last = 63 - (uint32_t)__builtin_clzll(lanes);

	return 4 * last / EVG_CONSTANT_BYTES * EVG_CONSTANT_BYTES +
	       EVG_CONSTANT_BYTES;
}

/* R0 = work-item in the group, R1 = group; the rest zero, so that what a kernel
 * should not look at is the same in every run. Nobody looks at lanes that are no
 * work-items: a wavefront's first start sets them, too, the others do not. */
static void start_rows(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;
	const struct evg_simd *simd = plan->simd;
	const struct evg_work_group *group = wavefront->group;
	const uint32_t *local_ids =
		group->ndrange->local_ids +
		3 * EVG_WAVEFRONT_SIZE * (size_t)wavefront->index;
	uint8_t *rows = wavefront->registers.base[EVG_BASE_STATE];
	uint32_t bytes = wavefront->start_bytes;

	for (int d = 0; d < 3; d++) {
		simd->copy_row(rows + d * EVG_ROW_BYTES,
			       local_ids + d * EVG_WAVEFRONT_SIZE, bytes);
		simd->fill_rows(rows + (4 + d) * EVG_ROW_BYTES, 1,
				group->id[d], bytes);
	}
	simd->fill_rows(rows + 3 * EVG_ROW_BYTES, 1, 0, bytes);
	simd->fill_rows(rows + 7 * EVG_ROW_BYTES, 4 * plan->register_count - 7,
			0, bytes);
	for (uint32_t i = 0; i < plan->zero_row_count; i++)
		simd->fill_rows(rows + plan->zero_row[i], 1, 0, bytes);
	memset(wavefront->rat_return, 0, bytes);
}

void evg_wavefront_start(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;
	struct evg_work_group *group = wavefront->group;

	start_rows(wavefront);
	wavefront->masks.valid = group->ndrange->valid[wavefront->index];
	wavefront->start_bytes = bytes_of_lanes(wavefront->masks.valid);
	wavefront->count.counters =
	    group->tally->recent +
	    (size_t)wavefront->index * group->ndrange->counter_stride;
	wavefront->count.noted = 0;
	control_set_active(wavefront, wavefront->masks.valid);
	evg_paths_start(&wavefront->paths, wavefront->masks.valid);
	wavefront->masks.predicate = wavefront->masks.pending = 0;
	wavefront->float_control = evg_float_control_of(&plan->float_mode);
	wavefront->progress.pc = wavefront->progress.position =
	    wavefront->stack.depth = 0;
	wavefront->stack.used = wavefront->stack.calls = 0;
	wavefront->indices.loop = 0;
	wavefront->indices.has_loop = false;
	memset(wavefront->indices.cf, 0, sizeof wavefront->indices.cf);
	wavefront->count.instructions = 0;
	wavefront->timing.timed = false;
	wavefront->timing.float_mode_set = group->ndrange->float_mode_set;
	wavefront->native.interpreted = group->ndrange->interpreted;
	wavefront->global.alone = group->ndrange->alone;
	wavefront->global.combiner = group->combiner;
	wavefront->local.bytes = group->local;
	wavefront->local.size = group->ndrange->launch.local_memory;
	wavefront->progress.ended = wavefront->progress.waiting = false;
	wavefront->sync.waits = false;
	wavefront->fault = (struct evg_fault){0};
	wavefront->observers.step = wavefront->observers.traffic
					? &wavefront->observers.traffic->step
					: NULL;
}

/* What chains call expects the default float mode. */
static bool may_chain(const struct evg_wavefront *wavefront,
		      const struct evg_cf_plan *cf)
{
	return cf->chain && !wavefront->native.interpreted &&
	       wavefront->float_control.singles == FLOAT_MODE;
}

static enum evg_run_result run_until_barrier(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;

	while (!wavefront->progress.ended) {
		const struct evg_cf_plan *cf =
		    &plan->cf[wavefront->progress.pc];

		if (!wavefront->progress.position) {
			if (wavefront->group->budget <= 0)
				return EVG_RUN_LIMIT;
			if (may_chain(wavefront, cf) &&
			    evg_chain_run(wavefront, cf)) {
				if (wavefront->fault.kind)
					return EVG_RUN_FAULT;
				continue;
			}
			cf_begin(wavefront, cf);
		}
		if (!wavefront->progress.position || wavefront->fault.kind)
			;
		else if (cf->alu)
			run_alu(wavefront, cf);
		else
			run_fetch(wavefront, cf);
		if (wavefront->fault.kind)
			return EVG_RUN_FAULT;
		if (wavefront->progress.waiting)
			return EVG_RUN_BARRIER;
	}
	return EVG_RUN_ENDED;
}

__attribute__((flatten)) enum evg_run_result
evg_wavefront_run(struct evg_wavefront *wavefront)
{
	enum evg_run_result result = run_until_barrier(wavefront);

	evg_count_mask(wavefront);
	return result;
}

static void step_cf(struct evg_wavefront *wavefront, struct evg_step *step,
		    const struct evg_cf_plan *cf)
{
	uint32_t next = cf->next;

	step->address = cf->cf->address;
	step->kind = cf->alu || (cf->fetch_count && cf->condition)
			     ? EVG_STEP_CLAUSE
		     : cf->store		? EVG_STEP_STORE
						: EVG_STEP_CF;
	step->memory_cacheless =
		step->kind == EVG_STEP_STORE &&
		cf->cf->inst.op != EVG_CF_MEM_RAT;
	cf_begin(wavefront, cf);
	step->branch_taken =
	    step->kind == EVG_STEP_CF && wavefront->progress.pc != next;
	step->global_wait = wavefront->sync.waits;
}

static void step_alu(struct evg_wavefront *wavefront, struct evg_step *step,
		     const struct evg_cf_plan *cf)
{
	const struct evg_clause_plan *clause = cf->alu;
	uint32_t index = wavefront->progress.position - 1;
	const struct evg_group_plan *group = &clause->groups[index];
	const struct evg_segment *segment = &clause->segments[group->segment];

	step->kind = EVG_STEP_ALU;
	step->address = group->code->address;
	step->group = &group->code->group;
	step->queues = group->uses_queues ? &group->queues : NULL;
	if (index == segment->first_group)
		evg_count(wavefront, segment->counter,
		      segment->instruction_count);
	if (wavefront->masks.lanes[EVG_MASK_ACTIVE]) {
		bool sets = !wavefront->timing.float_mode_set;
		unsigned mode = sets ? evg_float_mode_begin() : 0;

		run_uops(wavefront, clause->uops + group->first_uop,
			 group->uop_count);
		if (sets)
			evg_float_mode_end(mode);
	}
	if (wavefront->fault.kind)
		return;
	if (index + 1 == segment->first_group + segment->group_count)
		segment_end(wavefront, clause, segment);
	wavefront->progress.position++;
	step->barrier = wavefront->progress.waiting;
	step->clause_end = wavefront->progress.position > clause->group_count;
	if (step->clause_end)
		clause_end(wavefront, cf);
}

static void step_fetch(struct evg_wavefront *wavefront, struct evg_step *step,
		       const struct evg_cf_plan *cf)
{
	const struct evg_fetch_plan *fetch =
	    &cf->fetches[wavefront->progress.position - 1];

	step->kind = EVG_STEP_FETCH;
	step->address = fetch->fetch->address;
	step->fetch = &fetch->fetch->inst;
	step->clause_end = wavefront->progress.position == cf->fetch_count;
	run_fetch(wavefront, cf);
}

/* The static instruction that comes next. */
static uint32_t next_line(const struct evg_wavefront *wavefront,
			  const struct evg_cf_plan *cf)
{
	if (!wavefront->progress.position)
		return cf->cf->line;
	if (cf->alu)
		return cf->alu->groups[wavefront->progress.position - 1]
		    .code->line;
	return cf->fetches[wavefront->progress.position - 1].fetch->line;
}

int evg_wavefront_step(struct evg_wavefront *wavefront, struct evg_step *step,
		       struct error *error)
{
	const struct evg_cf_plan *cf =
	    &wavefront->plan->cf[wavefront->progress.pc];
	/* Where it is noted lies in memory that is not needed otherwise. */
	uint32_t line =
	    wavefront->observers.traffic ? next_line(wavefront, cf) : 0;

	step->cf = &cf->cf->inst;
	step->group = NULL;
	step->fetch = NULL;
	step->active = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	step->active_count = wavefront->masks.active_count;
	step->clause_end = step->program_end = step->barrier = false;
	step->branch_taken = step->global_wait = false;
	step->memory_mask = step->memory_mask2 = 0;
	step->memory_bytes = 0;
	step->memory_write = step->memory_atomic = step->memory_return = false;
	step->memory_cacheless = step->memory_local = false;
	step->memory_constant = step->memory_uncached = false;
	step->texture_passes = step->corners = 0;
	wavefront->observers.step = step;
	if (!wavefront->progress.position)
		step_cf(wavefront, step, cf);
	else if (cf->alu)
		step_alu(wavefront, step, cf);
	else
		step_fetch(wavefront, step, cf);
	step->program_end = wavefront->progress.ended;
	wavefront->observers.step = NULL;
	evg_count_mask(wavefront);
	evg_count_ran(wavefront->group, 1);
	if (wavefront->observers.traffic)
		evg_traffic_count(wavefront->observers.traffic, line, step);
	if (!wavefront->fault.kind) {
		const struct evg_ndrange *ndrange = wavefront->group->ndrange;

		if (ndrange->isa_log || ndrange->stack_log)
			evg_trace(wavefront, step, ndrange->isa_log,
				  ndrange->stack_log);
		return 0;
	}
	evg_fault_report(wavefront, error);
	return -1;
}
