/* Calls: LLVM's intrinsics that the device has operations for. */
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/call/call.h"
#include "opencl-rt/codegen/double/double.h"
#include "opencl-rt/codegen/image/image.h"

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
	{ "llvm.sqrt.", EVG_ALU_SQRT_IEEE, 1 },
	{ "llvm.exp2.", EVG_ALU_EXP_IEEE, 1 },
	{ "llvm.log2.", EVG_ALU_LOG_IEEE, 1 },
	{ "llvm.r600.recipsqrt.clamped.", EVG_ALU_RECIPSQRT_CLAMPED, 1 },
	{ "llvm.r600.recipsqrt.ieee.", EVG_ALU_RECIPSQRT_IEEE, 1 },
	{ "llvm.amdgcn.rcp.", EVG_ALU_RECIP_IEEE, 1 },
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

/* Those of integers that are a comparison and a choice where the operation on
 * dwords will not do. */
static const struct {
	const char *name;
	LLVMIntPredicate predicate; /* for the first operand */
} choices[] = {
	{ "llvm.smin.", LLVMIntSLT },
	{ "llvm.smax.", LLVMIntSGT },
	{ "llvm.umin.", LLVMIntULT },
	{ "llvm.umax.", LLVMIntUGT },
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool select_selection(struct selection *selection, LLVMValueRef call,
			     const char *name)
{
	unsigned width = select_width(LLVMTypeOf(call));
	struct parts a, b, result = { .count = select_count(LLVMTypeOf(call)) };
	size_t i = 0;

	while (i < ARRAY_SIZE(choices) && !begins(name, choices[i].name))
		i++;
	if (i == ARRAY_SIZE(choices) || width == SELECT_DWORD)
		return false;
	a = select_parts(selection, LLVMGetOperand(call, 0));
	b = select_parts(selection, LLVMGetOperand(call, 1));
	for (unsigned k = 0; k < select_elements(LLVMTypeOf(call)); k++) {
		struct scalar left = select_scalar(&a, width, k);
		struct scalar right = select_scalar(&b, width, k);

		select_set_scalar(
			&result, width, k,
			select_choose(selection,
				      select_compare(selection,
						     choices[i].predicate,
						     width, left, right),
				      left, right));
	}
	select_define(selection, call, &result);
	return true;
}

/* Copies with the sign of the second operand. */
static void select_sign(struct selection *selection, LLVMValueRef call)
{
	struct parts a = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(call, 1));

	for (unsigned k = 0; k < a.count; k++)
		a.part[k] = select_op3(selection, EVG_ALU_BFI_INT,
				       select_number(0x7fffffff), a.part[k],
				       b.part[k]);
	select_define(selection, call, &a);
}

/* Whether a call's operation has another width than the table's. */
static bool is_table_width(LLVMValueRef call)
{
	return select_width(LLVMTypeOf(call)) == SELECT_DWORD;
}

static bool select_operation(struct selection *selection, LLVMValueRef call,
			     const char *name)
{
	struct parts operands[3] = { 0 }, result = { 0 };
	size_t i = 0;

	while (i < ARRAY_SIZE(operations) && !begins(name, operations[i].name))
		i++;
	if (i == ARRAY_SIZE(operations) || !is_table_width(call))
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

/* Of integers: the number or its opposite. */
static void select_magnitude(struct selection *selection, LLVMValueRef call)
{
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));
	unsigned width = select_width(LLVMTypeOf(call));

	for (unsigned k = 0; k < select_elements(LLVMTypeOf(call)); k++) {
		const struct scalar zero = { select_number(0),
					     select_number(0) };
		struct scalar number = select_scalar(&parts, width, k);
		struct scalar opposite = select_integer(
			selection, LLVMSub, width, zero, number);

		number = select_choose(selection,
				       select_compare(selection, LLVMIntSLT,
						      width, number, zero),
				       opposite, number);
		select_set_scalar(&parts, width, k, number);
	}
	select_define(selection, call, &parts);
}

/* Zeros before the first one; as many as there are bits where there is none. */
static void select_zeros(struct selection *selection, LLVMValueRef call)
{
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));
	unsigned width = select_width(LLVMTypeOf(call));

	for (unsigned k = 0; k < select_elements(LLVMTypeOf(call)); k++) {
		struct scalar a = select_extend(
			selection, width, select_scalar(&parts, width, k),
			false);
		struct machine_source count;

		count = select_op1(selection, EVG_ALU_FFBH_UINT, a.low);
		count = select_either(selection, a.low, count,
				      select_number(SELECT_DWORD));
		if (width > SELECT_DWORD)
			count = select_either(
				selection, a.high,
				select_op1(selection, EVG_ALU_FFBH_UINT,
					   a.high),
				select_op2(selection, EVG_ALU_ADD_INT, count,
					   select_number(SELECT_DWORD)));
		count = select_op2(
			selection, EVG_ALU_SUB_INT, count,
			select_number((SELECT_DWORD - width % SELECT_DWORD) %
				      SELECT_DWORD));
		select_set_scalar(&parts, width, k,
				  (struct scalar){ count, select_number(0) });
	}
	select_define(selection, call, &parts);
}

/* Sums and differences that stay at the end of the range. */
static struct scalar saturate(struct selection *selection, unsigned width,
			      bool adds, bool is_signed, struct scalar a,
			      struct scalar b)
{
	const struct scalar zero = { select_number(0), select_number(0) };
	LLVMOpcode opcode = adds ? LLVMAdd : LLVMSub;
	struct scalar sum = select_integer(selection, opcode, width, a, b);
	struct scalar end, differs, other;
	struct machine_source over;

	if (!is_signed) {
		over = adds ? select_compare(selection, LLVMIntULT, width, sum,
					     a)
			    : select_compare(selection, LLVMIntULT, width, a,
					     b);
		end.low = end.high = select_number(adds ? 0xffffffff : 0);
		return select_choose(selection, over, end, sum);
	}
	/* The sign is not that of the first, and the second's sign says that
	 * it should be. */
	differs = select_integer(selection, LLVMXor, width, sum, a);
	other = select_integer(selection, LLVMXor, width, a, b);
	if (adds) {
		const struct scalar ones = { select_number(0xffffffff),
					     select_number(0xffffffff) };

		other = select_integer(selection, LLVMXor, width, other, ones);
	}
	differs = select_integer(selection, LLVMAnd, width, differs, other);
	over = select_compare(selection, LLVMIntSLT, width, differs, zero);
	end = select_extend(selection, width, a, true);
	end.high = select_op2(selection, EVG_ALU_ASHR_INT,
			      width > SELECT_DWORD ? a.high : end.low,
			      select_number(31));
	end.low = select_op2(selection, EVG_ALU_XOR_INT, end.high,
			     select_number(width > SELECT_DWORD
						   ? 0xffffffff
						   : (1u << (width - 1)) - 1));
	end.high = select_op2(selection, EVG_ALU_XOR_INT, end.high,
			      select_number(0x7fffffff));
	return select_choose(selection, over, end, sum);
}

static bool select_saturated(struct selection *selection, LLVMValueRef call,
			     const char *name)
{
	static const struct {
		const char *name;
		bool adds, is_signed;
	} forms[] = {
		{ "llvm.sadd.sat.", true, true },
		{ "llvm.uadd.sat.", true, false },
		{ "llvm.ssub.sat.", false, true },
		{ "llvm.usub.sat.", false, false },
	};
	unsigned width = select_width(LLVMTypeOf(call));
	struct parts a, b;
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) && !begins(name, forms[i].name))
		i++;
	if (i == ARRAY_SIZE(forms))
		return false;
	a = select_parts(selection, LLVMGetOperand(call, 0));
	b = select_parts(selection, LLVMGetOperand(call, 1));
	for (unsigned k = 0; k < select_elements(LLVMTypeOf(call)); k++)
		select_set_scalar(
			&a, width, k,
			saturate(selection, width, forms[i].adds,
				 forms[i].is_signed,
				 select_scalar(&a, width, k),
				 select_scalar(&b, width, k)));
	select_define(selection, call, &a);
	return true;
}

/* a << count | b >> 64 - count; b's shift by 64 is one by 1 and 63. */
static void select_wide_funnel(struct selection *selection, LLVMValueRef call,
			       bool left)
{
	struct parts a = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(call, 1));
	struct parts count = select_parts(selection, LLVMGetOperand(call, 2));
	const struct machine_source most = select_number(63);

	for (unsigned k = 0; k < a.count / 2; k++) {
		struct machine_source by =
			select_op2(selection, EVG_ALU_AND_INT,
				   count.part[2 * k], most);
		struct machine_source rest = select_op2(
			selection, EVG_ALU_SUB_INT, most, by);
		struct scalar up = select_scalar(&a, 64, k);
		struct scalar down = select_scalar(&b, 64, k);

		up = wide_shift(selection, LLVMShl, up,
				left ? by : select_number(1));
		down = wide_shift(selection, LLVMLShr, down,
				  left ? select_number(1) : by);
		if (left)
			down = wide_shift(selection, LLVMLShr, down, rest);
		else
			up = wide_shift(selection, LLVMShl, up, rest);
		select_set_scalar(&a, 64, k,
				  wide_operation(selection, LLVMOr, up, down));
	}
	select_define(selection, call, &a);
}

/* The upper dword of both, shifted: the bits of a rotation. */
static bool select_funnel(struct selection *selection, LLVMValueRef call,
			  bool left)
{
	struct parts a = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(call, 1));
	struct parts count = select_parts(selection, LLVMGetOperand(call, 2));
	unsigned width = select_width(LLVMTypeOf(call));

	if (width == 2 * SELECT_DWORD) {
		select_wide_funnel(selection, call, left);
		return true;
	}
	if (width > SELECT_DWORD || (width & (width - 1)))
		return false;
	for (unsigned k = 0; k < a.count; k++) {
		struct scalar both = { select_number(0), a.part[k] };
		struct machine_source by = select_op2(
			selection, EVG_ALU_AND_INT, count.part[k],
			select_number(width - 1));
		struct machine_source up =
			select_number(SELECT_DWORD - width);

		/* Narrow ones lie on both sides of the middle. */
		both.low = select_op2(selection, EVG_ALU_LSHL_INT, b.part[k],
				      up);
		both = wide_shift(selection, left ? LLVMShl : LLVMLShr, both,
				  by);
		a.part[k] = left ? both.high
				 : select_op2(selection, EVG_ALU_LSHR_INT,
					      both.low, up);
	}
	select_define(selection, call, &a);
	return true;
}

void select_call(struct selection *selection, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name =
		LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";

	if (begins(name, "llvm.dbg.") || begins(name, "llvm.lifetime.") ||
	    begins(name, "llvm.assume") ||
	    begins(name, "llvm.experimental.noalias.scope.decl"))
		return;
	for (int k = 0; k < LLVMGetNumOperands(call); k++)
		if (select_is_long(LLVMTypeOf(
			    LLVMGetOperand(call, (unsigned)k))))
			select_refuse(selection, call,
				      "a call of %s", name);
	if (select_refused(selection))
		return;
	if (double_call(selection, call, name) ||
	    call_bits(selection, call, name) ||
	    call_overflow(selection, call, name) ||
	    call_reduce(selection, call, name) ||
	    call_turns(selection, call, name) ||
	    call_round(selection, call, name) ||
	    image_call(selection, call, name))
		return;
	if (!strcmp(name, "llvm.r600.group.barrier"))
		machine_add(&selection->machine, MACHINE_ALU)->op =
			EVG_ALU_GROUP_BARRIER;
	else if (!strcmp(name, "llvm.r600.implicitarg.ptr"))
		/* An address in constant buffer 0 that is known. */
		select_define_one(selection, call,
				  select_number(selection->kernel
							->tail_offset));
	else if (begins(name, "llvm.fabs.") && is_table_width(call))
		select_absolute(selection, call);
	else if (begins(name, "llvm.abs."))
		select_magnitude(selection, call);
	else if (begins(name, "llvm.ctlz."))
		select_zeros(selection, call);
	else if (begins(name, "llvm.copysign.f32") ||
		 (begins(name, "llvm.copysign.v") && is_table_width(call)))
		select_sign(selection, call);
	else if (!strcmp(name, "__m2s_fence"))
		select_fence(selection);
	else if ((begins(name, "llvm.fshl.") &&
		  select_funnel(selection, call, true)) ||
		 (begins(name, "llvm.fshr.") &&
		  select_funnel(selection, call, false)))
		return;
	else if (!select_operation(selection, call, name) &&
		 !select_selection(selection, call, name) &&
		 !select_saturated(selection, call, name) &&
		 !select_place(selection, call, name))
		select_refuse(selection, call, "a call of %s",
			      *name ? name : "what is no function");
}
