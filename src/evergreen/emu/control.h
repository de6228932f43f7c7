/* Control flow of a wavefront: active masks, the stack, and the CF instructions
 * without a clause. doc/evergreen-isa.md lists the choices that were made where
 * sources are silent. */
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

/* Stops the wavefront for a reason that concerns all its lanes. `text` must
 * live as long as the plan. */
void control_fault(struct evg_wavefront *wavefront, const char *text);
/* Stops the wavefront with a kind of fault that has a number. */
void control_fault_number(struct evg_wavefront *wavefront,
			  enum evg_fault_kind kind, uint32_t number);

/* What CF instructions do, by action. One without a clause: the address of the
 * next one. */
typedef uint32_t control_act(struct evg_wavefront *wavefront,
			     const struct evg_cf_plan *cf);
extern control_act *const control_execute[EVG_ACTION_COUNT];
/* One with an ALU clause besides that, before it and behind it. */
void control_begin_clause(struct evg_wavefront *wavefront,
			  const struct evg_cf_plan *cf);
typedef void control_end(struct evg_wavefront *wavefront,
			 const struct evg_cf_plan *cf);
extern control_end *const control_end_clause[EVG_ACTION_COUNT];

#endif
