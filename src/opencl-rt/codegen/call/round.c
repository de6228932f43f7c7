/* Rounding to the nearest whole number, halves away from zero: the device has
 * none, but the part behind the point is exact. */
#include <string.h>

#include "opencl-rt/codegen/call/call.h"

static const uint32_t half = 0x3f000000; /* 0.5f */

static struct machine_source round_one(struct selection *selection,
				       struct machine_source source)
{
	struct machine_source size, whole, rest, step, sum;

	size = select_op2(selection, EVG_ALU_AND_INT, source,
			  select_number(0x7fffffff));
	whole = select_op1(selection, EVG_ALU_TRUNC, size);
	rest = whole;
	rest.negate = true;
	rest = select_op2(selection, EVG_ALU_ADD, size, rest);
	step = select_op2(selection, EVG_ALU_SETGE, rest,
			  select_number(half));
	sum = select_op2(selection, EVG_ALU_ADD, whole, step);
	return select_op3(selection, EVG_ALU_BFI_INT,
			  select_number(0x7fffffff), sum, source);
}

bool call_round(struct selection *selection, LLVMValueRef call,
		const char *name)
{
	struct parts parts;

	if (strncmp(name, "llvm.round.", 11) ||
	    select_width(LLVMTypeOf(call)) != SELECT_DWORD)
		return false;
	parts = select_parts(selection, LLVMGetOperand(call, 0));
	for (unsigned k = 0; k < parts.count; k++) {
		struct machine_source source =
			select_in_register(selection, parts.part[k]);

		parts.part[k] = round_one(selection, source);
	}
	select_define(selection, call, &parts);
	return true;
}
