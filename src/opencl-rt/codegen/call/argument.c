/* The kernel's arguments: numbers and vectors from constant buffer 0, and what
 * is taken out of structures there. */
#include "opencl-rt/codegen/call/call.h"
#include "opencl-rt/codegen/target.h"

static uint32_t place_of(const struct selection *selection, LLVMValueRef value)
{
	unsigned index = 0;

	while (LLVMGetParam(selection->function, index) != value)
		index++;
	return selection->kernel->arguments[index].offset;
}

static struct parts load(struct selection *selection, LLVMValueRef value,
			 LLVMTypeRef type, uint32_t place)
{
	struct address address = { .base = select_number(0), .offset = place };
	struct parts parts = { .count = select_count(type) };
	uint64_t bytes = LLVMStoreSizeOfType(selection->layout, type);
	struct image image = { .bytes = (uint32_t)bytes };

	if (!parts.count || bytes > 4 * SELECT_PARTS ||
	    !select_load_image(selection, SPACE_PARAMETERS, address,
			       4 - place % 4, &image) ||
	    !select_unpack(selection, type, &image, &parts))
		select_refuse(selection, value, "an argument of its type");
	return parts;
}

struct parts select_argument(struct selection *selection, LLVMValueRef value)
{
	return load(selection, value, LLVMTypeOf(value),
		    place_of(selection, value));
}

/* Of an argument, or of what is taken out of one, its place and its type; false
 * for other values. Structures and arrays lie there as in memory. */
static bool find_place(const struct selection *selection, LLVMValueRef value,
		       uint64_t *place, LLVMTypeRef *type)
{
	const unsigned *indices;

	if (LLVMIsAArgument(value)) {
		*place = place_of(selection, value);
		*type = LLVMTypeOf(value);
		return true;
	}
	if (!LLVMIsAExtractValueInst(value) ||
	    !find_place(selection, LLVMGetOperand(value, 0), place, type))
		return false;
	indices = LLVMGetIndices(value);
	for (unsigned i = 0; i < LLVMGetNumIndices(value); i++) {
		if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
			*place += LLVMOffsetOfElement(selection->layout, *type,
						      indices[i]);
			*type = LLVMStructGetTypeAtIndex(*type, indices[i]);
			continue;
		}
		*type = LLVMGetElementType(*type);
		*place += indices[i] *
			  LLVMABISizeOfType(selection->layout, *type);
	}
	return true;
}

/* A structure in a structure whose members alone are used. */
static bool only_holds_members(LLVMValueRef value, LLVMTypeRef type)
{
	LLVMUseRef use = LLVMGetFirstUse(value);

	if (LLVMGetTypeKind(type) != LLVMStructTypeKind &&
	    LLVMGetTypeKind(type) != LLVMArrayTypeKind)
		return false;
	while (use && LLVMIsAExtractValueInst(LLVMGetUser(use)))
		use = LLVMGetNextUse(use);
	return !use;
}

bool select_argument_member(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef type;
	struct parts parts;
	uint64_t place;

	if (!LLVMIsAExtractValueInst(inst) ||
	    !find_place(selection, inst, &place, &type))
		return false;
	if (only_holds_members(inst, type))
		return true;
	parts = load(selection, inst, type, (uint32_t)place);
	select_define(selection, inst, &parts);
	return true;
}
