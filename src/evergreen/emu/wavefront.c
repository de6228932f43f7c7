/* One wavefront: control flow, clauses, the stack of active masks.
 *
 * LOOP_BREAK and LOOP_CONTINUE never jump: with no lane left active the code
 * up to the POP of their `if` runs without effect, and the POP brings back
 * the lanes that stay in the loop. */
#include <immintrin.h>
#include <string.h>

#include "evergreen/emu/machine.h"

/* --- Floating-point mode ------------------------------------------------- */

/* All exceptions masked, to nearest, FTZ and DAZ; the six low bits are flags
 * that arithmetic raises. */
enum { FLOAT_MODE = 0x9fc0, FLOAT_FLAGS = 0x3f };

unsigned evg_float_mode_begin(void)
{
	unsigned old = _mm_getcsr();

	/* Setting it is slow: not when it is as it should be. */
	if ((old & ~(unsigned)FLOAT_FLAGS) != FLOAT_MODE)
		_mm_setcsr(FLOAT_MODE);
	return old;
}

void evg_float_mode_end(unsigned old)
{
	if ((old & ~(unsigned)FLOAT_FLAGS) != FLOAT_MODE)
		_mm_setcsr(old);
}

/* --- Masks -------------------------------------------------------------- */

static void set_mask(struct evg_wavefront *wavefront, enum evg_mask which,
		     uint64_t lanes)
{
	wavefront->mask[which] = lanes;
	wavefront->full[which] = (lanes | ~wavefront->valid) == UINT64_MAX;
	if (lanes == wavefront->expanded[which] ||
	    (!lanes && which == EVG_MASK_ACTIVE))
		return;
	wavefront->expanded[which] = lanes;
	wavefront->expanded_count[which] =
		wavefront->plan->simd->expand_lanes(
			wavefront->mask_row[which], lanes);
}

static void set_active(struct evg_wavefront *wavefront, uint64_t lanes)
{
	set_mask(wavefront, EVG_MASK_ACTIVE, lanes);
	wavefront->active_count =
		lanes ? wavefront->expanded_count[EVG_MASK_ACTIVE] : 0;
}

static void set_predicate_masks(struct evg_wavefront *wavefront)
{
	uint64_t active = wavefront->mask[EVG_MASK_ACTIVE];
	uint64_t predicate = wavefront->predicate;

	set_mask(wavefront, EVG_MASK_PREDICATE_0, active & ~predicate);
	set_mask(wavefront, EVG_MASK_PREDICATE_1, active & predicate);
}

/* --- Stack -------------------------------------------------------------- */

/* A fault of the wavefront as a whole. */
static void fault(struct evg_wavefront *wavefront, const char *text)
{
	uint64_t lanes = wavefront->mask[EVG_MASK_ACTIVE];

	if (wavefront->fault.kind)
		return;
	if (!lanes)
		lanes = wavefront->valid;
	wavefront->fault = (struct evg_fault){
		.kind = EVG_FAULT_TRAP,
		.lane = (uint8_t)__builtin_ctzll(lanes),
		.control = true,
		.text = text,
	};
}

static void push(struct evg_wavefront *wavefront, enum evg_frame_kind kind,
		 uint32_t return_to)
{
	if (wavefront->depth == EVG_STACK_FRAMES) {
		fault(wavefront, "the control-flow stack overflows");
		return;
	}
	wavefront->stack[wavefront->depth++] = (struct evg_frame){
		.mask = wavefront->mask[EVG_MASK_ACTIVE],
		.kind = kind,
		.return_to = return_to,
	};
}

static void pop(struct evg_wavefront *wavefront, unsigned count)
{
	while (count--) {
		struct evg_frame *top;

		if (!wavefront->depth) {
			fault(wavefront, "the control-flow stack underflows");
			return;
		}
		top = &wavefront->stack[wavefront->depth - 1];
		if (top->kind != EVG_FRAME_PUSH) {
			fault(wavefront, "a loop or call is on top of the "
					 "control-flow stack where a PUSH is "
					 "expected");
			return;
		}
		set_active(wavefront, top->mask);
		wavefront->depth--;
	}
}

static void invert(struct evg_wavefront *wavefront)
{
	if (!wavefront->depth) {
		fault(wavefront, "the control-flow stack underflows");
		return;
	}
	set_active(wavefront, wavefront->stack[wavefront->depth - 1].mask &
				      ~wavefront->mask[EVG_MASK_ACTIVE]);
}

/* Takes lanes out of the innermost frame of a kind's body: out of the active
 * mask and of every frame above. NULL and a fault without such a frame. */
static struct evg_frame *leave(struct evg_wavefront *wavefront,
			       enum evg_frame_kind kind, uint64_t lanes)
{
	for (uint32_t i = wavefront->depth; i--;) {
		struct evg_frame *frame = &wavefront->stack[i];

		if (frame->kind == kind) {
			set_active(wavefront,
				   wavefront->mask[EVG_MASK_ACTIVE] & ~lanes);
			return frame;
		}
		frame->mask &= ~lanes;
	}
	fault(wavefront, kind == EVG_FRAME_LOOP
				 ? "a break or continue outside any loop"
				 : "RETURN without a CALL");
	return NULL;
}

static void loop_continue(struct evg_wavefront *wavefront, uint64_t lanes)
{
	struct evg_frame *loop = leave(wavefront, EVG_FRAME_LOOP, lanes);

	if (loop)
		loop->continued |= lanes;
}

/* --- Control flow ------------------------------------------------------- */

static uint32_t loop_end(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	struct evg_frame *loop;

	if (!wavefront->depth ||
	    wavefront->stack[wavefront->depth - 1].kind != EVG_FRAME_LOOP) {
		fault(wavefront, "no loop is on top of the control-flow "
				 "stack");
		return cf->next;
	}
	loop = &wavefront->stack[wavefront->depth - 1];
	set_active(wavefront,
		   wavefront->mask[EVG_MASK_ACTIVE] | loop->continued);
	loop->continued = 0;
	if (wavefront->mask[EVG_MASK_ACTIVE])
		return cf->cf->inst.address;
	set_active(wavefront, loop->mask);
	wavefront->depth--;
	return cf->next;
}

/* Lanes return one by one; the call ends when none is left in it. */
static uint32_t call_return(struct evg_wavefront *wavefront,
			    const struct evg_cf_plan *cf)
{
	struct evg_frame *call =
		leave(wavefront, EVG_FRAME_CALL,
		      wavefront->mask[EVG_MASK_ACTIVE]);
	struct evg_frame *top = &wavefront->stack[wavefront->depth];

	if (!call)
		return cf->next;
	for (struct evg_frame *frame = call + 1; frame < top; frame++)
		if (frame->mask || frame->continued)
			return cf->next;
	wavefront->depth = (uint32_t)(call - wavefront->stack);
	set_active(wavefront, call->mask);
	return call->return_to;
}

/* Executes a CF instruction without a clause: the address of the next one. */
static uint32_t control(struct evg_wavefront *wavefront,
			const struct evg_cf_plan *cf)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	uint64_t active = wavefront->mask[EVG_MASK_ACTIVE];

	switch (inst->op) {
	case EVG_CF_PUSH:
		push(wavefront, EVG_FRAME_PUSH, 0);
		/* fallthrough */
	case EVG_CF_JUMP:
		if (active)
			return cf->next;
		pop(wavefront, inst->pop_count);
		return inst->address;
	case EVG_CF_ELSE:
		invert(wavefront);
		if (wavefront->mask[EVG_MASK_ACTIVE])
			return cf->next;
		pop(wavefront, inst->pop_count);
		return inst->address;
	case EVG_CF_POP:
		pop(wavefront, inst->pop_count);
		return cf->next;
	case EVG_CF_LOOP_START_DX10:
		if (!active)
			return inst->address;
		push(wavefront, EVG_FRAME_LOOP, 0);
		return cf->next;
	case EVG_CF_LOOP_END:
		return loop_end(wavefront, cf);
	case EVG_CF_LOOP_BREAK:
		leave(wavefront, EVG_FRAME_LOOP, active);
		return cf->next;
	case EVG_CF_LOOP_CONTINUE:
		loop_continue(wavefront, active);
		return cf->next;
	case EVG_CF_CALL:
		if (!active)
			return cf->next;
		push(wavefront, EVG_FRAME_CALL, cf->next);
		return inst->address;
	case EVG_CF_RET:
		return call_return(wavefront, cf);
	default: /* NOP, WAIT_ACK: writes are complete when issued */
		return cf->next;
	}
}

static void count(struct evg_wavefront *wavefront, uint32_t counter,
		  uint32_t instructions)
{
	struct evg_work_group *group = wavefront->group;
	uint32_t lanes = wavefront->active_count;

	group->counts[counter].executions++;
	group->counts[counter].lanes += lanes;
	group->histogram[lanes] += instructions;
}

/* Starts the CF instruction at pc; one without a clause is then complete. */
static void cf_begin(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf)
{
	count(wavefront, cf->counter, 1);
	wavefront->started = wavefront->pc;
	wavefront->group->budget -= cf->instruction_count;
	if (cf->trap) {
		fault(wavefront, cf->trap);
		return;
	}
	if (cf->alu) {
		if (cf->cf->inst.op == EVG_CF_ALU_PUSH_BEFORE)
			push(wavefront, EVG_FRAME_PUSH, 0);
		wavefront->clause_entry = wavefront->mask[EVG_MASK_ACTIVE];
		if (cf->alu->uses_predicate)
			set_predicate_masks(wavefront);
		wavefront->position = 1;
	} else if (cf->fetch_count) {
		wavefront->position = 1;
	} else {
		if (cf->store && wavefront->mask[EVG_MASK_ACTIVE])
			cf->store->body(wavefront, cf->store);
		wavefront->pc = control(wavefront, cf);
		wavefront->ended = cf->cf->inst.end_of_program;
	}
}

static void clause_end(struct evg_wavefront *wavefront,
		       const struct evg_cf_plan *cf)
{
	uint64_t left = wavefront->clause_entry &
			~wavefront->mask[EVG_MASK_ACTIVE];

	wavefront->position = 0;
	wavefront->pc = cf->next;
	wavefront->ended = cf->cf->inst.end_of_program;
	switch (cf->cf->inst.op) {
	case EVG_CF_ALU_POP_AFTER:
		pop(wavefront, 1);
		break;
	case EVG_CF_ALU_POP2_AFTER:
		pop(wavefront, 2);
		break;
	case EVG_CF_ALU_ELSE_AFTER:
		invert(wavefront);
		break;
	case EVG_CF_ALU_BREAK:
		leave(wavefront, EVG_FRAME_LOOP, left);
		break;
	case EVG_CF_ALU_CONTINUE:
		loop_continue(wavefront, left);
		break;
	default:
		break;
	}
}

/* --- ALU clauses -------------------------------------------------------- */

static void run_uops(struct evg_wavefront *wavefront,
		     const struct evg_uop *uop, uint32_t uop_count)
{
	const struct evg_uop *end = uop + uop_count;

	for (; uop < end; uop++)
		uop->body[wavefront->full[uop->mask]](wavefront, uop);
}

/* What a segment's last group does to masks. */
static void segment_end(struct evg_wavefront *wavefront,
			const struct evg_clause_plan *clause,
			const struct evg_segment *segment)
{
	uint64_t active = wavefront->mask[EVG_MASK_ACTIVE];
	uint64_t lanes = wavefront->mask[segment->predicate_mask];
	uint64_t result = wavefront->pending;

	if (segment->barrier) {
		wavefront->waiting = true;
		wavefront->barrier_line =
			clause->groups[segment->first_group +
				       segment->group_count - 1]
				.code->line;
	}
	if (!active ||
	    !(segment->update_predicate || segment->update_execute_mask))
		return;
	if (segment->update_predicate)
		wavefront->predicate = (wavefront->predicate & ~lanes) |
				       (result & lanes);
	/* Lanes that did not execute the PRED_SET stay active. */
	if (segment->update_execute_mask)
		set_active(wavefront, active & (result | ~lanes));
	if (clause->uses_predicate)
		set_predicate_masks(wavefront);
}

/* Runs from the group at `position`, which begins a segment, to the end of
 * the clause, a barrier, or a fault. */
static void run_alu(struct evg_wavefront *wavefront,
		    const struct evg_cf_plan *cf)
{
	const struct evg_clause_plan *clause = cf->alu;
	const struct evg_segment *segment =
		&clause->segments[clause->groups[wavefront->position - 1]
					  .segment];
	const struct evg_segment *end =
		clause->segments + clause->segment_count;

	for (; segment < end; segment++) {
		count(wavefront, segment->counter, segment->group_count);
		if (wavefront->mask[EVG_MASK_ACTIVE])
			run_uops(wavefront, clause->uops + segment->first_uop,
				 segment->uop_count);
		if (wavefront->fault.kind)
			return;
		segment_end(wavefront, clause, segment);
		wavefront->position += segment->group_count;
		if (wavefront->waiting)
			break;
	}
	if (wavefront->position > clause->group_count)
		clause_end(wavefront, cf);
}

/* --- Fetch clauses ------------------------------------------------------ */

static void run_fetch(struct evg_wavefront *wavefront,
		      const struct evg_cf_plan *cf)
{
	const struct evg_fetch_plan *fetch =
		&cf->fetches[wavefront->position - 1];

	count(wavefront, fetch->counter, 1);
	if (wavefront->mask[EVG_MASK_ACTIVE]) {
		if (fetch->trap) {
			fault(wavefront, fetch->trap);
			wavefront->fault.control = false;
			return;
		}
		fetch->body(wavefront, fetch);
		if (wavefront->fault.kind)
			return;
	}
	wavefront->position++;
	if (wavefront->position > cf->fetch_count)
		clause_end(wavefront, cf);
}

/* --- Running and stepping ----------------------------------------------- */

void evg_wavefront_start(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;
	struct evg_work_group *group = wavefront->group;
	uint8_t *rows = wavefront->base[EVG_BASE_STATE];
	const uint32_t *local_ids =
		group->ndrange->local_ids +
		3 * EVG_WAVEFRONT_SIZE * (size_t)wavefront->index;

	/* R0 = work-item in the group, R1 = group; the rest zero, so that
	 * what a kernel should not look at is the same in every run. */
	memcpy(rows, local_ids, 3 * EVG_ROW_BYTES);
	memset(rows + 3 * EVG_ROW_BYTES, 0,
	       (plan->row_count - 3) * (size_t)EVG_ROW_BYTES);
	for (int d = 0; d < 3; d++) {
		uint32_t *row = (uint32_t *)(void *)(rows +
						     (4 + d) * EVG_ROW_BYTES);

		for (int lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			row[lane] = group->id[d];
	}
	wavefront->valid = group->ndrange->valid[wavefront->index];
	set_active(wavefront, wavefront->valid);
	wavefront->predicate = wavefront->pending = 0;
	wavefront->pc = wavefront->position = wavefront->depth = 0;
	wavefront->ended = wavefront->waiting = false;
	wavefront->fault = (struct evg_fault){0};
	wavefront->step = NULL;
	memset(wavefront->rat_return, 0, sizeof wavefront->rat_return);
}

enum evg_run_result evg_wavefront_run(struct evg_wavefront *wavefront)
{
	const struct evg_plan *plan = wavefront->plan;

	while (!wavefront->ended) {
		const struct evg_cf_plan *cf = &plan->cf[wavefront->pc];

		if (!wavefront->position) {
			if (wavefront->group->budget <= 0)
				return EVG_RUN_LIMIT;
			cf_begin(wavefront, cf);
		} else if (cf->alu) {
			run_alu(wavefront, cf);
		} else {
			run_fetch(wavefront, cf);
		}
		if (wavefront->fault.kind)
			return EVG_RUN_FAULT;
		if (wavefront->waiting)
			return EVG_RUN_BARRIER;
	}
	return EVG_RUN_ENDED;
}

static void step_cf(struct evg_wavefront *wavefront, struct evg_step *step,
		    const struct evg_cf_plan *cf)
{
	uint32_t next = cf->next;

	step->address = cf->cf->address;
	step->kind = cf->alu || cf->fetch_count ? EVG_STEP_CLAUSE
		     : cf->store		? EVG_STEP_STORE
						: EVG_STEP_CF;
	step->memory_cacheless =
		cf->cf->inst.op == EVG_CF_MEM_RAT_NOCACHE;
	cf_begin(wavefront, cf);
	step->branch_taken = step->kind == EVG_STEP_CF && wavefront->pc != next;
}

static void step_alu(struct evg_wavefront *wavefront, struct evg_step *step,
		     const struct evg_cf_plan *cf)
{
	const struct evg_clause_plan *clause = cf->alu;
	uint32_t index = wavefront->position - 1;
	const struct evg_group_plan *group = &clause->groups[index];
	const struct evg_segment *segment = &clause->segments[group->segment];

	step->kind = EVG_STEP_ALU;
	step->address = group->code->address;
	step->group = &group->code->group;
	if (index == segment->first_group)
		count(wavefront, segment->counter, segment->group_count);
	if (wavefront->mask[EVG_MASK_ACTIVE]) {
		unsigned mode = evg_float_mode_begin();

		run_uops(wavefront, clause->uops + group->first_uop,
			 group->uop_count);
		evg_float_mode_end(mode);
	}
	if (wavefront->fault.kind)
		return;
	if (index + 1 == segment->first_group + segment->group_count)
		segment_end(wavefront, clause, segment);
	wavefront->position++;
	step->barrier = wavefront->waiting;
	step->clause_end = wavefront->position > clause->group_count;
	if (step->clause_end)
		clause_end(wavefront, cf);
}

static void step_fetch(struct evg_wavefront *wavefront, struct evg_step *step,
		       const struct evg_cf_plan *cf)
{
	const struct evg_fetch_plan *fetch =
		&cf->fetches[wavefront->position - 1];

	step->kind = EVG_STEP_FETCH;
	step->address = fetch->fetch->address;
	step->fetch = &fetch->fetch->inst;
	step->clause_end = wavefront->position == cf->fetch_count;
	run_fetch(wavefront, cf);
}

int evg_wavefront_step(struct evg_wavefront *wavefront, struct evg_step *step,
		       struct error *error)
{
	const struct evg_cf_plan *cf = &wavefront->plan->cf[wavefront->pc];

	step->cf = &cf->cf->inst;
	step->group = NULL;
	step->fetch = NULL;
	step->active = wavefront->mask[EVG_MASK_ACTIVE];
	step->clause_end = step->program_end = step->barrier = false;
	step->branch_taken = false;
	step->memory_mask = step->memory_mask2 = 0;
	step->memory_bytes = 0;
	step->memory_write = step->memory_atomic = step->memory_return = false;
	step->memory_cacheless = step->memory_local = false;
	step->memory_constant = false;
	wavefront->step = step;
	if (!wavefront->position)
		step_cf(wavefront, step, cf);
	else if (cf->alu)
		step_alu(wavefront, step, cf);
	else
		step_fetch(wavefront, step, cf);
	step->program_end = wavefront->ended;
	wavefront->step = NULL;
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

void evg_wavefront_release(struct evg_wavefront *wavefront)
{
	wavefront->waiting = false;
}

bool evg_wavefront_ended(const struct evg_wavefront *wavefront)
{
	return wavefront->ended;
}

bool evg_wavefront_waiting(const struct evg_wavefront *wavefront)
{
	return wavefront->waiting;
}
