#include "base/optimize.h"

/* Which store a load gets its register from. Two operands name the same memory if
 * they have the same registers, scale, segment, size and displacement, and the
 * registers have not been written in between; what PUSH, POP, CALL and RET do to
 * rsp is added to the displacement. */
#include "x86/timing/core/loadstore/renaming.h"

/* The form of an operand, and its displacement; 0: it cannot be renamed. */
static uint64_t form_of(const struct x86_core *core,
			const struct core_flow *flow,
			const struct x86_uop *what, int64_t *displacement)
{
	const struct x86_memory *m = &flow->inst->memory[what->memory];
	const struct x86_template *form = flow->form;

	if (what->memory >= flow->inst->memory_count || m->base >= CORE_GENERAL ||
	    (m->size != 4 && m->size != 8) || m->vector || m->conditional ||
	    m->bits || form->locked || form->masked || form->past ||
	    form->hint || form->microcode_uops)
		return 0;
	*displacement = m->displacement - (m->pushed ? (int64_t)m->size : 0);
	if (m->base == X86_RSP)
		*displacement += core->names.stack_depth;
	if (*displacement % m->size)
		return 0;
	return UINT64_C(1) << 63 | m->base | (uint64_t)m->index << 8 |
	       (uint64_t)m->scale << 16 | (uint64_t)m->segment << 24 |
	       (uint64_t)m->size << 32 | (uint64_t)m->address_size << 40;
}

/* Whether a store takes a general register: its own, or one that the instruction
 * has made of what it has loaded. */
static bool is_general(const struct core_flow *flow, const struct x86_uop *what)
{
	if (!what->source_count)
		return true;
	return what->source_count == 1 &&
	       (what->source[0] < CORE_GENERAL ||
		(what->source[0] >= X86_PLACE_INTERNAL && flow->load_count));
}

void core_renaming_store(struct x86_core *core, const struct core_flow *flow,
			 const struct x86_uop *what, struct core_store *store,
			 struct core_value data)
{
	if (what->kind == X86_UOP_STORE_ADDRESS) {
		store->form = store->address_uop == NO_SEQUENCE
				      ? form_of(core, flow, what,
						&store->displacement)
				      : 0;
		return;
	}
	store->general = store->data_uop == NO_SEQUENCE &&
			 is_general(flow, what);
	store->data = data;
}

uint64_t core_renaming_find(struct x86_core *core, const struct core_flow *flow,
			    const struct x86_uop *what)
{
	const struct core_names *names = &core->names;
	uint64_t first = core->store_head, end = core->store_tail, form;
	int64_t displacement;

	if (what->load != X86_LOAD_GENERAL)
		return 0;
	form = form_of(core, flow, what, &displacement);
	if (!form)
		return 0;
	if (names->written[form & 0xff] > first)
		first = names->written[form & 0xff];
	if ((form >> 8 & 0xff) < CORE_GENERAL &&
	    names->written[form >> 8 & 0xff] > first)
		first = names->written[form >> 8 & 0xff];
	for (unsigned i = 0; i < 2 && flow->stores; i++)
		if (flow->store_number[i] && flow->store_number[i] - 1 < end)
			end = flow->store_number[i] - 1;
	while (end-- > first) {
		const struct core_store *store = core_store(core, end);

		if (store->form == form && store->displacement == displacement)
			return store->general ? end + 1 : 0;
	}
	return 0;
}
