/* ALU clauses as native code. */
#include "evergreen/emu/native/flow.h"

/* The masks of the predicate. Whole rows of them are of use only to AVX2 and
 * to the interpreter's functions. */
static void set_predicate(struct flow *f, bool wants_rows)
{
	int32_t mask = NATIVE_OFFSET(masks.lanes),
		row = NATIVE_OFFSET(mask_rows.expanded);
	size_t changed, same;

	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_active());
	general(f->code, GENERAL_LOAD, NATIVE_RDX,
		flow_field(NATIVE_OFFSET(masks.predicate)));
	general(f->code, GENERAL_AND, NATIVE_RDX, native_reg(NATIVE_RAX));
	general(f->code, GENERAL_XOR, NATIVE_RAX, native_reg(NATIVE_RDX));
	general(f->code, GENERAL_STORE, NATIVE_RAX,
		flow_field(mask + 8 * EVG_MASK_PREDICATE_0));
	general(f->code, GENERAL_STORE, NATIVE_RDX,
		flow_field(mask + 8 * EVG_MASK_PREDICATE_1));
	if (!wants_rows)
		return;
	general(f->code, GENERAL_COMPARE, NATIVE_RAX,
		flow_field(row + 8 * EVG_MASK_PREDICATE_0));
	changed = general_jump(f->code, NATIVE_NOT_EQUAL);
	general(f->code, GENERAL_COMPARE, NATIVE_RDX,
		flow_field(row + 8 * EVG_MASK_PREDICATE_1));
	same = general_jump(f->code, NATIVE_EQUAL);
	native_fill(f->code, changed, f->code->used);
	flow_call(f, (void (*)(void))evg_chain_set_predicate);
	native_fill(f->code, same, f->code->used);
}

static bool updates(const struct evg_segment *segment)
{
	return segment->update_predicate || segment->update_execute_mask;
}

static void begin_segment(struct flow *f, uint32_t part)
{
	const struct evg_clause_plan *alu = f->cf->alu;
	bool calls = false;

	if (!alu->uses_predicate)
		return;
	if (part && !updates(&alu->segments[part - 1]))
		return;
	for (uint32_t i = 0; i < alu->segment_count; i++)
		calls |= flow_has_calls(f, f->cf, &alu->segments[i]);
	set_predicate(f, calls || !f->code->evex);
}

/* The interpreter's functions may fault, and note traffic. */
static void call_segment(struct flow *f, const struct evg_segment *segment)
{
	const uint8_t *place = segment->native[f->lanes == EVG_LANES_ALL];
	bool calls = flow_has_calls(f, f->cf, segment);
	size_t skip;

	if (!segment->uop_count)
		return;
	if (f->region) {
		native_resident_segment(f->native, f->cf->alu, segment);
		return;
	}
	if (calls)
		general(f->code, GENERAL_STORE, NATIVE_R12,
			flow_field(NATIVE_OFFSET(count.instructions)));
	native_fill(f->code, general_call(f->code),
		    (size_t)(place - f->code->bytes));
	if (!calls)
		return;
	general_number(f->code, true, GENERAL_COMPARE_NUMBER,
		       flow_field(NATIVE_OFFSET(observers.traffic)), 0);
	skip = general_jump(f->code, NATIVE_EQUAL);
	flow_call(f, (void (*)(void))evg_chain_take_traffic);
	native_fill(f->code, skip, f->code->used);
	general_number(f->code, false, GENERAL_COMPARE_NUMBER,
		       flow_field(NATIVE_OFFSET(fault.kind)), 0);
	flow_fault_unless_equal(f, segment->first_group + 1);
}

/* What its last group does to masks, and on to the next part. */
static void end_segment(struct flow *f, uint32_t part)
{
	const struct evg_segment *segment = &f->cf->alu->segments[part];
	struct flow_target next = {f->address, part + 1, f->stack};
	bool is_active = segment->predicate_mask == EVG_MASK_ACTIVE;

	if (!updates(segment))
		return;
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		flow_field(NATIVE_OFFSET(masks.pending)));
	if (segment->update_predicate || !is_active)
		general(f->code, GENERAL_LOAD, NATIVE_RCX,
			flow_field(NATIVE_OFFSET(masks.lanes) +
				   8 * segment->predicate_mask));
	if (segment->update_predicate) {
		struct native_place predicate =
		    flow_field(NATIVE_OFFSET(masks.predicate));

		general(f->code, GENERAL_LOAD, NATIVE_RDX, predicate);
		general(f->code, GENERAL_XOR, NATIVE_RDX,
			native_reg(NATIVE_RAX));
		general(f->code, GENERAL_AND, NATIVE_RDX,
			native_reg(NATIVE_RCX));
		general(f->code, GENERAL_XOR_TO, NATIVE_RDX, predicate);
	}
	if (!segment->update_execute_mask)
		return;
	if (!is_active) { /* the others stay */
		general_not(f->code, NATIVE_RCX);
		general(f->code, GENERAL_OR, NATIVE_RAX,
			native_reg(NATIVE_RCX));
	}
	if (f->lanes != EVG_LANES_ALL)
		general(f->code, GENERAL_AND, NATIVE_RAX, flow_active());
	flow_activate(f, f->lanes, next, next);
}

void flow_clause_part(struct flow *f, uint32_t part)
{
	const struct evg_clause_plan *alu = f->cf->alu;
	const struct evg_segment *segment = &alu->segments[part];

	if (!part)
		flow_begin_clause(f);
	if (part == alu->segment_count) {
		flow_end_clause(f);
		return;
	}
	if (f->lanes != EVG_LANES_NONE)
		begin_segment(f, part);
	flow_count(f, segment->counter, segment->instruction_count);
	if (f->lanes == EVG_LANES_NONE)
		return;
	call_segment(f, segment);
	end_segment(f, part);
}
