/* The predecoder: finds the instructions in one aligned block of bytes a cycle.
 * An instruction belongs to the block in which it ends (doc/x86-timing.md,
 * "Predecoder"). */
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/front/tracecache.h"
#include "x86/timing/core/loadstore/pending.h"

/* Whether the primary opcode's first byte lies in the block. */
static bool opcode_in_block(const struct core_flow *flow, uint64_t block,
			    unsigned bytes)
{
	uint64_t opcode = flow->address + flow->inst->opcode_offset;

	return opcode / bytes == block;
}

/* Whether fetch waits for the target of a branch. */
static bool waits(struct x86_core *core)
{
	uint64_t time;

	switch (core->fetch_waits) {
	case X86_CORE_FETCH_DECODED:
		if (core->flow_decoded <= core->fetch_for)
			return true;
		core_fetch_anew(core, core->now + core->figure.resteer,
				X86_CORE_RESTEER);
		break;
	case X86_CORE_FETCH_EXECUTED:
		if (core->flow_renamed <= core->fetch_for ||
		    !core_executed(core, core->fetch_for, &time))
			return true;
		core_fetch_anew(core, core->now + core->figure.redirect,
				X86_CORE_BRANCH);
		break;
	default:
		return false;
	}
	core->progress = true;
	return core->now < core->predecode_free;
}

/* A prefix that changes the length of its instruction. */
static bool stalls_predecoder(const struct x86_core_figures *figure,
			      const struct x86_inst *inst)
{
	return inst->traits & X86_LENGTH_PREFIX &&
	       (inst->class != X86_CLASS_MOVE || figure->length_prefix_moves);
}

/* Bytes of code between predecoder and decoders. */
static unsigned queued_bytes(struct x86_core *core)
{
	unsigned bytes = 0;

	for (uint64_t i = core->flow_decoded; i < core->flow_predecoded; i++)
		if (!core_flow(core, i)->traced)
			bytes += core_flow(core, i)->inst->length;
	return bytes;
}

void core_predecode(struct x86_core *core)
{
	const struct x86_core_figures *figure = &core->figure;
	unsigned bytes = figure->predecode_bytes, taken = 0, stalls = 0;
	uint64_t end = 0;

	if (core->now < core->predecode_free ||
	    core->source != SOURCE_DECODERS || core->to_cache || waits(core))
		return;
	if (core->flow_predecoded == core->flow_pushed)
		return;
	if (core->traces && core_room(core, STAGE_FETCH, 1) &&
	    core_trace_fetch(core)) {
		core->progress = true;
		core_use(core, STAGE_FETCH, 1);
		return;
	}
	/* Room for all instructions that a cycle may find. */
	if (core->flow_predecoded - core->flow_decoded +
		    figure->predecode_width > figure->instruction_queue)
		return;
	if (figure->fetch_queue_bytes &&
	    queued_bytes(core) + bytes > figure->fetch_queue_bytes)
		return;
	if (!core_room(core, STAGE_FETCH, 1))
		return;
	core->progress = true;
	if (core->predecode_block == UINT64_MAX) {
		uint64_t first =
			core_flow(core, core->flow_predecoded)->address;

		if (core_cache_holds(core, first)) {
			core->to_cache = true;
			return;
		}
		core->predecode_block = first / bytes;
	}
	if (core->memory.fetch && core_fetch_misses(core))
		return;
	core_use(core, STAGE_FETCH, 1);
	while (core->flow_predecoded < core->flow_pushed) {
		struct core_flow *flow =
			core_flow(core, core->flow_predecoded);

		end = (flow->address + flow->inst->length - 1) / bytes;
		if (end != core->predecode_block)
			break;
		if (taken == figure->predecode_width)
			break;
		flow->predecoded_at = (uint32_t)core->now;
		if (stalls_predecoder(figure, flow->inst) &&
		    !(stalls && figure->length_prefix_once))
			stalls += figure->length_prefix_stall;
		core->flow_predecoded++;
		taken++;
		if (flow->fetch) {
			core_fetch_wait(core, flow);
			core->predecode_free += stalls;
			return;
		}
		if (core_taken(flow)) {
			/* The block behind a jump begins anew. A jump that is
			 * fetched again, after the misprediction that it was,
			 * may be the last one that is known. */
			core->predecode_block =
				flow->next ? flow->next / bytes : UINT64_MAX;
			core->predecode_free = core->now + 1 + stalls;
		}
		if (flow->inst->branch != X86_BRANCH_NONE &&
		    core_cache_holds(core, flow->next))
			core->to_cache = true;
		if (core->to_cache || core_taken(flow))
			return;
	}
	core->predecode_free = core->now + 1 + stalls;
	if (core->flow_predecoded == core->flow_pushed ||
	    end == core->predecode_block)
		return; /* the rest of the block */
	if (taken == figure->predecode_width &&
	    opcode_in_block(core_flow(core, core->flow_predecoded),
			    core->predecode_block, bytes))
		core->predecode_free++;
	core->predecode_block++;
}
