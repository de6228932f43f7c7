/* The decoders and the microcode sequencer; macro-fusion. */
#include "x86/timing/core/state.h"

static struct core_flow *queued(struct x86_core *core, uint64_t number)
{
	struct core_flow *flow;

	if (number >= core->flow_predecoded)
		return 0;
	flow = core_flow(core, number);
	return core_past(core, flow->predecoded_at +
				       core->figure.predecode_delay) ? flow : 0;
}

static bool queue_fits(const struct x86_core *core, unsigned slots)
{
	return core->queue_used + slots <= core->figure.uop_queue;
}

static void deliver(struct x86_core *core, struct core_flow *flow,
		    unsigned slots)
{
	flow->delivered = (uint16_t)(flow->delivered + slots);
	flow->decoded_at = (uint32_t)core->now;
	core->queue_used += slots;
	core->progress = true;
}

static void sequence(struct x86_core *core)
{
	struct core_flow *flow = core_flow(core, core->flow_decoded);
	unsigned left = flow->slots_fused - flow->delivered;
	unsigned slots = left < core->figure.microcode_width ?
				 left : core->figure.microcode_width;

	if (!queue_fits(core, slots))
		return;
	deliver(core, flow, slots);
	if (slots < left)
		return;
	core->microcode = false;
	core->flow_decoded++;
	core->decode_free = core->now + 1 + core->figure.microcode_switch / 2;
}

/* Whether an instruction and the one behind it, if it is known, become one. */
static bool fused_with_next(const struct core_flow *flow,
			    const struct core_flow *next)
{
	return next && next->form->conditional_jump &&
	       next->address == flow->address + flow->inst->length &&
	       flow->form->fuses_with >> next->form->condition & 1;
}

static void fuse(struct core_flow *flow, struct core_flow *next)
{
	flow->fuses = true;
	for (unsigned i = 0; i < next->form->uop_count; i++)
		if (next->form->uop[i].ports)
			flow->branch_ports =
				(uint8_t)next->form->uop[i].ports;
	next->fused = true;
	next->slots = next->slots_fused = 0;
	next->decoded_at = flow->decoded_at;
}

/* One instruction by decoder `position`; false when it must wait. *decoders
 * shrinks when the first one leaves fewer to the others. */
static bool decode_one(struct x86_core *core, unsigned position,
		       unsigned *decoders)
{
	struct core_flow *flow = queued(core, core->flow_decoded), *next;
	const struct x86_template *form;
	bool pair = false;

	if (!flow)
		return false;
	form = flow->form;
	if (form->fuses_with) {
		next = queued(core, core->flow_decoded + 1);
		pair = fused_with_next(flow, next);
		if (!pair && !core->figure.fusible_last &&
		    (position + 1 == core->figure.decoders ||
		     (!next && !(core->last && core->flow_decoded + 1 ==
					       core->flow_pushed))))
			return false;
	}
	if (position && (form->complex_decoder || form->microcode_uops ||
			 form->decoder_uops > 1))
		return false;
	if (form->microcode_uops) {
		unsigned first = form->decoder_uops < flow->slots_fused ?
					 form->decoder_uops :
					 flow->slots_fused;

		if (!queue_fits(core, first))
			return false;
		deliver(core, flow, first);
		core->microcode = true;
		core->decode_free = core->now + 1 +
				    (core->figure.microcode_switch + 1) / 2;
		*decoders = 0;
		return false;
	}
	if (!queue_fits(core, flow->slots_fused))
		return false;
	deliver(core, flow, flow->slots_fused);
	core->flow_decoded++;
	if (form->complex_decoder || form->decoder_uops > 1)
		*decoders = 1 + form->simple_left;
	if (pair) {
		fuse(flow, next);
		core->flow_decoded++;
		flow = next;
	}
	if ((form->ends_decoding && core->figure.pop_ends_group) ||
	    flow->next != flow->address + flow->inst->length)
		*decoders = 0;
	return true;
}

void core_decode(struct x86_core *core)
{
	unsigned decoders = core->figure.decoders;

	if (core->now < core->decode_free)
		return;
	if (core->microcode) {
		sequence(core);
		return;
	}
	for (unsigned i = 0; i < decoders; i++)
		if (!decode_one(core, i, &decoders))
			break;
}
