/* Calls: LLVM's intrinsics that the device has operations for. */
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"

/* Bytes of constant buffer 0. */
enum { GROUPS = 0, GLOBAL_SIZE = 12, LOCAL_SIZE = 24 };

/* Those that are one operation on each element. */
static const struct {
	const char *name; /* without the type behind it */
	enum evg_alu_op op;
	unsigned operands;
} operations[] = {
	{ "llvm.fmuladd.", EVG_ALU_MULADD_IEEE, 3 },
	{ "llvm.fma.", EVG_ALU_FMA, 3 },
	{ "llvm.minnum.", EVG_ALU_MIN_DX10, 2 },
	{ "llvm.maxnum.", EVG_ALU_MAX_DX10, 2 },
	{ "llvm.floor.", EVG_ALU_FLOOR, 1 },
	{ "llvm.ceil.", EVG_ALU_CEIL, 1 },
	{ "llvm.trunc.", EVG_ALU_TRUNC, 1 },
	{ "llvm.rint.", EVG_ALU_RNDNE, 1 },
	{ "llvm.smin.", EVG_ALU_MIN_INT, 2 },
	{ "llvm.smax.", EVG_ALU_MAX_INT, 2 },
	{ "llvm.umin.", EVG_ALU_MIN_UINT, 2 },
	{ "llvm.umax.", EVG_ALU_MAX_UINT, 2 },
	{ "llvm.ctpop.", EVG_ALU_BCNT_INT, 1 },
	{ "llvm.bitreverse.", EVG_ALU_BFREV_INT, 1 },
};

/* Dwords of constant buffer 0, and ids: the name ends in x, y or z. */
static const struct {
	const char *name;
	int byte;         /* below 0: ids[-1 - byte] */
} places[] = {
	{ "llvm.r600.read.ngroups.", GROUPS },
	{ "llvm.r600.read.global.size.", GLOBAL_SIZE },
	{ "llvm.r600.read.local.size.", LOCAL_SIZE },
	{ "llvm.r600.read.tidig.", -1 },
	{ "llvm.r600.read.tgid.", -2 },
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool select_operation(struct selection *selection, LLVMValueRef call,
			     const char *name)
{
	struct parts operands[3] = { 0 }, result = { 0 };
	size_t i = 0;

	while (i < ARRAY_SIZE(operations) && !begins(name, operations[i].name))
		i++;
	if (i == ARRAY_SIZE(operations))
		return false;
	for (unsigned k = 0; k < operations[i].operands; k++)
		operands[k] = select_parts(selection, LLVMGetOperand(call, k));
	result.count = operands[0].count;
	for (unsigned n = 0; n < result.count; n++) {
		struct machine_source sources[3];

		for (unsigned k = 0; k < operations[i].operands; k++)
			sources[k] = operands[k].part[n];
		result.part[n] = select_op(selection, operations[i].op,
					   operations[i].operands, sources);
	}
	select_define(selection, call, &result);
	return true;
}

static bool select_place(struct selection *selection, LLVMValueRef call,
			 const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		unsigned dimension;

		if (!begins(name, places[i].name))
			continue;
		dimension = (unsigned)(name[strlen(places[i].name)] - 'x');
		select_define_one(
			selection, call,
			places[i].byte < 0
				? select_register(
					  selection->ids[-1 - places[i].byte]
							[dimension])
				: select_constant(selection,
						  (uint32_t)places[i].byte +
							  4 * dimension));
		return true;
	}
	return false;
}

static void select_absolute(struct selection *selection, LLVMValueRef call)
{
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));

	for (unsigned k = 0; k < parts.count; k++) {
		parts.part[k].absolute = true;
		parts.part[k].negate = false;
		parts.part[k] = select_op1(selection, EVG_ALU_MOV,
					   parts.part[k]);
	}
	select_define(selection, call, &parts);
}

/* Of integers: the larger of a number and its opposite. */
static void select_magnitude(struct selection *selection, LLVMValueRef call)
{
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));

	for (unsigned k = 0; k < parts.count; k++) {
		struct machine_source opposite =
			select_op2(selection, EVG_ALU_SUB_INT,
				   select_number(0), parts.part[k]);

		parts.part[k] = select_op2(selection, EVG_ALU_MAX_INT,
					   parts.part[k], opposite);
	}
	select_define(selection, call, &parts);
}

void select_call(struct selection *selection, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name =
		LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";

	if (begins(name, "llvm.dbg.") || begins(name, "llvm.lifetime.") ||
	    begins(name, "llvm.assume"))
		return;
	if (!strcmp(name, "llvm.r600.group.barrier"))
		machine_add(&selection->machine, MACHINE_ALU)->op =
			EVG_ALU_GROUP_BARRIER;
	else if (!strcmp(name, "llvm.r600.implicitarg.ptr"))
		/* An address in constant buffer 0 that is known. */
		select_define_one(selection, call,
				  select_number(selection->kernel
							->tail_offset));
	else if (begins(name, "llvm.fabs."))
		select_absolute(selection, call);
	else if (begins(name, "llvm.abs."))
		select_magnitude(selection, call);
	else if (!select_operation(selection, call, name) &&
		 !select_place(selection, call, name))
		select_refuse(selection, call, "a call of %s",
			      *name ? name : "what is no function");
}
