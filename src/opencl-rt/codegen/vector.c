/* Elements of vectors and members of structures. */
#include "opencl-rt/codegen/select.h"

/* Whether `index` is this element's: 0 or -1. */
static struct machine_source is_place(struct selection *selection,
				      LLVMValueRef index, unsigned element)
{
	unsigned width = select_width(LLVMTypeOf(index));
	struct parts parts = select_parts(selection, index);
	struct scalar place = select_extend(
		selection, width, select_scalar(&parts, width, 0), false);

	return select_op2(selection, EVG_ALU_SETE_INT, place.low,
			  select_number(element));
}

void select_extract(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 1);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));
	unsigned elements = select_elements(type), width = select_width(type);
	unsigned first = 0;
	struct parts result = { .count = parts.count / elements };
	struct scalar found;

	if (LLVMIsAConstantInt(index)) {
		unsigned long long place = LLVMConstIntGetZExtValue(index);

		first = place < elements ? (unsigned)place : 0; /* poison */
	}
	found = select_scalar(&parts, width, first);
	for (unsigned k = 1; k < elements && !LLVMIsAConstantInt(index); k++)
		found = select_choose(selection, is_place(selection, index, k),
				      select_scalar(&parts, width, k), found);
	select_set_scalar(&result, width, 0, found);
	select_define(selection, inst, &result);
}

void select_insert(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 2);
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts given = select_parts(selection, LLVMGetOperand(inst, 1));
	unsigned width = select_width(LLVMTypeOf(inst));

	for (unsigned k = 0; k < select_elements(LLVMTypeOf(inst)); k++) {
		struct scalar next = select_scalar(&given, width, 0);

		if (!LLVMIsAConstantInt(index))
			next = select_choose(selection,
					     is_place(selection, index, k),
					     next,
					     select_scalar(&parts, width, k));
		else if (LLVMConstIntGetZExtValue(index) != k)
			continue;
		select_set_scalar(&parts, width, k, next);
	}
	select_define(selection, inst, &parts);
}

void select_shuffle(struct selection *selection, LLVMValueRef inst)
{
	struct parts a = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(inst, 1));
	unsigned width = select_width(LLVMTypeOf(inst));
	unsigned first = select_elements(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	struct parts result = { .count = select_count(LLVMTypeOf(inst)) };

	for (unsigned k = 0; k < select_elements(LLVMTypeOf(inst)); k++) {
		int from = LLVMGetMaskValue(inst, k);
		struct scalar element = { select_number(0), select_number(0) };

		if (from >= 0)
			element = (unsigned)from < first
					  ? select_scalar(&a, width,
							  (unsigned)from)
					  : select_scalar(&b, width,
							  (unsigned)from -
								  first);
		select_set_scalar(&result, width, k, element);
	}
	select_define(selection, inst, &result);
}

/* --- Structures ----------------------------------------------------------- */

/* The first dword of the member that an instruction names, and its type. */
static unsigned find_member(LLVMValueRef inst, LLVMTypeRef *type)
{
	const unsigned *indices = LLVMGetIndices(inst);
	unsigned at = 0;

	for (unsigned i = 0; i < LLVMGetNumIndices(inst); i++) {
		at += select_member(*type, indices[i]);
		*type = LLVMStructGetTypeAtIndex(*type, indices[i]);
	}
	return at;
}

void select_member_value(struct selection *selection, LLVMValueRef inst)
{
	bool inserts = LLVMGetInstructionOpcode(inst) == LLVMInsertValue;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	struct parts whole = select_parts(selection, LLVMGetOperand(inst, 0));
	unsigned at = find_member(inst, &type);
	struct parts part = { .count = select_count(type) };

	if (inserts)
		part = select_parts(selection, LLVMGetOperand(inst, 1));
	for (unsigned k = 0; k < part.count; k++)
		if (inserts)
			whole.part[at + k] = part.part[k];
		else
			part.part[k] = whole.part[at + k];
	select_define(selection, inst, inserts ? &whole : &part);
}
