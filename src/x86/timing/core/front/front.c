/* The source of uops in a cycle: decoders, uop cache, loop buffer or
 * microcode. */
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/memo/memo.h"

/* Goes back to predecoder and decoders, which begin at the next instruction. */
static void to_decoders(struct x86_core *core)
{
	core->source = SOURCE_DECODERS;
	core->to_cache = false;
	core->predecode_block =
		core_flow(core, core->flow_decoded)->address /
		core->figure.predecode_bytes;
	core->predecode_free = core->now;
	core->progress = true;
}

/* Delivers up to `most` slots of the next instruction, as far as there is
 * room. Returns the number of slots. *whole: all slots were delivered, and more
 * may follow. */
static unsigned deliver_next(struct x86_core *core, unsigned most, bool *whole)
{
	struct core_flow *flow = core_flow(core, core->flow_decoded);
	unsigned left = flow->slots_fused - flow->delivered;
	/* A queue that has just been divided may hold more than its share. */
	unsigned room = core->queue_used < core->figure.uop_queue
				? core->figure.uop_queue - core->queue_used : 0;
	unsigned slots = left < most ? left : most;

	if (slots > room)
		slots = room;
	*whole = false;
	if (!slots)
		return 0;
	core_deliver(core, flow, slots);
	if (slots < left)
		return slots;
	core_deliver_end(core, flow,
			 core->flow_decoded + 1 < core->flow_pushed &&
			 core_fused_with_next(flow,
				core_flow(core, core->flow_decoded + 1)));
	flow = core_flow(core, core->flow_decoded - 1);
	if (flow->fetch)
		core_fetch_wait(core, flow);
	else
		*whole = true;
	return slots;
}

/* Whether the line with the next instruction is open. Opens it if possible. */
static bool line_open(struct x86_core *core, uint64_t address)
{
	if (core->line_first <= address && address < core->line_end)
		return true;
	return core_cache_open(core, address);
}

static void from_cache(struct x86_core *core)
{
	unsigned left = core->figure.cache_width;
	uint64_t window = UINT64_MAX;

	while (left && core->flow_decoded < core->flow_pushed) {
		struct core_flow *flow =
			core_flow(core, core->flow_decoded);
		unsigned slots;
		bool whole;

		if (window != UINT64_MAX &&
		    (flow->address / CACHE_WINDOW != window))
			return; /* one window a cycle */
		if (!line_open(core, flow->address)) {
			/* Not after others in the same cycle. */
			if (window == UINT64_MAX)
				to_decoders(core);
			return;
		}
		window = flow->address / CACHE_WINDOW;
		if (flow->form->microcode_uops) {
			/* It has a line of its own. */
			if (left == core->figure.cache_width)
				core_microcode_begin(core, flow);
			return;
		}
		slots = deliver_next(core, left, &whole);
		left -= slots;
		if (!whole)
			return;
		if (core_taken(core_flow(core, core->flow_decoded - 1))) {
			core->line_end = 0;
			return;
		}
		if (core->source != SOURCE_CACHE)
			return;
	}
}

static void from_loop(struct x86_core *core)
{
	/* The queue holds the whole loop: only the renamer limits the rate. */
	unsigned left = 2 * core->figure.issue_width;

	while (left && core->flow_decoded < core->flow_pushed) {
		unsigned slots;
		bool whole;

		if (!core_loop_holds(core)) {
			const struct core_flow *flow =
				core_flow(core, core->flow_decoded);

			core_loop_leave(core);
			core->line_end = 0;
			core->progress = true;
			if (core_cache_holds(core, flow->address))
				core->source = SOURCE_CACHE;
			else
				to_decoders(core);
			return;
		}
		slots = deliver_next(core, left, &whole);
		left -= slots;
		if (!whole)
			return;
	}
}

static void deliver(struct x86_core *core)
{
	if (core->microcode) {
		core_microcode(core);
		return;
	}
	if (core->to_cache && core->flow_decoded == core->flow_predecoded) {
		core->to_cache = false;
		core->source = SOURCE_CACHE;
		core->line_end = 0;
	}
	switch (core->source) {
	case SOURCE_DECODERS:
		core_decode(core);
		break;
	case SOURCE_CACHE:
		from_cache(core);
		break;
	case SOURCE_LOOP:
		from_loop(core);
		break;
	}
}

/* Whether there is something to deliver that does not lie in the thread's own
 * queue, as a loop does. */
static bool has_work(const struct x86_core *core)
{
	if (core->microcode)
		return true;
	return core->source == SOURCE_DECODERS
		       ? core->flow_decoded < core->flow_predecoded
		       : core->source == SOURCE_CACHE &&
				 core->flow_decoded < core->flow_pushed;
}

void core_front(struct x86_core *core)
{
	unsigned before = core->queue_used;
	bool works;

	if (core->tapes)
		core_memo_note_front(core);
	if (core->now < core->decode_free)
		return;
	works = core->group && has_work(core);
	if (works && !core_room(core, STAGE_DECODE, 1))
		return;
	deliver(core);
	if (works)
		core_use(core, STAGE_DECODE, core->queue_used - before);
}
