/* A chain runs: its beginning and its end. */
#include "evergreen/emu/chain.h"

#include "evergreen/emu/control.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/pack.h"

static bool has_stack(const struct evg_wavefront *wavefront,
		      const struct evg_stack *stack)
{
	if (wavefront->stack.depth != stack->depth)
		return false;
	for (; stack->below; stack = stack->below) {
		const struct evg_frame *frame =
		    &wavefront->stack.frames[stack->depth - 1];

		if (frame->kind != stack->kind ||
		    frame->elements != stack->elements ||
		    frame->calls != stack->calls ||
		    frame->counted != stack->counted ||
		    frame->sets_loop_index != stack->sets_loop_index)
			return false;
	}
	return true;
}

static void set_stack(struct evg_wavefront *wavefront,
		      const struct evg_stack *stack)
{
	wavefront->stack.depth = stack->depth;
	wavefront->stack.used = stack->used;
	for (; stack->below; stack = stack->below) {
		struct evg_frame *frame =
		    &wavefront->stack.frames[stack->depth - 1];

		frame->kind = stack->kind;
		frame->elements = stack->elements;
		frame->calls = stack->calls;
		frame->counted = stack->counted;
		frame->sets_loop_index = stack->sets_loop_index;
		if (stack->kind != EVG_FRAME_LOOP)
			frame->continued = 0;
	}
}

/* The active mask becomes the last one that was not empty. */
static void remember_lanes(struct evg_wavefront *wavefront)
{
	uint32_t count = wavefront->mask_rows.count[EVG_MASK_ACTIVE];

	control_set_mask(wavefront, EVG_MASK_ACTIVE,
			 wavefront->mask_rows.expanded[EVG_MASK_ACTIVE]);
	wavefront->masks.active_count = count;
	wavefront->count.one = evg_count_one(count);
}

static enum evg_lanes begin_chain(struct evg_wavefront *wavefront)
{
	uint64_t lanes = wavefront->masks.lanes[EVG_MASK_ACTIVE];

	if (!lanes)
		remember_lanes(wavefront);
	evg_pack_find_vector(wavefront);
	if (!lanes)
		return EVG_LANES_NONE;
	return lanes == UINT64_MAX ? EVG_LANES_ALL : EVG_LANES_SOME;
}

static void end_chain(struct evg_wavefront *wavefront,
		      const struct evg_chain_exit *exit)
{
	wavefront->progress.pc = exit->pc;
	if (!exit->fault)
		wavefront->progress.position = 0;
	else if (exit->position != EVG_CHAIN_POSITION)
		wavefront->progress.position = exit->position;
	if (exit->fault)
		wavefront->progress.started = exit->pc;
	if (exit->empty)
		control_set_active(wavefront, 0);
	set_stack(wavefront, exit->stack);
}

bool evg_chain_run(struct evg_wavefront *wavefront,
		   const struct evg_cf_plan *cf)
{
	const struct evg_native_code *native = wavefront->plan->native;
	const struct evg_chain *chain = cf->chain;
	uint64_t budget = (uint64_t)wavefront->group->budget;
	uint64_t before = wavefront->count.instructions;
	uint32_t exit;

	if (budget < chain->longest || !has_stack(wavefront, chain->stack))
		return false;
	wavefront->native.chain_limit = before + budget;
	exit =
	    native->run_chain(wavefront, chain->code[begin_chain(wavefront)]);
	wavefront->group->budget -=
	    (int64_t)(wavefront->count.instructions - before);
	end_chain(wavefront, &native->exits[exit]);
	return true;
}
