#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/call/call.h"

static struct machine_source op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	return select_op2(selection, op, a, b);
}

static struct scalar single(struct machine_source low)
{
	return (struct scalar){ low, select_number(0) };
}

static struct scalar count_ones(struct selection *selection, unsigned width,
				struct scalar a)
{
	struct machine_source low;

	a = select_extend(selection, width, a, false);
	low = select_op1(selection, EVG_ALU_BCNT_INT, a.low);
	if (width > SELECT_DWORD)
		low = op2(selection, EVG_ALU_ADD_INT, low,
			  select_op1(selection, EVG_ALU_BCNT_INT, a.high));
	return single(low);
}

/* The place of the lowest one of a dword; `none` where there is none. */
static struct machine_source lowest(struct selection *selection,
				    struct machine_source a,
				    struct machine_source none)
{
	return select_either(selection, a,
			     select_op1(selection, EVG_ALU_FFBL_INT, a), none);
}

static struct scalar count_zeros_behind(struct selection *selection,
					unsigned width, struct scalar a)
{
	struct machine_source none = select_number(width);

	a = select_extend(selection, width, a, false);
	if (width > SELECT_DWORD)
		none = op2(selection, EVG_ALU_ADD_INT,
			   lowest(selection, a.high,
				  select_number(width - SELECT_DWORD)),
			   select_number(SELECT_DWORD));
	return single(lowest(selection, a.low, none));
}

static struct scalar inverted(struct selection *selection, unsigned width,
			      struct scalar a)
{
	(void)width;
	return single(select_op1(selection, EVG_ALU_NOT_INT, a.low));
}

static struct scalar same(struct selection *selection, unsigned width,
			  struct scalar a)
{
	(void)selection;
	(void)width;
	return a;
}

static struct machine_source reverse_bits(struct selection *selection,
					  struct machine_source a)
{
	return select_op1(selection, EVG_ALU_BFREV_INT, a);
}

/* By rotations: two bytes of one, two of the other. */
static struct machine_source reverse_bytes(struct selection *selection,
					   struct machine_source a)
{
	struct machine_source left = select_op3(
		selection, EVG_ALU_BIT_ALIGN_INT, a, a, select_number(24));
	struct machine_source right = select_op3(
		selection, EVG_ALU_BIT_ALIGN_INT, a, a, select_number(8));

	return select_op3(selection, EVG_ALU_BFI_INT,
			  select_number(0x00ff00ff), left, right);
}

/* Reverses the dwords, and each in itself; narrow numbers end up at the top. */
static struct scalar
reverse(struct selection *selection, unsigned width, struct scalar a,
	struct machine_source (*dword)(struct selection *selection,
				       struct machine_source a))
{
	struct scalar result = single(dword(selection, a.low));

	if (width > SELECT_DWORD) {
		result.high = result.low;
		result.low = dword(selection, a.high);
		return result;
	}
	result.low = op2(selection, EVG_ALU_LSHR_INT, result.low,
			 select_number(SELECT_DWORD - width));
	return result;
}

static struct scalar reverse_all_bits(struct selection *selection,
				      unsigned width, struct scalar a)
{
	return reverse(selection, width, a, reverse_bits);
}

static struct scalar reverse_all_bytes(struct selection *selection,
				       unsigned width, struct scalar a)
{
	return reverse(selection, width, a, reverse_bytes);
}

bool call_bits(struct selection *selection, LLVMValueRef call,
	       const char *name)
{
	static const struct {
		const char *name;
		struct scalar (*make)(struct selection *selection,
				      unsigned width, struct scalar a);
		/* The same of i1, which is 0 or -1. */
		struct scalar (*make_bit)(struct selection *selection,
					  unsigned width, struct scalar a);
	} kinds[] = {
		{ "llvm.ctpop.", count_ones, same },
		{ "llvm.cttz.", count_zeros_behind, inverted },
		{ "llvm.bitreverse.", reverse_all_bits, same },
		{ "llvm.bswap.", reverse_all_bytes, NULL },
	};
	unsigned width = select_width(LLVMTypeOf(call));
	struct parts parts;
	size_t i = 0;

	while (i < ARRAY_SIZE(kinds) &&
	       strncmp(name, kinds[i].name, strlen(kinds[i].name)))
		i++;
	if (i == ARRAY_SIZE(kinds) ||
	    (width > SELECT_DWORD && width != 2 * SELECT_DWORD))
		return false;
	parts = select_parts(selection, LLVMGetOperand(call, 0));
	for (unsigned k = 0; k < select_elements(LLVMTypeOf(call)); k++)
		select_set_scalar(
			&parts, width, k,
			(width == 1 ? kinds[i].make_bit : kinds[i].make)(
				selection, width,
				select_scalar(&parts, width, k)));
	select_define(selection, call, &parts);
	return true;
}
