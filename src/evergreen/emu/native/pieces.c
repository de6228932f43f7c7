/* Pieces of control flow: places, counts, calls and faults. */
#include "evergreen/emu/count/count.h"
#include "evergreen/emu/native/flow.h"

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

bool flow_has_calls(const struct flow *f, const struct evg_cf_plan *cf,
		    const struct evg_segment *segment)
{
	const struct evg_uop *uop = cf->alu->uops + segment->first_uop;

	for (uint32_t i = 0; i < segment->uop_count; i++)
		if (!native_has(f->native, &uop[i]))
			return true;
	return false;
}
