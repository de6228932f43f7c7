/* Pieces of control flow: jumps, counts, and above all the active mask. */
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/native/region.h"

enum {
	/* What an execution adds to the upper dword of its counter. */
	ONE_EXECUTION = 1 << (EVG_COUNT_SHIFT - 32),
};

struct native_place flow_field(int32_t offset)
{
	return native_memory(NATIVE_WAVEFRONT, offset);
}

struct native_place flow_active(void)
{
	return flow_field(NATIVE_OFFSET(masks.lanes));
}

/* A member of the topmost frame of a stack. */
static struct native_place frame_field(const struct evg_stack *stack,
				       size_t offset)
{
	return native_memory(
	    NATIVE_STACK,
	    (int32_t)((stack->depth - 1) * sizeof(struct evg_frame) + offset));
}

struct native_place flow_frame_mask(const struct evg_stack *stack)
{
	return frame_field(stack, offsetof(struct evg_frame, mask));
}

struct native_place flow_continued(const struct evg_stack *loop)
{
	return frame_field(loop, offsetof(struct evg_frame, continued));
}

struct flow_target flow_after(const struct flow *f,
			      const struct evg_stack *stack)
{
	return (struct flow_target){f->cf->next, 0, stack};
}

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

void flow_fault_unless_equal(struct flow *f, uint32_t position)
{
	const struct evg_chain_exit exit = {
	    .stack = f->stack,
	    .pc = f->address,
	    .position = position,
	    .fault = true,
	};

	native_jump(&f->labels, NATIVE_NOT_EQUAL,
		    native_exit_label(&f->labels, &exit));
}

void flow_count(struct flow *f, uint32_t counter, uint32_t instructions)
{
	struct native_place place =
	    native_memory(NATIVE_COUNTS, (int32_t)(8 * counter));

	if (f->lanes == EVG_LANES_NONE) {
		place.displacement += 4;
		general_number(f->code, false, GENERAL_ADD_NUMBER, place,
			       ONE_EXECUTION);
		general_load_number(f->code, NATIVE_RAX,
				    (uint64_t)instructions << 32);
		general(f->code, GENERAL_ADD_TO, NATIVE_RAX,
			native_reg(NATIVE_COUNTED));
		return;
	}
	general(f->code, GENERAL_LOAD, NATIVE_RAX,
		flow_field(NATIVE_OFFSET(count.one)));
	general(f->code, GENERAL_ADD_TO, NATIVE_RAX, place);
	general_number(f->code, true, GENERAL_ADD_NUMBER,
		       native_reg(NATIVE_COUNTED), (int32_t)instructions);
}

void flow_call(struct flow *f, void (*function)(void))
{
	/* vzeroupper; mov rdi, rbx */
	NATIVE_BYTES(f->code, 0xc5, 0xf8, 0x77, 0x48, 0x89, 0xdf);
	general_call_function(f->code, function);
}

void flow_call_counting(struct flow *f, void (*function)(void))
{
	struct native_place counted = flow_field(NATIVE_OFFSET(count.noted));

	general(f->code, GENERAL_STORE, NATIVE_COUNTED, counted);
	flow_call(f, function);
	general(f->code, GENERAL_LOAD, NATIVE_COUNTED, counted);
}

void flow_load_stack(struct flow *f)
{
	general(f->code, GENERAL_LOAD, NATIVE_STACK,
		flow_field(NATIVE_OFFSET(stack.frames)));
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

/* rax, which is neither 0 nor the last mask, becomes the active mask. */
static void activate_other(struct flow *f, struct flow_target target)
{
	const struct native_region *region = f->region;

	if (region)
		region_activate(f, target);
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
