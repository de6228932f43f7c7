/* Control flow of a wavefront: active masks, the stack, and the CF instructions
 * that have no clause. doc/evergreen-isa.md says what was chosen where sources
 * are silent. */
#ifndef M2S_EVERGREEN_EMU_CONTROL_H
#define M2S_EVERGREEN_EMU_CONTROL_H

#include "evergreen/isa/action.h"
#include "evergreen/emu/count/count.h"

static inline void control_set_mask(struct evg_wavefront *wavefront,
				    enum evg_mask which, uint64_t lanes)
{
	wavefront->masks.lanes[which] = lanes;
	wavefront->masks.full[which] =
	    (lanes | ~wavefront->masks.valid) == UINT64_MAX;
	if (lanes == wavefront->mask_rows.expanded[which] ||
	    (!lanes && which == EVG_MASK_ACTIVE))
		return;
	wavefront->mask_rows.expanded[which] = lanes;
	wavefront->mask_rows.count[which] = wavefront->plan->simd->expand_lanes(
	    wavefront->mask_rows.row[which], lanes);
}

static inline void control_set_active(struct evg_wavefront *wavefront,
				      uint64_t lanes)
{
	uint32_t count = 0;

	if (lanes) {
		if (lanes != wavefront->mask_rows.expanded[EVG_MASK_ACTIVE])
			evg_count_mask(wavefront);
		control_set_mask(wavefront, EVG_MASK_ACTIVE, lanes);
		count = wavefront->mask_rows.count[EVG_MASK_ACTIVE];
	} else {
		wavefront->masks.lanes[EVG_MASK_ACTIVE] = 0;
		wavefront->masks.full[EVG_MASK_ACTIVE] = false;
	}
	wavefront->masks.active_count = count;
	wavefront->count.one = evg_count_one(count);
}

static inline void control_set_predicate_masks(struct evg_wavefront *wavefront)
{
	uint64_t active = wavefront->masks.lanes[EVG_MASK_ACTIVE];
	uint64_t predicate = wavefront->masks.predicate;

	control_set_mask(wavefront, EVG_MASK_PREDICATE_0, active & ~predicate);
	control_set_mask(wavefront, EVG_MASK_PREDICATE_1, active & predicate);
}

/* Stops the wavefront, for a reason that concerns all its lanes; `text` lives
 * as long as the plan. */
void control_fault(struct evg_wavefront *wavefront, const char *text);
/* The same with a kind that has a number. */
void control_fault_number(struct evg_wavefront *wavefront,
			  enum evg_fault_kind kind, uint32_t number);

/* Saves the active mask; in whole-quad mode that takes a whole entry. */
void control_push_mask(struct evg_wavefront *wavefront, bool whole_quad);
/* Takes `count` saved masks off the stack; the last one becomes active. */
void control_pop(struct evg_wavefront *wavefront, unsigned count);
/* ELSE: of the lanes of the saved mask, those of `lanes` change sides. */
void control_invert(struct evg_wavefront *wavefront, uint64_t lanes);
/* Lanes leave the innermost loop, or wait for its end. */
void control_break(struct evg_wavefront *wavefront, uint64_t lanes);
void control_continue(struct evg_wavefront *wavefront, uint64_t lanes);

/* Executes a CF instruction without a clause: the address of the next one. */
uint32_t control_execute(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf);

/* --- The common ones, with less ado --------------------------------------- */

static inline uint32_t control_jump(struct evg_wavefront *wavefront,
				    const struct evg_cf_plan *cf)
{
	const struct evg_cf_inst *inst = &cf->cf->inst;
	const struct evg_frame *frame =
	    &wavefront->stack.frames[wavefront->stack.depth - 1];

	if (wavefront->masks.lanes[EVG_MASK_ACTIVE] & cf->condition)
		return cf->next;
	if (inst->pop_count == 1 && wavefront->stack.depth &&
	    frame->kind == EVG_FRAME_PUSH) {
		control_set_active(wavefront, frame->mask);
		wavefront->stack.depth--;
		wavefront->stack.used -= frame->elements;
	} else {
		control_pop(wavefront, inst->pop_count);
	}
	return inst->address;
}

/* Back to the start of a loop without a constant. */
static inline uint32_t control_loop_end(struct evg_wavefront *wavefront,
					const struct evg_cf_plan *cf)
{
	struct evg_frame *loop =
	    &wavefront->stack.frames[wavefront->stack.depth - 1];
	uint64_t lanes;

	if (!wavefront->stack.depth || loop->kind != EVG_FRAME_LOOP ||
	    loop->counted || loop->sets_loop_index)
		return control_execute(wavefront, cf);
	lanes = (wavefront->masks.lanes[EVG_MASK_ACTIVE] | loop->continued) &
		cf->condition;
	if (!lanes)
		return control_execute(wavefront, cf);
	loop->continued = 0;
	control_set_active(wavefront, lanes);
	return cf->cf->inst.address;
}

static inline uint32_t control_next(struct evg_wavefront *wavefront,
				    const struct evg_cf_plan *cf)
{
	switch (cf->action) {
	case EVG_ACTION_TEST:
		return control_jump(wavefront, cf);
	case EVG_ACTION_REPEAT:
		return control_loop_end(wavefront, cf);
	case EVG_ACTION_STAY:
		return cf->next;
	default:
		return control_execute(wavefront, cf);
	}
}

#endif
