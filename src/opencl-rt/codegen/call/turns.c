#include <string.h>

#include "opencl-rt/codegen/call/call.h"

/* 1 / 2 pi */
enum { TURNS = 0x3e22f983 };

/* The device takes turns from -1/2 to 1/2. */
bool call_turns(struct selection *selection, LLVMValueRef call,
		const char *name)
{
	bool is_sine = !strncmp(name, "llvm.sin.", 9);
	struct parts parts;

	if ((!is_sine && strncmp(name, "llvm.cos.", 9)) ||
	    !select_is_float(LLVMTypeOf(call)))
		return false;
	parts = select_parts(selection, LLVMGetOperand(call, 0));
	for (unsigned k = 0; k < parts.count; k++) {
		struct machine_source half = select_number(0x3f000000), turns;

		turns = select_op3(selection, EVG_ALU_MULADD_IEEE,
				   parts.part[k], select_number(TURNS), half);
		turns = select_op1(selection, EVG_ALU_FRACT, turns);
		half.negate = true;
		turns = select_op2(selection, EVG_ALU_ADD, turns, half);
		parts.part[k] = select_op1(
			selection, is_sine ? EVG_ALU_SIN : EVG_ALU_COS, turns);
	}
	select_define(selection, call, &parts);
	return true;
}
