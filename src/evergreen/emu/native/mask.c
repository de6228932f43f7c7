/* Jumps, and the active mask. */
#include "evergreen/emu/native/region.h"

uint32_t flow_label(const struct flow *f, uint32_t address, uint32_t part,
		    enum evg_lanes lanes)
{
	unsigned kind = lanes;

	if (f->region && region_at(f, address) == f->region)
		kind = lanes == EVG_LANES_NONE ? NATIVE_RESIDENT_NONE
					       : NATIVE_RESIDENT_SOME;
	return native_label(&f->labels, address, part, kind);
}

/* Whether the label is in the region in progress. */
static bool stays(const struct flow *f, uint32_t label)
{
	unsigned kind = label % NATIVE_KINDS;

	return label < f->labels.count && (kind == NATIVE_RESIDENT_SOME ||
					   kind == NATIVE_RESIDENT_NONE);
}

void flow_jump(struct flow *f, enum native_condition condition, uint32_t label)
{
	if (f->region && !stays(f, label))
		region_leave(f, condition, label);
	else
		native_jump(&f->labels, condition, label);
}

void flow_go(struct flow *f, enum native_condition condition,
	     struct flow_target target, enum evg_lanes lanes)
{
	const struct evg_chain_exit exit = {
	    .stack = target.stack,
	    .pc = target.address,
	    .empty = lanes == EVG_LANES_NONE,
	};

	if (target.part || (f->parts[target.address] &&
			    f->stacks[target.address] == target.stack))
		flow_jump(f, condition,
			  flow_label(f, target.address, target.part, lanes));
	else
		flow_jump(f, condition, native_exit_label(&f->labels, &exit));
}

/* --- Active masks --------------------------------------------------------- */

void flow_begin(struct flow *f)
{
	f->activate = f->code->used;
	/* mov rsi, rax; sub rsp, 8 */
	NATIVE_BYTES(f->code, 0x48, 0x89, 0xc6, 0x48, 0x83, 0xec, 0x08);
	flow_call_counting(f, (void (*)(void))evg_chain_set_active);
	/* add rsp, 8; test al, al; ret */
	NATIVE_BYTES(f->code, 0x48, 0x83, 0xc4, 0x08, 0x84, 0xc0, 0xc3);
}

static void compare_all(struct flow *f)
{
	general_number(f->code, true, GENERAL_COMPARE_NUMBER,
		       native_reg(NATIVE_RAX), -1);
}

void flow_compare_none(struct flow *f)
{
	general(f->code, GENERAL_TEST, NATIVE_RAX, native_reg(NATIVE_RAX));
}

/* The region is left unless its rows can stay in registers under the new
 * mask. */
static void activate_in_region(struct flow *f, struct flow_target target)
{
	native_fill(f->code, general_call(f->code), f->region->activate);
	flow_go(f, NATIVE_NOT_EQUAL, target, EVG_LANES_SOME);
	native_fill(f->code, general_call(f->code), f->region->leave);
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		flow_field(NATIVE_OFFSET(native.wanted)));
}

/* rax, which is neither 0 nor the last mask, becomes the active mask. */
static void activate_other(struct flow *f, struct flow_target target)
{
	const struct native_region *region = f->region;

	if (region)
		activate_in_region(f, target);
	f->region = NULL;
	native_fill(f->code, general_call(f->code), f->activate);
	flow_go(f, NATIVE_NOT_EQUAL, target, EVG_LANES_ALL);
	flow_go(f, NATIVE_ALWAYS, target, EVG_LANES_SOME);
	f->region = region;
}

void flow_activate(struct flow *f, enum evg_lanes lanes,
		   struct flow_target target, struct flow_target empty)
{
	size_t other;

	if (lanes == EVG_LANES_ALL) {
		compare_all(f);
		flow_go(f, NATIVE_EQUAL, target, EVG_LANES_ALL);
		flow_compare_none(f);
		flow_go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
		activate_other(f, target);
		return;
	}
	if (lanes == EVG_LANES_SOME) {
		general(f->code, GENERAL_COMPARE, NATIVE_RAX, flow_active());
		flow_go(f, NATIVE_EQUAL, target, EVG_LANES_SOME);
		flow_compare_none(f);
		flow_go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
		activate_other(f, target);
		return;
	}
	flow_compare_none(f);
	flow_go(f, NATIVE_EQUAL, empty, EVG_LANES_NONE);
	general(f->code, GENERAL_COMPARE, NATIVE_RAX, flow_active());
	other = general_jump(f->code, NATIVE_NOT_EQUAL);
	if (f->region) { /* flags say equal */
		flow_go(f, NATIVE_EQUAL, target, EVG_LANES_SOME);
	} else {
		compare_all(f);
		flow_go(f, NATIVE_EQUAL, target, EVG_LANES_ALL);
		flow_go(f, NATIVE_NOT_EQUAL, target, EVG_LANES_SOME);
	}
	native_fill(f->code, other, f->code->used);
	activate_other(f, target);
}

void flow_pop(struct flow *f, enum evg_lanes lanes,
	      const struct evg_stack *stack, unsigned number, uint32_t address)
{
	struct flow_target target = {address, 0, native_pop(stack, number)};

	if (!number) {
		flow_go(f, NATIVE_ALWAYS, target, lanes);
		return;
	}
	flow_load_stack(f);
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		flow_frame_mask(native_pop(stack, number - 1)));
	flow_activate(f, lanes, target, target);
}

void flow_store_active(struct flow *f, struct native_place place)
{
	if (f->lanes != EVG_LANES_SOME) {
		general_store_number(f->code, true, place,
				     f->lanes == EVG_LANES_ALL ? -1 : 0);
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX, flow_active());
	general(f->code, GENERAL_STORE, NATIVE_RAX, place);
}
