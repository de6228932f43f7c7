/* The queue of uops before the renamer, macro-fusion, and the microcode
 * sequencer, which decoders and uop cache have in common. */
#include "x86/timing/core/front/front.h"

static void fuse(struct core_flow *flow, struct core_flow *next)
{
	flow->fuses = true;
	for (unsigned i = 0; i < next->form->uop_count; i++)
		if (next->form->uop[i].ports)
			flow->branch_ports = next->form->uop[i].ports;
	next->fused = true;
	next->slots = next->slots_fused = 0;
	next->decoded_at = flow->decoded_at;
}

void core_deliver_end(struct x86_core *core, struct core_flow *flow, bool pair)
{
	struct core_flow *branch = flow;

	core->flow_decoded++;
	if (pair) {
		branch = core_flow(core, core->flow_decoded++);
		fuse(flow, branch);
	}
	if (core->source != SOURCE_DECODERS) {
		/* It has not been by the predecoder. */
		flow->predecoded_at = branch->predecoded_at =
			flow->decoded_at;
		core->flow_predecoded = core->flow_decoded;
	}
	/* Straight code soon is too long for a loop. */
	if (core->source != SOURCE_LOOP && core->body_long &&
	    branch->next > branch->address)
		return;
	core_loop_note(core, flow, branch);
}

static unsigned switch_cycles(const struct x86_core *core)
{
	return core->source == SOURCE_CACHE ?
		       core->figure.microcode_switch_cache :
		       core->figure.microcode_switch;
}

void core_microcode_begin(struct x86_core *core, struct core_flow *flow)
{
	unsigned first = flow->form->decoder_uops < flow->slots_fused ?
				 flow->form->decoder_uops : flow->slots_fused;

	if (!core_queue_fits(core, first))
		return;
	core_deliver(core, flow, first);
	core->microcode = true;
	core->decode_free = core->now + 1 + (switch_cycles(core) + 1) / 2;
}

void core_microcode(struct x86_core *core)
{
	struct core_flow *flow = core_flow(core, core->flow_decoded);
	unsigned left = flow->slots_fused - flow->delivered;
	unsigned slots = left < core->figure.microcode_width ?
				 left : core->figure.microcode_width;

	if (!core_queue_fits(core, slots))
		return;
	core_deliver(core, flow, slots);
	if (slots < left)
		return;
	core->microcode = false;
	core->decode_free = core->now + 1 + switch_cycles(core) / 2;
	core_deliver_end(core, flow, false);
}
