/* Elements of vectors and members of structures. */
#include "opencl-rt/codegen/select/select.h"

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

/* The dwords of each element. */
static unsigned element_size(LLVMTypeRef type)
{
	return select_count(type) / select_elements(type);
}

void select_extract(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 1);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));
	unsigned elements = select_elements(type), each = element_size(type);
	struct parts result = { .count = each };
	unsigned long long first = 0;

	if (LLVMIsAConstantInt(index))
		first = LLVMConstIntGetZExtValue(index);
	if (first >= elements) /* poison */
		first = 0;
	for (unsigned d = 0; d < each; d++)
		result.part[d] = parts.part[first * each + d];
	for (unsigned k = 1; k < elements && !LLVMIsAConstantInt(index); k++) {
		struct machine_source here = is_place(selection, index, k);

		for (unsigned d = 0; d < each; d++)
			result.part[d] = select_either(
				selection, here, parts.part[k * each + d],
				result.part[d]);
	}
	select_define(selection, inst, &result);
}

void select_insert(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 2);
	struct parts parts = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts given = select_parts(selection, LLVMGetOperand(inst, 1));
	unsigned each = element_size(LLVMTypeOf(inst));

	for (unsigned k = 0; k < parts.count / each; k++) {
		struct machine_source here = select_number(0xffffffff);

		if (!LLVMIsAConstantInt(index))
			here = is_place(selection, index, k);
		else if (LLVMConstIntGetZExtValue(index) != k)
			continue;
		for (unsigned d = 0; d < each; d++)
			parts.part[k * each + d] =
				LLVMIsAConstantInt(index)
					? given.part[d]
					: select_either(
						  selection, here,
						  given.part[d],
						  parts.part[k * each + d]);
	}
	select_define(selection, inst, &parts);
}

void select_shuffle(struct selection *selection, LLVMValueRef inst)
{
	struct parts a = select_parts(selection, LLVMGetOperand(inst, 0));
	struct parts b = select_parts(selection, LLVMGetOperand(inst, 1));
	unsigned each = element_size(LLVMTypeOf(inst));
	unsigned first = a.count / each;
	struct parts result = { .count = select_count(LLVMTypeOf(inst)) };

	for (unsigned k = 0; k < result.count / each; k++) {
		int from = LLVMGetMaskValue(inst, k);
		unsigned at = from < 0 ? 0 : (unsigned)from;

		for (unsigned d = 0; d < each; d++)
			result.part[k * each + d] =
				from < 0     ? select_number(0)
				: at < first ? a.part[at * each + d]
					     : b.part[(at - first) * each + d];
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
		*type = select_member_type(*type, indices[i]);
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
