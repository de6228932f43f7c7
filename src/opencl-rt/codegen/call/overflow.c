#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/call/call.h"

static struct scalar zero_of(void)
{
	return (struct scalar){ select_number(0), select_number(0) };
}

/* Whether a sum or difference of whole dwords left the range. Signed: its sign
 * is not that of the first operand, and the second's sign says that it should
 * be. */
static struct machine_source is_over(struct selection *selection,
				     unsigned width, bool adds, bool is_signed,
				     struct scalar a, struct scalar b,
				     struct scalar result)
{
	struct scalar differs, other;

	if (!is_signed)
		return adds ? select_compare(selection, LLVMIntULT, width,
					     result, a)
			    : select_compare(selection, LLVMIntULT, width, a,
					     b);
	differs = select_integer(selection, LLVMXor, width, result, a);
	other = select_integer(selection, LLVMXor, width, adds ? result : a, b);
	return select_compare(selection, LLVMIntSLT, width,
			      select_integer(selection, LLVMAnd, width, differs,
					     other),
			      zero_of());
}

/* Whether the upper dword of a product says more than the lower one. */
static struct machine_source is_long(struct selection *selection,
				     bool is_signed, struct machine_source a,
				     struct machine_source b,
				     struct machine_source low)
{
	struct machine_source high = select_op2(
		selection, is_signed ? EVG_ALU_MULHI_INT : EVG_ALU_MULHI_UINT,
		a, b);
	struct machine_source wanted =
		is_signed ? select_op2(selection, EVG_ALU_ASHR_INT, low,
				       select_number(31))
			  : select_number(0);

	return select_op2(selection, EVG_ALU_SETNE_INT, high, wanted);
}

/* Of a narrow number: the whole result does not fit. */
static struct machine_source is_wider(struct selection *selection,
				      unsigned width, bool is_signed,
				      struct scalar result)
{
	struct scalar fits = select_extend(selection, width, result, is_signed);

	return select_op2(selection, EVG_ALU_SETNE_INT, fits.low, result.low);
}

static const struct form {
	const char *name;
	LLVMOpcode opcode;
	bool is_signed;
} forms[] = {
	{ "llvm.sadd.with.overflow.", LLVMAdd, true },
	{ "llvm.uadd.with.overflow.", LLVMAdd, false },
	{ "llvm.ssub.with.overflow.", LLVMSub, true },
	{ "llvm.usub.with.overflow.", LLVMSub, false },
	{ "llvm.smul.with.overflow.", LLVMMul, true },
	{ "llvm.umul.with.overflow.", LLVMMul, false },
};

static void select_form(struct selection *selection, LLVMValueRef call,
			const struct form *form, unsigned width)
{
	unsigned whole = width < SELECT_DWORD ? SELECT_DWORD : width;
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts others = select_parts(selection, LLVMGetOperand(call, 1));
	struct scalar a = select_extend(selection, width,
					select_scalar(&parts, width, 0),
					form->is_signed);
	struct scalar b = select_extend(selection, width,
					select_scalar(&others, width, 0),
					form->is_signed);
	struct scalar result =
		select_integer(selection, form->opcode, whole, a, b);

	select_set_scalar(&parts, width, 0, result);
	parts.part[parts.count++] =
		width < SELECT_DWORD
			? is_wider(selection, width, form->is_signed, result)
		: form->opcode == LLVMMul
			? is_long(selection, form->is_signed, a.low, b.low,
				  result.low)
			: is_over(selection, width, form->opcode == LLVMAdd,
				  form->is_signed, a, b, result);
	select_define(selection, call, &parts);
}

bool call_overflow(struct selection *selection, LLVMValueRef call,
		   const char *name)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
	unsigned width = select_width(type);
	size_t i = 0;

	while (i < ARRAY_SIZE(forms) &&
	       strncmp(name, forms[i].name, strlen(forms[i].name)))
		i++;
	if (i == ARRAY_SIZE(forms) ||
	    LLVMGetTypeKind(type) != LLVMIntegerTypeKind ||
	    (forms[i].opcode == LLVMMul && width > SELECT_DWORD) ||
	    (width != 8 && width != 16 && width != 32 && width != 64))
		return false;
	select_form(selection, call, &forms[i], width);
	return true;
}
