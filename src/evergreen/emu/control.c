/* BREAK and CONTINUE never jump: with no lane left active the code
 * up to the POP of their `if` runs without effect, and the POP brings back
 * the lanes that stay in the loop. */
#include "evergreen/emu/control.h"

#include "evergreen/emu/sync.h"

/* The machine skips a CALL that would nest deeper. */
enum { CALLS_MAX = 32 };

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
static void drop_frames(struct evg_wavefront *wavefront,
			const struct evg_frame *frame)
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

static void pop_masks(struct evg_wavefront *wavefront, unsigned count)
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

/* The innermost frame of a kind; NULL and a fault without one. */
static struct evg_frame *around(struct evg_wavefront *wavefront,
				enum evg_frame_kind kind)
{
	for (uint32_t i = wavefront->stack.depth; i--;) {
		struct evg_frame *frame = &wavefront->stack.frames[i];

		if (frame->kind == kind)
			return frame;
		if (frame->kind == EVG_FRAME_CALL)
			break; /* a loop around the call is not this code's */
	}
	control_fault(wavefront,
		      kind == EVG_FRAME_LOOP
			      ? "a break or continue outside any loop"
			      : "RETURN without a CALL");
	return NULL;
}

/* Takes lanes out of the innermost frame of a kind's body: out of the active
 * mask and of every frame above. NULL and a fault without such a frame. */
static struct evg_frame *leave_frames(struct evg_wavefront *wavefront,
				      enum evg_frame_kind kind, uint64_t lanes)
{
	struct evg_frame *frame = around(wavefront, kind);
	struct evg_frame *end =
	    &wavefront->stack.frames[wavefront->stack.depth];

	if (!frame)
		return NULL;
	for (struct evg_frame *above = frame + 1; above < end; above++)
		above->mask &= ~lanes;
	control_set_active(wavefront,
			   wavefront->masks.lanes[EVG_MASK_ACTIVE] & ~lanes);
	return frame;
}

/* --- Effects ------------------------------------------------------------ */

/* An instruction's action under way. Each effect returns whether the action
 * ends with it; `next` is where control then goes. */
struct act {
	struct evg_wavefront *wavefront;
	const struct evg_cf_plan *cf;
	uint64_t leaving; /* lanes that LEAVE and WAIT are about */
	uint32_t next;
};

static inline uint64_t passing(const struct act *act)
{
	return act->wavefront->masks.lanes[EVG_MASK_ACTIVE] &
	       act->cf->condition;
}

static inline bool jump_if(struct act *act, bool condition)
{
	if (!condition)
		return false;
	pop_masks(act->wavefront, act->cf->pops);
	act->next = act->cf->cf->inst.address;
	return true;
}

static inline bool effect_JUMP(struct act *act)
{
	return jump_if(act, !passing(act));
}

static inline bool effect_SKIP(struct act *act)
{
	return jump_if(act, !act->wavefront->masks.lanes[EVG_MASK_ACTIVE]);
}

static uint32_t trips_of(const struct evg_cf_plan *cf)
{
	uint32_t trips = (uint32_t)cf->constant[0];

	return trips < EVG_LOOP_TRIPS ? trips : EVG_LOOP_TRIPS;
}

static inline bool effect_TRIPS(struct act *act)
{
	return jump_if(act, act->cf->constant && !trips_of(act->cf));
}

static inline bool effect_PUSH(struct act *act)
{
	bool whole_quad = act->cf->cf->inst.whole_quad_mode;

	return !push(act->wavefront, EVG_FRAME_PUSH,
		     whole_quad ? EVG_STACK_ENTRY : 1);
}

static bool effect_ENTER(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	const struct evg_cf_plan *cf = act->cf;
	struct evg_frame *loop =
	    push(wavefront, EVG_FRAME_LOOP, EVG_STACK_ENTRY);

	if (!loop)
		return true;
	if (cf->constant) {
		loop->counted = true;
		loop->trips = trips_of(cf);
	}
	if (cf->loop == EVG_LOOP_INDEXED) {
		loop->sets_loop_index = true;
		loop->outer_index = wavefront->indices.loop;
		loop->outer_has_index = wavefront->indices.has_loop;
		loop->step = cf->constant[2];
		wavefront->indices.loop = cf->constant[1];
		wavefront->indices.has_loop = true;
	}
	return false;
}

static inline bool effect_KEEP(struct act *act)
{
	control_set_active(act->wavefront, passing(act));
	return false;
}

static inline bool effect_SWAP(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	struct evg_frame *frame = top(wavefront, EVG_FRAME_PUSH);

	if (!frame)
		return true;
	control_set_active(wavefront,
			   wavefront->masks.lanes[EVG_MASK_ACTIVE] ^
			       (frame->mask & act->cf->condition));
	return false;
}

static inline bool effect_POP(struct act *act)
{
	pop_masks(act->wavefront, act->cf->pops);
	return false;
}

static inline bool effect_AGAIN(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	struct evg_frame *loop = top(wavefront, EVG_FRAME_LOOP);
	uint64_t lanes;

	if (!loop)
		return true;
	lanes = (wavefront->masks.lanes[EVG_MASK_ACTIVE] | loop->continued) &
		act->cf->condition;
	if (!lanes || (loop->counted && !--loop->trips))
		return false;
	loop->continued = 0;
	if (loop->sets_loop_index)
		wavefront->indices.loop =
		    (int32_t)((uint32_t)wavefront->indices.loop +
			      (uint32_t)loop->step);
	control_set_active(wavefront, lanes);
	act->next = act->cf->cf->inst.address;
	return true;
}

static inline bool effect_END(struct act *act)
{
	struct evg_frame *loop = top(act->wavefront, EVG_FRAME_LOOP);

	if (!loop)
		return true;
	control_set_active(act->wavefront, loop->mask);
	drop_frames(act->wavefront, loop);
	return false;
}

static bool effect_WAIT(struct act *act)
{
	struct evg_frame *loop = around(act->wavefront, EVG_FRAME_LOOP);

	if (!loop)
		return true;
	loop->continued |= act->leaving;
	return false;
}

static bool effect_LEAVE(struct act *act)
{
	return !leave_frames(act->wavefront, EVG_FRAME_LOOP, act->leaving);
}

/* --- Subroutines and jump tables ----------------------------------------- */

/* COUNT is what the call adds to the nesting; see doc/evergreen-isa.md. */
static bool effect_CALL(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	uint64_t lanes = passing(act);
	uint32_t calls = act->cf->cf->inst.count;
	struct evg_frame *frame;

	if (!lanes || wavefront->stack.calls + calls > CALLS_MAX)
		return true;
	frame = push(wavefront, EVG_FRAME_CALL, 1);
	if (!frame)
		return true;
	frame->return_to = act->cf->next;
	frame->calls = (uint8_t)calls;
	wavefront->stack.calls += calls;
	control_set_active(wavefront, lanes);
	act->next = act->cf->cf->inst.address;
	return true;
}

/* Lanes return one by one; the call ends when none is left in it. */
static bool effect_RETURN(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	struct evg_frame *frame =
	    leave_frames(wavefront, EVG_FRAME_CALL, passing(act));

	if (!frame || wavefront->masks.lanes[EVG_MASK_ACTIVE])
		return true;
	for (const struct evg_frame *above = frame + 1;
	     above < &wavefront->stack.frames[wavefront->stack.depth]; above++)
		if (above->mask || above->continued)
			return true;
	act->next = frame->return_to;
	control_set_active(wavefront, frame->mask);
	drop_frames(wavefront, frame);
	return true;
}

static bool effect_TABLE(struct act *act)
{
	struct evg_wavefront *wavefront = act->wavefront;
	const struct evg_cf_plan *cf = act->cf;
	const struct evg_plan *plan = wavefront->plan;
	unsigned select = cf->cf->inst.jumptable_select;
	uint32_t target = cf->cf->inst.address;

	if (!passing(act))
		return true;
	target += cf->constant ? (uint32_t)cf->constant[select]
			       : wavefront->indices.cf[select - 4];
	if (target >= plan->cf_count || !plan->cf[target].cf) {
		control_fault_number(wavefront, EVG_FAULT_TARGET, target);
		return true;
	}
	pop_masks(wavefront, cf->pops);
	act->next = target;
	return true;
}

static bool effect_SYNC(struct act *act)
{
	if (passing(act))
		sync_execute(act->wavefront, &act->cf->cf->inst);
	return false;
}

/* --- Actions ------------------------------------------------------------- */

static inline __attribute__((always_inline)) bool
take_effect(struct act *act, enum evg_effect effect)
{
	switch (effect) {
#define EFFECT(id, ...)                                                        \
	case EVG_EFFECT_##id:                                                  \
		return effect_##id(act);
#include "evergreen/isa/control.def"
	default: /* NONE */
		return true;
	}
}

static inline __attribute__((always_inline)) bool
goes_on(enum evg_effect effect)
{
	switch (effect) {
#define EFFECT(id, needs, leaves, goes, native)                                \
	case EVG_EFFECT_##id:                                                  \
		return EVG_GOES_##goes == EVG_GOES_ON;
#include "evergreen/isa/control.def"
	default:
		return false;
	}
}

/* Behind a clause: what saves a mask was before it, there is no condition, and
 * it goes on. */
static inline __attribute__((always_inline)) bool
take_behind(struct act *act, enum evg_effect effect)
{
	if (effect == EVG_EFFECT_PUSH || effect == EVG_EFFECT_KEEP ||
	    !goes_on(effect))
		return false;
	return take_effect(act, effect);
}

/* Each action is compiled as the sequence of its effects, without a clause and
 * behind one. */
#define SEQUENCE(take, a, b, c, d, ...)                                        \
	((void)(take(&act, EVG_EFFECT_##a) || take(&act, EVG_EFFECT_##b) ||    \
		take(&act, EVG_EFFECT_##c) || take(&act, EVG_EFFECT_##d)))
#define ACTION(id, ...)                                                        \
	static __attribute__((flatten)) uint32_t act_##id(                     \
	    struct evg_wavefront *wavefront, const struct evg_cf_plan *cf)     \
	{                                                                      \
		struct act act = {                                             \
		    .wavefront = wavefront,                                    \
		    .cf = cf,                                                  \
		    .leaving = wavefront->masks.lanes[EVG_MASK_ACTIVE] &       \
			       cf->condition,                                  \
		    .next = cf->next,                                          \
		};                                                             \
                                                                               \
		SEQUENCE(take_effect, __VA_ARGS__, NONE, NONE, NONE, NONE);    \
		return act.next;                                               \
	}                                                                      \
                                                                               \
	static __attribute__((flatten)) void end_##id(                         \
	    struct evg_wavefront *wavefront, const struct evg_cf_plan *cf)     \
	{                                                                      \
		struct act act = {                                             \
		    .wavefront = wavefront,                                    \
		    .cf = cf,                                                  \
		    .leaving = wavefront->progress.clause_entry &              \
			       ~wavefront->masks.lanes[EVG_MASK_ACTIVE],       \
		};                                                             \
                                                                               \
		SEQUENCE(take_behind, __VA_ARGS__, NONE, NONE, NONE, NONE);    \
	}
#include "evergreen/isa/control.def"

control_act *const control_execute[EVG_ACTION_COUNT] = {
#define ACTION(id, ...) [EVG_ACTION_##id] = act_##id,
#include "evergreen/isa/control.def"
};

control_end *const control_end_clause[EVG_ACTION_COUNT] = {
#define ACTION(id, ...) [EVG_ACTION_##id] = end_##id,
#include "evergreen/isa/control.def"
};

void control_begin_clause(struct evg_wavefront *wavefront,
			  const struct evg_cf_plan *cf)
{
	struct act act = {.wavefront = wavefront, .cf = cf};

	if (evg_action_does(cf->action, EVG_EFFECT_PUSH))
		effect_PUSH(&act);
}
