/* One wavefront: its clauses, running and stepping. */
#include <immintrin.h>
#include <string.h>

#include "base/log.h"
#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/stray.h"
#include "evergreen/emu/count/observe.h"

static void end_program(struct evg_wavefront *wavefront,
			const struct evg_cf_plan *cf)
{
	if (!cf->ends)
		return;
	evg_count_mask(wavefront);
	wavefront->progress.ended = true;
	evg_paths_add(&wavefront->paths, &wavefront->group->tally->paths);
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

static void run_native(struct evg_wavefront *wavefront,
		       const struct evg_native_code *native, const void *code)
{
	if (wavefront->float_control.singles != FLOAT_MODE)
		_mm_setcsr(wavefront->float_control.singles);
	native->run_segment(wavefront, code);
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
	run_native(wavefront, wavefront->plan->native, segment->native[all]);
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

static void step_group(struct evg_wavefront *wavefront,
		       const struct evg_clause_plan *clause,
		       const struct evg_group_plan *group)
{
	bool all = wavefront->masks.lanes[EVG_MASK_ACTIVE] == UINT64_MAX;

	if (wavefront->native.interpreted ||
	    !(group->joins || group->native[all]))
		run_uops(wavefront, clause->uops + group->first_uop,
			 group->uop_count);
	else if (!group->joins)
		run_native(wavefront, wavefront->plan->steps,
			   group->native[all]);
}

static void step_uops(struct evg_wavefront *wavefront,
		      const struct evg_clause_plan *clause,
		      const struct evg_group_plan *group)
{
	bool sets = !wavefront->timing.float_mode_set;
	unsigned mode = sets ? evg_float_mode_begin() : 0;

	step_group(wavefront, clause, group);
	if (sets)
		evg_float_mode_end(mode);
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
	if (wavefront->masks.lanes[EVG_MASK_ACTIVE])
		step_uops(wavefront, clause, group);
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

/* A step of a plain group: what such a one does not do is not looked at. */
static inline void step_plain(struct evg_wavefront *wavefront,
			      struct evg_step *step,
			      const struct evg_cf_plan *cf,
			      const struct evg_group_plan *group)
{
	const struct evg_clause_plan *clause = cf->alu;
	const struct evg_segment *segment = &clause->segments[group->segment];

	step->kind = EVG_STEP_ALU;
	step->address = group->code->address;
	step->active = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	step->active_count = wavefront->masks.active_count;
	step->cf = &cf->cf->inst;
	step->group = &group->code->group;
	step->fetch = NULL;
	step->queues = group->uses_queues ? &group->queues : NULL;
	step->memory_mask = step->memory_mask2 = 0;
	step->clause_end = step->program_end = step->barrier = false;
	step->memory_local = false;
	if (wavefront->progress.position++ == segment->first_group + 1)
		evg_count(wavefront, segment->counter,
			  segment->instruction_count);
	if (!group->joins && step->active)
		step_uops(wavefront, clause, group);
	evg_count_mask(wavefront);
	evg_count_ran(wavefront->group, 1);
}

/* The plain group that comes next, or NULL. */
static inline const struct evg_group_plan *
next_plain(const struct evg_wavefront *wavefront, const struct evg_cf_plan *cf)
{
	const struct evg_group_plan *group;

	if (!wavefront->progress.position || !cf->alu ||
	    wavefront->native.interpreted || wavefront->observers.traffic)
		return NULL;
	group = &cf->alu->groups[wavefront->progress.position - 1];
	return group->plain ? group : NULL;
}

static int step_any(struct evg_wavefront *wavefront, struct evg_step *step,
		    struct error *error);

int evg_wavefront_step(struct evg_wavefront *wavefront, struct evg_step *step,
		       struct error *error)
{
	const struct evg_cf_plan *cf =
	    &wavefront->plan->cf[wavefront->progress.pc];
	const struct evg_group_plan *group = next_plain(wavefront, cf);

	if (!group)
		return step_any(wavefront, step, error);
	step_plain(wavefront, step, cf, group);
	return 0;
}

static __attribute__((noinline)) int step_any(struct evg_wavefront *wavefront,
					      struct evg_step *step,
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
