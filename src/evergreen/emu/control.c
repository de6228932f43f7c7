/* BREAK and CONTINUE never jump: with no lane left active the code
 * up to the POP of their `if` runs without effect, and the POP brings back
 * the lanes that stay in the loop. */
#include "evergreen/emu/control.h"

#include "evergreen/emu/sync.h"

/* The machine skips a CALL that would nest deeper. */
enum { CALLS_MAX = 32 };

/* --- Faults ------------------------------------------------------------- */

void control_fault_number(struct evg_wavefront *wavefront,
			  enum evg_fault_kind kind, uint32_t number)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];

	if (wavefront->fault.kind)
		return;
	if (!lanes)
		lanes = wavefront->masks.valid;
	wavefront->fault = (struct evg_fault){
		.kind = kind,
		.lane = (uint8_t)__builtin_ctzll(lanes),
		.control = true,
		.address = number,
		.bytes = number,
	};
}

void control_fault(struct evg_wavefront *wavefront, const char *text)
{
	if (wavefront->fault.kind)
		return;
	control_fault_number(wavefront, EVG_FAULT_TRAP, 0);
	wavefront->fault.text = text;
}

/* --- Stack -------------------------------------------------------------- */

/* A frame with the active mask, or NULL and a fault. */
static struct evg_frame *push(struct evg_wavefront *wavefront,
			      enum evg_frame_kind kind, unsigned elements)
{
	struct evg_frame *frame =
	    &wavefront->stack.frames[wavefront->stack.depth];
	uint32_t limit = wavefront->plan->stack_elements;

	if (wavefront->stack.used + elements > limit) {
		control_fault_number(wavefront, EVG_FAULT_STACK,
				     limit / EVG_STACK_ENTRY);
		return NULL;
	}
	wavefront->stack.depth++;
	wavefront->stack.used += elements;
	*frame = (struct evg_frame){
	    .mask = wavefront->masks.lanes[EVG_MASK_ACTIVE],
	    .kind = kind,
	    .elements = (uint8_t)elements,
	};
	return frame;
}

/* The topmost frame, when it is of the kind; else NULL and a fault. */
static struct evg_frame *top(struct evg_wavefront *wavefront,
			     enum evg_frame_kind kind)
{
	struct evg_frame *frame;

	if (!wavefront->stack.depth) {
		control_fault(wavefront, "the control-flow stack underflows");
		return NULL;
	}
	frame = &wavefront->stack.frames[wavefront->stack.depth - 1];
	if (frame->kind == kind)
		return frame;
	control_fault(wavefront,
		      kind == EVG_FRAME_LOOP
			      ? "no loop is on top of the control-flow stack"
			      : "a loop or call is on top of the control-flow "
				"stack where a PUSH is expected");
	return NULL;
}

/* Takes the frames from `frame` on off the stack. */
static void drop(struct evg_wavefront *wavefront, const struct evg_frame *frame)
{
	const struct evg_frame *end =
	    &wavefront->stack.frames[wavefront->stack.depth];

	while (end > frame) {
		end--;
		wavefront->stack.depth--;
		wavefront->stack.used -= end->elements;
		wavefront->stack.calls -= end->calls;
		if (end->sets_loop_index) {
			wavefront->indices.loop = end->outer_index;
			wavefront->indices.has_loop = end->outer_has_index;
		}
	}
}

void control_push_mask(struct evg_wavefront *wavefront, bool whole_quad)
{
	push(wavefront, EVG_FRAME_PUSH, whole_quad ? EVG_STACK_ENTRY : 1);
}

void control_pop(struct evg_wavefront *wavefront, unsigned count)
{
	while (count--) {
		struct evg_frame *frame = top(wavefront, EVG_FRAME_PUSH);

		if (!frame)
			return;
		control_set_active(wavefront, frame->mask);
		wavefront->stack.depth--;
		wavefront->stack.used -= frame->elements;
	}
}

void control_invert(struct evg_wavefront *wavefront, uint64_t lanes)
{
	struct evg_frame *frame = top(wavefront, EVG_FRAME_PUSH);

	if (frame)
		control_set_active(wavefront,
				   wavefront->masks.lanes[EVG_MASK_ACTIVE] ^
				       (frame->mask & lanes));
}

/* Takes lanes out of the innermost frame of a kind's body: out of the active
 * mask and of every frame above. NULL and a fault without such a frame. */
static struct evg_frame *leave(struct evg_wavefront *wavefront,
			       enum evg_frame_kind kind, uint64_t lanes)
{
	for (uint32_t i = wavefront->stack.depth; i--;) {
		struct evg_frame *frame = &wavefront->stack.frames[i];

		if (frame->kind == kind) {
			control_set_active(
			    wavefront,
			    wavefront->masks.lanes[EVG_MASK_ACTIVE] & ~lanes);
			return frame;
		}
		if (frame->kind == EVG_FRAME_CALL)
			break; /* a loop around the call is not this code's */
		frame->mask &= ~lanes;
	}
	control_fault(wavefront,
		      kind == EVG_FRAME_LOOP
			      ? "a break or continue outside any loop"
			      : "RETURN without a CALL");
	return NULL;
}

void control_break(struct evg_wavefront *wavefront, uint64_t lanes)
{
	leave(wavefront, EVG_FRAME_LOOP, lanes);
}

void control_continue(struct evg_wavefront *wavefront, uint64_t lanes)
{
	struct evg_frame *loop = leave(wavefront, EVG_FRAME_LOOP, lanes);

	if (loop)
		loop->continued |= lanes;
}

/* --- Loops -------------------------------------------------------------- */

static uint32_t loop_start(struct evg_wavefront *wavefront,
			   const struct evg_cf_plan *cf)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition;
	uint32_t trips = 0;
	struct evg_frame *loop;

	if (cf->constant) {
		trips = (uint32_t)cf->constant[0];
		if (trips > EVG_LOOP_TRIPS)
			trips = EVG_LOOP_TRIPS;
	}
	if (!lanes || (cf->constant && !trips)) {
		control_pop(wavefront, inst->pop_count);
		return inst->address;
	}
	loop = push(wavefront, EVG_FRAME_LOOP, EVG_STACK_ENTRY);
	if (!loop)
		return cf->next;
	loop->counted = cf->constant != NULL;
	loop->trips = trips;
	if (cf->loop == EVG_LOOP_INDEXED) {
		loop->sets_loop_index = true;
		loop->outer_index = wavefront->indices.loop;
		loop->outer_has_index = wavefront->indices.has_loop;
		loop->step = cf->constant[2];
		wavefront->indices.loop = cf->constant[1];
		wavefront->indices.has_loop = true;
	}
	control_set_active(wavefront, lanes);
	return cf->next;
}

static uint32_t loop_end(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	struct evg_frame *loop = top(wavefront, EVG_FRAME_LOOP);
	uint64_t lanes;

	if (!loop)
		return cf->next;
	lanes = (wavefront->masks.lanes[EVG_MASK_ACTIVE] | loop->continued) &
		cf->condition;
	if (lanes && !(loop->counted && !--loop->trips)) {
		loop->continued = 0;
		if (loop->sets_loop_index)
			wavefront->indices.loop =
			    (int32_t)((uint32_t)wavefront->indices.loop +
				      (uint32_t)loop->step);
		control_set_active(wavefront, lanes);
		return cf->cf->inst.address;
	}
	control_set_active(wavefront, loop->mask);
	drop(wavefront, loop);
	control_pop(wavefront, cf->cf->inst.pop_count);
	return cf->next;
}

/* --- Subroutines and jump tables ----------------------------------------- */

/* COUNT is what the call adds to the nesting; see doc/evergreen-isa.md. */
static uint32_t call(struct evg_wavefront *wavefront,
		     const struct evg_cf_plan *cf)
{
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition;
	uint32_t calls = cf->cf->inst.count;
	struct evg_frame *frame;

	if (!lanes || wavefront->stack.calls + calls > CALLS_MAX)
		return cf->next;
	frame = push(wavefront, EVG_FRAME_CALL, 1);
	if (!frame)
		return cf->next;
	frame->return_to = cf->next;
	frame->calls = (uint8_t)calls;
	wavefront->stack.calls += calls;
	control_set_active(wavefront, lanes);
	return cf->cf->inst.address;
}

/* Lanes return one by one; the call ends when none is left in it. */
static uint32_t call_return(struct evg_wavefront *wavefront,
			    const struct evg_cf_plan *cf)
{
	struct evg_frame *frame =
	    leave(wavefront, EVG_FRAME_CALL,
		  wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition);
	uint32_t return_to;

	if (!frame || wavefront->masks.lanes[EVG_MASK_ACTIVE])
		return cf->next;
	for (const struct evg_frame *above = frame + 1;
	     above < &wavefront->stack.frames[wavefront->stack.depth]; above++)
		if (above->mask || above->continued)
			return cf->next;
	return_to = frame->return_to;
	control_set_active(wavefront, frame->mask);
	drop(wavefront, frame);
	return return_to;
}

static uint32_t jump_table(struct evg_wavefront *wavefront,
			   const struct evg_cf_plan *cf)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	const struct evg_plan *plan = wavefront->plan;
	unsigned select = inst->jumptable_select;
	uint32_t target = inst->address;

	if (!(wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition))
		return cf->next;
	target += cf->constant ? (uint32_t)cf->constant[select]
			       : wavefront->indices.cf[select - 4];
	if (target >= plan->cf_count || !plan->cf[target].cf) {
		control_fault_number(wavefront, EVG_FAULT_TARGET, target);
		return cf->next;
	}
	control_pop(wavefront, inst->pop_count);
	return target;
}

/* --- All of them -------------------------------------------------------- */

uint32_t control_execute(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	uint64_t passed =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition;

	switch (cf->action) {
	case EVG_ACTION_PUSH:
		if (passed) {
			control_push_mask(wavefront, inst->whole_quad_mode);
			control_set_active(wavefront, passed);
			return cf->next;
		}
		control_pop(wavefront, inst->pop_count);
		return inst->address;
	case EVG_ACTION_TEST:
		if (passed)
			return cf->next;
		control_pop(wavefront, inst->pop_count);
		return inst->address;
	case EVG_ACTION_INVERT:
		control_invert(wavefront, cf->condition);
		if (wavefront->masks.lanes[EVG_MASK_ACTIVE])
			return cf->next;
		control_pop(wavefront, inst->pop_count);
		return inst->address;
	case EVG_ACTION_POP:
		control_pop(wavefront, inst->pop_count);
		control_set_active(wavefront,
				   wavefront->masks.lanes[EVG_MASK_ACTIVE] &
				       cf->condition);
		return cf->next;
	case EVG_ACTION_LOOP:
		return loop_start(wavefront, cf);
	case EVG_ACTION_REPEAT:
		return loop_end(wavefront, cf);
	case EVG_ACTION_BREAK:
		control_break(wavefront, passed);
		return cf->next;
	case EVG_ACTION_CONTINUE:
		control_continue(wavefront, passed);
		return cf->next;
	case EVG_ACTION_CALL:
		return call(wavefront, cf);
	case EVG_ACTION_RETURN:
		return call_return(wavefront, cf);
	case EVG_ACTION_TABLE:
		return jump_table(wavefront, cf);
	case EVG_ACTION_SYNC:
		if (passed)
			sync_execute(wavefront, inst);
		return cf->next;
	default:
		return cf->next;
	}
}
