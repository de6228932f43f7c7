#include "base/optimize.h"

/* Instructions come into a core: one, or the records of several. */
#include "x86/timing/core/state.h"
#include "x86/timing/uops/divide.h"

/* Notes the references of memory operands: loads and stores apart, in their
 * order. Returns their numbers as core_flow.bits. A function of its own, as
 * most instructions have none. */
static __attribute__((noinline)) uint16_t
note_references(const struct x86_core *core, struct core_flow *flow,
		const struct x86_reference *reference, unsigned references)
{
	unsigned loads = 0, stores = 0;
	struct core_flow bits;

	for (unsigned i = 0; i < references; i++) {
		const struct x86_reference *r = &reference[i];
		uint64_t address = core->memory.place ?
				core->memory.place(core->memory.owner,
						   r->address) : r->address;
		uint32_t size = r->size * r->count;

		if (r->direction & (X86_LOAD | X86_HINT) && loads < 2)
			flow->load[loads++] = (struct core_access){
				address, r->address, size };
		if (r->direction & X86_STORE && stores < 2)
			flow->store[stores++] = (struct core_access){
				address, r->address, size };
	}
	bits.bits = 0;
	bits.load_count = loads & 3;
	bits.store_count = stores & 3;
	return bits.bits;
}

/* By how much its division is longer. */
static void divide(struct x86_core *core, struct core_flow *flow,
		   uint8_t division, uint8_t dividend)
{
	struct x86_division_time time =
		x86_division_time(flow->form, division, dividend);

	flow->division_latency = time.latency;
	flow->division_busy = time.busy;
	if (flow->form->divide_less_half) {
		flow->division_busy -= core->less;
		core->less = !core->less;
	}
}

uint64_t x86_core_push(struct x86_core *core,
		       const struct x86_core_input *input)
{
	struct core_flow *before = core_flow(core, core->flow_pushed - 1);
	struct core_flow *flow = core_flow(core, core->flow_pushed++);
	struct core_flow bits;

	if (!before->next)
		before->next = input->address;
	flow->inst = input->inst;
	flow->form = input->form;
	flow->address = input->address;
	flow->next = input->next;
	bits.bits = 0;
	bits.diverts = input->diverts;
	bits.decoded_only = input->decoded_only;
	bits.accessed = input->accessed;
	flow->course = core_course(input->form, input->fetch);
	if (input->references)
		bits.bits |= note_references(core, flow, input->reference,
					     input->references);
	flow->bits = bits.bits;
	flow->division_latency = flow->division_busy = 0;
	if (input->form->divide)
		divide(core, flow, input->division, input->dividend);
	flow->pushed = core_pushed(flow, input->fetch, bits.bits);
	return core->flow_pushed - 1;
}

unsigned x86_core_push_plain(struct x86_core *core,
			     struct x86_templates *templates,
			     const struct x86_ring *ring, uint64_t from,
			     unsigned most)
{
	uint64_t number = core->flow_pushed;
	struct core_flow *before = core_flow(core, number - 1);
	unsigned count;

	for (count = 0; count < most; count++) {
		const struct x86_record *record =
			&ring->record[(from + count) & ring->mask];
		const struct x86_inst *inst = record->inst;
		const struct x86_template *form;
		struct core_flow *flow;
		uint16_t bits = 0;

		if (inst->branch != X86_BRANCH_NONE)
			break;
		form = x86_template_of(templates, inst);
		flow = core_flow(core, number + count);
		flow->inst = inst;
		flow->form = form;
		flow->address = inst->address;
		flow->next = record->next;
		flow->course = core_course_on(form);
		if (record->references)
			bits = note_references(core, flow,
					       ring->reference + record->first,
					       record->references);
		flow->bits = bits;
		if (__builtin_expect(form->divide, 0)) {
			divide(core, flow, record->division, record->dividend);
			flow->pushed = core_pushed(flow, X86_CORE_FETCH_ON, bits);
			continue;
		}
		flow->division_latency = flow->division_busy = 0;
		flow->pushed = core_pushed_plain(inst, bits);
	}
	if (count && !before->next)
		before->next = core_flow(core, number)->address;
	core->flow_pushed = number + count;
	return count;
}
