/* The loop buffer (loop stream detector): a small loop whose uops stay in the
 * queue before the renamer. */
#include "x86/timing/core/front/front.h"

/* The number of iterations that the buffer holds, by the uops of the loop. */
static unsigned unrolled(const struct x86_core *core, unsigned slots)
{
	static const uint8_t times[] = {
		8, 8, 8, 8, 8, 6, 5, 4, 4, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2,
		2, 2, 2, 2, 2, 2, 2, 2,
	};

	return core->figure.loop_unroll && slots < sizeof times ? times[slots]
								: 1;
}

/* Instructions that the buffer does not keep. */
static bool forbidden(const struct x86_core *core, const struct core_flow *flow)
{
	switch (flow->inst->branch) {
	case X86_BRANCH_CALL:
	case X86_BRANCH_INDIRECT_CALL:
	case X86_BRANCH_RETURN:
	case X86_BRANCH_FAR:
		return true;
	}
	return flow->form->microcode_uops ||
	       (core->figure.cache_sets && core->source == SOURCE_DECODERS);
}

static void begin_body(struct x86_core *core, bool good)
{
	core->body_count = core->body_slots = core->body_taken = 0;
	core->body_stack = 0;
	core->body_good = core->body_equal = good;
	core->body_long = false;
}

static void add_to_body(struct x86_core *core, const struct core_flow *flow)
{
	if (core->body_count == LOOP_BODY ||
	    core->body_slots > core->figure.loop_slots) {
		core->body_long = true;
		return;
	}
	if (core->body[core->body_count] != flow->address)
		core->body_equal = false;
	core->body[core->body_count++] = flow->address;
	core->body_slots += flow->slots_fused;
	core->body_stack += flow->form->stack_change;
	core->body_taken += core_taken(flow);
	if (forbidden(core, flow))
		core->body_good = false;
}

/* The loop branch was taken: whether the buffer takes over. */
static bool locks(const struct x86_core *core, uint64_t target)
{
	return core->body_good && core->body_equal && !core->body_long &&
	       target == core->loop_target &&
	       core->body_count == core->body_before && !core->body_stack &&
	       core->body_taken <= core->figure.loop_branches &&
	       core->body_slots <= core->figure.loop_slots;
}

/* Accounts for an instruction that the buffer has delivered, and for the end of
 * an iteration. */
static void follow(struct x86_core *core, struct core_flow *flow,
		   unsigned instructions)
{
	core->loop_at += instructions;
	if (core->loop_at < core->body_count)
		return;
	core->loop_at = 0;
	if (++core->loop_turn == core->loop_turns) {
		core->loop_turn = 0;
		flow->ends_group = true;
	}
}

void core_loop_note(struct x86_core *core, struct core_flow *flow,
		    struct core_flow *branch)
{
	if (!core->figure.loop_slots)
		return;
	if (core->source == SOURCE_LOOP) {
		follow(core, flow, 1 + (branch != flow));
		return;
	}
	add_to_body(core, flow);
	if (branch != flow)
		add_to_body(core, branch);
	if (branch->next > branch->address)
		return;
	if (!branch->fetch && locks(core, branch->next)) {
		core->source = SOURCE_LOOP;
		core->loop_at = core->loop_turn = 0;
		core->loop_turns = unrolled(core, core->body_slots);
		core->flow_predecoded = core->flow_decoded;
		/* What the predecoder has found behind the loop it finds
		 * again. */
		core->fetch_waits = X86_CORE_FETCH_ON;
		flow->ends_group = true;
		return;
	}
	core->body_before = core->body_long ? 0 : core->body_count;
	core->loop_target = branch->next;
	begin_body(core, true);
}

void core_loop_leave(struct x86_core *core)
{
	core->body_before = 0;
	begin_body(core, false);
}

