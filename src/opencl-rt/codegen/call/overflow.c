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

static struct machine_source either(struct selection *selection,
				    struct machine_source a,
				    struct machine_source b)
{
	return select_op2(selection, EVG_ALU_OR_INT, a, b);
}

static struct machine_source is_set(struct selection *selection,
				    struct machine_source a)
{
	return select_op2(selection, EVG_ALU_SETNE_INT, a, select_number(0));
}

/* Whether a product of two unsigned numbers of 64 bits is wider: both have an
 * upper dword, or one of the products of an upper and a lower one has, or what
 * they add to the upper dword of the lower ones' product is too much for it. */
static struct machine_source is_wide_over(struct selection *selection,
					  struct scalar a, struct scalar b,
					  struct scalar product)
{
	struct machine_source crossed = either(
		selection,
		select_op2(selection, EVG_ALU_MULHI_UINT, a.high, b.low),
		select_op2(selection, EVG_ALU_MULHI_UINT, a.low, b.high));
	struct machine_source both = select_op2(
		selection, EVG_ALU_AND_INT, is_set(selection, a.high),
		is_set(selection, b.high));
	struct machine_source carried = select_op2(
		selection, EVG_ALU_SETGT_UINT,
		select_op2(selection, EVG_ALU_MULHI_UINT, a.low, b.low),
		product.high);

	return either(selection, either(selection, both, carried),
		      is_set(selection, crossed));
}

static struct scalar magnitude(struct selection *selection, struct scalar a)
{
	struct machine_source sign = select_op2(selection, EVG_ALU_ASHR_INT,
						a.high, select_number(31));
	struct scalar signs = { sign, sign };

	return select_integer(selection, LLVMSub, 64,
			      select_integer(selection, LLVMXor, 64, a, signs),
			      signs);
}

/* Of signed numbers: the magnitudes' product is wider, or the product is not 0 and
 * has the wrong sign. */
static struct machine_source
is_signed_wide_over(struct selection *selection, struct scalar a,
		    struct scalar b, struct scalar product)
{
	struct scalar size_a = magnitude(selection, a);
	struct scalar size_b = magnitude(selection, b);
	struct scalar size = select_integer(selection, LLVMMul, 64, size_a,
					    size_b);
	struct machine_source signs = select_op2(
		selection, EVG_ALU_XOR_INT, product.high,
		select_op2(selection, EVG_ALU_XOR_INT, a.high, b.high));
	struct machine_source wrong = select_op2(
		selection, EVG_ALU_AND_INT,
		select_op2(selection, EVG_ALU_ASHR_INT, signs,
			   select_number(31)),
		is_set(selection, either(selection, product.low,
					 product.high)));

	return either(selection, wrong,
		      is_wide_over(selection, size_a, size_b, size));
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

static struct machine_source
is_out_of_range(struct selection *selection, const struct form *form,
		unsigned width, struct scalar a, struct scalar b,
		struct scalar result)
{
	if (width < SELECT_DWORD)
		return is_wider(selection, width, form->is_signed, result);
	if (form->opcode != LLVMMul)
		return is_over(selection, width, form->opcode == LLVMAdd,
			       form->is_signed, a, b, result);
	if (width == SELECT_DWORD)
		return is_long(selection, form->is_signed, a.low, b.low,
			       result.low);
	return form->is_signed
		       ? is_signed_wide_over(selection, a, b, result)
		       : is_wide_over(selection, a, b, result);
}

/* The results of a vector's elements come first, then whether each is out of
 * range. */
static void select_form(struct selection *selection, LLVMValueRef call,
			const struct form *form, unsigned width)
{
	unsigned whole = width < SELECT_DWORD ? SELECT_DWORD : width;
	struct parts parts = select_parts(selection, LLVMGetOperand(call, 0));
	struct parts others = select_parts(selection, LLVMGetOperand(call, 1));
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, 0));
	struct parts results = { .count = parts.count };

	for (unsigned k = 0; k < select_elements(type); k++) {
		struct scalar a = select_extend(
			selection, width, select_scalar(&parts, width, k),
			form->is_signed);
		struct scalar b = select_extend(
			selection, width, select_scalar(&others, width, k),
			form->is_signed);
		struct scalar result = select_integer(
			selection, form->opcode, whole, a, b);

		select_set_scalar(&results, width, k, result);
		results.part[results.count++] = is_out_of_range(
			selection, form, width, a, b, result);
	}
	select_define(selection, call, &results);
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
	if (i == ARRAY_SIZE(forms) || !select_count(LLVMTypeOf(call)) ||
	    (width != 8 && width != 16 && width != 32 && width != 64))
		return false;
	select_form(selection, call, &forms[i], width);
	return true;
}
