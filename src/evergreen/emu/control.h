/* Control flow of a wavefront: active masks, the stack, and the CF instructions
 * that have no clause. doc/evergreen-isa.md says what was chosen where sources
 * are silent. */
#ifndef M2S_EVERGREEN_EMU_CONTROL_H
#define M2S_EVERGREEN_EMU_CONTROL_H

#include "evergreen/emu/state.h"

static inline void control_set_mask(struct evg_wavefront *wavefront,
				    enum evg_mask which, uint64_t lanes)
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

static inline void control_set_active(struct evg_wavefront *wavefront,
				      uint64_t lanes)
{
	control_set_mask(wavefront, EVG_MASK_ACTIVE, lanes);
	wavefront->active_count =
		lanes ? wavefront->expanded_count[EVG_MASK_ACTIVE] : 0;
}

static inline void control_set_predicate_masks(struct evg_wavefront *wavefront)
{
	uint64_t active = wavefront->mask[EVG_MASK_ACTIVE];
	uint64_t predicate = wavefront->predicate;

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

#endif
