/* The decoders. */
#include "x86/timing/core/front/front.h"
#include "x86/timing/core/front/tracecache.h"

static struct core_flow *queued(struct x86_core *core, uint64_t number)
{
	struct core_flow *flow;

	if (number >= core->flow_predecoded)
		return 0;
	flow = core_flow(core, number);
	return core_past(core, flow->predecoded_at +
				       core->figure.predecode_delay) ? flow : 0;
}

/* Whether an instruction that may be fused has to wait for the next one. */
static bool waits_for_next(const struct x86_core *core, unsigned position,
			   const struct core_flow *next)
{
	return !core->figure.fusible_last &&
	       (position + 1 == core->figure.decoders ||
		(!next && !(core->last &&
			    core->flow_decoded + 1 == core->flow_pushed)));
}

/* Decodes one instruction by decoder `position`. False when it must wait.
 * *decoders shrinks when the first decoder leaves fewer to the others. */
static bool decode_one(struct x86_core *core, unsigned position,
		       unsigned *decoders)
{
	struct core_flow *flow = queued(core, core->flow_decoded), *next;
	const struct x86_template *form;
	bool pair = false;

	if (!flow || flow->traced)
		return false;
	form = flow->form;
	if (form->fuses_with) {
		next = queued(core, core->flow_decoded + 1);
		pair = core_fused_with_next(flow, next);
		if (!pair && waits_for_next(core, position, next))
			return false;
	}
	if (position && (form->complex_decoder || form->microcode_uops ||
			 form->decoder_uops > 1))
		return false;
	if (form->microcode_uops) {
		core_microcode_begin(core, flow);
		if (core->microcode)
			core_cache_fill(core, flow, false);
		return false;
	}
	if (!core_queue_fits(core, flow->slots_fused))
		return false;
	core_deliver(core, flow, flow->slots_fused);
	core_cache_fill(core, flow, pair);
	core_deliver_end(core, flow, pair);
	if (form->complex_decoder || form->decoder_uops > 1)
		*decoders = 1 + form->simple_left;
	if (pair)
		flow = core_flow(core, core->flow_decoded - 1);
	if ((form->ends_decoding && core->figure.pop_ends_group) ||
	    core_taken(flow) || core->source != SOURCE_DECODERS)
		*decoders = 0;
	return true;
}

void core_decode(struct x86_core *core)
{
	unsigned decoders = core->figure.decoders;

	if (core->flow_decoded < core->flow_predecoded &&
	    core_flow(core, core->flow_decoded)->traced) {
		core_trace_deliver(core);
		return;
	}

	for (unsigned i = 0; i < decoders; i++)
		if (!decode_one(core, i, &decoders))
			break;
}
