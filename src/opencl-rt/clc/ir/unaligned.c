#include "opencl-rt/clc/ir/unaligned.h"

#include <llvm-c/Target.h>
#include <stdlib.h>

enum { WORD = 4 };

/* An access under change. */
struct access {
	struct rewrite *rewrite;
	LLVMValueRef inst, pointer;
	unsigned alignment;
	LLVMTypeRef byte;
};

static unsigned size_of(const struct access *access, LLVMTypeRef type)
{
	return (unsigned)LLVMStoreSizeOfType(
		LLVMGetModuleDataLayout(access->rewrite->module), type);
}

/* What the address `offset` bytes on is a multiple of. */
static unsigned alignment_at(const struct access *access, unsigned offset)
{
	unsigned alignment = access->alignment;

	while (offset % alignment)
		alignment /= 2;
	return alignment;
}

static LLVMValueRef place_at(const struct access *access, unsigned offset)
{
	LLVMValueRef index = number(access->rewrite, offset);

	return LLVMBuildInBoundsGEP2(access->rewrite->builder, access->byte,
				     access->pointer, &index, 1, "");
}

static LLVMValueRef load(const struct access *access, LLVMTypeRef type,
			 unsigned offset)
{
	LLVMValueRef made = LLVMBuildLoad2(access->rewrite->builder, type,
					   place_at(access, offset), "");

	LLVMSetAlignment(made, alignment_at(access, offset));
	LLVMSetVolatile(made, LLVMGetVolatile(access->inst));
	return made;
}

static void store(const struct access *access, LLVMValueRef value,
		  unsigned offset)
{
	LLVMValueRef made = LLVMBuildStore(access->rewrite->builder, value,
					   place_at(access, offset));

	LLVMSetAlignment(made, alignment_at(access, offset));
	LLVMSetVolatile(made, LLVMGetVolatile(access->inst));
}

static LLVMTypeRef integer(const struct access *access, unsigned bytes)
{
	return LLVMIntTypeInContext(access->rewrite->context, 8 * bytes);
}

/* Whether one of so many bytes, `offset` bytes on, may cross a dword's end. */
static bool may_cross(const struct access *access, unsigned offset,
		      unsigned bytes)
{
	return alignment_at(access, offset) < (bytes < WORD ? bytes : WORD);
}

/* --- A number ----------------------------------------------------------- */

static LLVMValueRef load_number(const struct access *access, LLVMTypeRef type,
				unsigned offset)
{
	LLVMBuilderRef builder = access->rewrite->builder;
	unsigned size = size_of(access, type);
	unsigned part = alignment_at(access, offset);
	LLVMTypeRef whole = integer(access, size);
	LLVMValueRef bits = LLVMConstNull(whole);

	if (!may_cross(access, offset, size))
		return load(access, type, offset);
	for (unsigned at = 0; at < size; at += part) {
		LLVMValueRef value = load(access, integer(access, part),
					  offset + at);

		value = LLVMBuildZExt(builder, value, whole, "");
		value = LLVMBuildShl(builder, value,
				     LLVMConstInt(whole, 8 * at, false), "");
		bits = LLVMBuildOr(builder, bits, value, "");
	}
	return LLVMBuildBitCast(builder, bits, type, "");
}

static void store_number(const struct access *access, LLVMValueRef value,
			 unsigned offset)
{
	LLVMBuilderRef builder = access->rewrite->builder;
	unsigned size = size_of(access, LLVMTypeOf(value));
	unsigned part = alignment_at(access, offset);
	LLVMTypeRef whole = integer(access, size);

	if (!may_cross(access, offset, size)) {
		store(access, value, offset);
		return;
	}
	value = LLVMBuildBitCast(builder, value, whole, "");
	for (unsigned at = 0; at < size; at += part) {
		LLVMValueRef bits = LLVMBuildLShr(
			builder, value, LLVMConstInt(whole, 8 * at, false),
			"");

		store(access,
		      LLVMBuildTrunc(builder, bits, integer(access, part), ""),
		      offset + at);
	}
}

/* --- Vectors, element by element ---------------------------------------- */

static void lower_load(const struct access *access, LLVMTypeRef type)
{
	LLVMValueRef value = NULL;

	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
		value = load_number(access, type, 0);
	} else {
		LLVMTypeRef element = LLVMGetElementType(type);
		unsigned size = size_of(access, element);

		value = LLVMGetUndef(type);
		for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
			value = with_element(access->rewrite, value,
					     load_number(access, element,
							 i * size),
					     i);
	}
	LLVMReplaceAllUsesWith(access->inst, value);
}

static void lower_store(const struct access *access, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned size;

	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind) {
		store_number(access, value, 0);
		return;
	}
	size = size_of(access, LLVMGetElementType(type));
	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
		store_number(access,
			     LLVMBuildExtractElement(
				     access->rewrite->builder, value,
				     number(access->rewrite, i), ""),
			     i * size);
}

/* Integers and single numbers of whole bytes, and vectors of them. */
static bool is_plain(const struct access *access, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 8 * size_of(access, type);
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
		return true;
	default:
		return false;
	}
}

static bool needs_alignment(unsigned space)
{
	return space == SPACE_PRIVATE || space == SPACE_LOCAL;
}

static void lower_access(struct rewrite *rewrite, LLVMValueRef inst)
{
	bool stores = LLVMIsAStoreInst(inst);
	LLVMTypeRef type = LLVMTypeOf(stores ? LLVMGetOperand(inst, 0) : inst);
	struct access access = {
		.rewrite = rewrite,
		.inst = inst,
		.pointer = LLVMGetOperand(inst, stores),
		.alignment = LLVMGetAlignment(inst),
		.byte = LLVMInt8TypeInContext(rewrite->context),
	};

	if (!needs_alignment(LLVMGetPointerAddressSpace(
		    LLVMTypeOf(access.pointer))) ||
	    !is_plain(&access, type) ||
	    !may_cross(&access, 0, size_of(&access, type)))
		return;
	LLVMPositionBuilderBefore(rewrite->builder, inst);
	if (stores)
		lower_store(&access, LLVMGetOperand(inst, 0));
	else
		lower_load(&access, type);
	LLVMInstructionEraseFromParent(inst);
}

void unaligned_lower(struct rewrite *rewrite)
{
	struct list list = find_instructions(rewrite->module, LLVMLoad,
					     LLVMStore);

	for (size_t i = 0; i < list.count; i++)
		lower_access(rewrite, list.items[i]);
	free(list.items);
}
