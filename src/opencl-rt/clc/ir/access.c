#include "opencl-rt/clc/ir/access.h"

#include <llvm-c/Target.h>

#include "opencl-rt/clc/ir/access-dword.h"

bool is_private(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
	       LLVMGetPointerAddressSpace(type) == SPACE_PRIVATE;
}

/* --- Integers of any size ----------------------------------------------- */

static LLVMValueRef offset_by(struct rewrite *rewrite, LLVMValueRef address,
			      uint64_t bytes)
{
	return bytes ? LLVMBuildAdd(rewrite->builder, address,
				    number(rewrite, (unsigned)bytes), "")
		     : address;
}

/* The alignment `offset` bytes after an address that is aligned so. */
static unsigned alignment_at(unsigned alignment, uint64_t offset)
{
	while (offset % alignment)
		alignment /= 2;
	return alignment;
}

/* The largest part that can be accessed at once. */
static unsigned part_size(unsigned alignment, unsigned left)
{
	unsigned size = alignment < 4 ? alignment : 4;

	while (size > left)
		size /= 2;
	return size;
}

static LLVMValueRef read_integer(struct rewrite *rewrite, LLVMValueRef address,
				 unsigned alignment, unsigned bytes)
{
	LLVMTypeRef type = access_integer(rewrite, bytes);
	LLVMValueRef result = NULL, part;
	unsigned size;

	for (unsigned at = 0; at < bytes; at += size) {
		size = part_size(alignment_at(alignment, at), bytes - at);
		part = access_read(rewrite, offset_by(rewrite, address, at),
				   size);
		if (size == bytes)
			return part;
		part = LLVMBuildZExt(rewrite->builder, part, type, "");
		part = LLVMBuildShl(rewrite->builder, part,
				    LLVMConstInt(type, 8 * at, false), "");
		result = result ? LLVMBuildOr(rewrite->builder, result, part,
					      "")
				: part;
	}
	return result;
}

static void write_integer(struct rewrite *rewrite, LLVMValueRef address,
			  unsigned alignment, LLVMValueRef value,
			  unsigned bytes)
{
	LLVMTypeRef type = access_integer(rewrite, bytes);
	unsigned size;

	for (unsigned at = 0; at < bytes; at += size) {
		LLVMValueRef part = value;

		size = part_size(alignment_at(alignment, at), bytes - at);
		if (size < bytes) {
			part = LLVMBuildLShr(rewrite->builder, part,
					     LLVMConstInt(type, 8 * at, false),
					     "");
			part =
			    LLVMBuildTrunc(rewrite->builder, part,
					   access_integer(rewrite, size), "");
		}
		access_write(rewrite, offset_by(rewrite, address, at), part,
			     size);
	}
}

/* --- Scalars ------------------------------------------------------------ */

static unsigned store_size(struct rewrite *rewrite, LLVMTypeRef type)
{
	return (unsigned)LLVMStoreSizeOfType(
		LLVMGetModuleDataLayout(rewrite->module), type);
}

/* From an integer with the type's size in memory. */
static LLVMValueRef to_scalar(struct rewrite *rewrite, LLVMValueRef value,
			      LLVMTypeRef type)
{
	if (LLVMTypeOf(value) == type)
		return value;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMBuildTrunc(rewrite->builder, value, type, "");
	case LLVMPointerTypeKind:
		return LLVMBuildIntToPtr(rewrite->builder, value, type, "");
	default:
		return LLVMBuildBitCast(rewrite->builder, value, type, "");
	}
}

static LLVMValueRef from_scalar(struct rewrite *rewrite, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value), integer;

	integer = access_integer(rewrite, store_size(rewrite, type));
	if (type == integer)
		return value;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMBuildZExt(rewrite->builder, value, integer, "");
	case LLVMPointerTypeKind:
		return LLVMBuildPtrToInt(rewrite->builder, value, integer, "");
	default:
		return LLVMBuildBitCast(rewrite->builder, value, integer, "");
	}
}

static bool is_scalar(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
	case LLVMPointerTypeKind:
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		return true;
	default:
		return false;
	}
}

/* --- Values of any type ------------------------------------------------- */

/* Parts of an aggregate or vector: type and offset of one. */
static unsigned part_count(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMStructTypeKind: return LLVMCountStructElementTypes(type);
	case LLVMArrayTypeKind: return LLVMGetArrayLength(type);
	case LLVMVectorTypeKind: return LLVMGetVectorSize(type);
	default: return 0;
	}
}

static LLVMTypeRef part_of(struct rewrite *rewrite, LLVMTypeRef type,
			   unsigned index, uint64_t *offset)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(rewrite->module);
	LLVMTypeRef part;

	if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
		*offset = LLVMOffsetOfElement(layout, type, index);
		return LLVMStructGetTypeAtIndex(type, index);
	}
	part = LLVMGetElementType(type);
	*offset = index * LLVMABISizeOfType(layout, part);
	return part;
}

/* The width of a vector's elements if they are integers, else 0. */
static unsigned element_width(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return 0;
	type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind
		       ? LLVMGetIntTypeWidth(type)
		       : 0;
}

static bool is_known(LLVMTypeRef type)
{
	unsigned width = element_width(type);

	return (is_scalar(type) || part_count(type)) &&
	       (width == 1 || width % 8 == 0);
}

/* Vectors of truth values, a bit each: what spilling makes of comparisons. */
static LLVMValueRef read_bits(struct rewrite *rewrite, LLVMTypeRef type,
			      LLVMValueRef address, unsigned alignment)
{
	unsigned bytes = store_size(rewrite, type);
	LLVMTypeRef integer = access_integer(rewrite, bytes);
	LLVMValueRef result = LLVMGetUndef(type), bits, bit;

	bits = read_integer(rewrite, address, alignment, bytes);
	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
		bit = LLVMBuildLShr(rewrite->builder, bits,
				    LLVMConstInt(integer, i, false), "");
		bit = LLVMBuildTrunc(rewrite->builder, bit,
				     LLVMGetElementType(type), "");
		result = with_element(rewrite, result, bit, i);
	}
	return result;
}

static void write_bits(struct rewrite *rewrite, LLVMValueRef value,
		       LLVMValueRef address, unsigned alignment)
{
	unsigned bytes = store_size(rewrite, LLVMTypeOf(value));
	LLVMTypeRef integer = access_integer(rewrite, bytes);
	LLVMValueRef bits = LLVMConstInt(integer, 0, false), bit;

	for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(value)); i++) {
		bit = LLVMBuildExtractElement(rewrite->builder, value,
					      number(rewrite, i), "");
		bit = LLVMBuildZExt(rewrite->builder, bit, integer, "");
		bit = LLVMBuildShl(rewrite->builder, bit,
				   LLVMConstInt(integer, i, false), "");
		bits = LLVMBuildOr(rewrite->builder, bits, bit, "");
	}
	write_integer(rewrite, address, alignment, bits, bytes);
}

/* Whether a vector's elements fill whole dwords that can be accessed so. */
static bool is_packed(struct rewrite *rewrite, LLVMTypeRef type,
		      unsigned alignment)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       alignment >= 4 && store_size(rewrite, type) % 4 == 0 &&
	       store_size(rewrite, LLVMGetElementType(type)) < 4;
}

static LLVMValueRef read_packed(struct rewrite *rewrite, LLVMTypeRef type,
				LLVMValueRef address)
{
	LLVMTypeRef element = LLVMGetElementType(type);
	unsigned size = store_size(rewrite, element);
	LLVMValueRef result = LLVMGetUndef(type), dword = NULL, part;

	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
		unsigned at = i * size;

		if (at % 4 == 0)
			dword = access_read_dword(
			    rewrite, offset_by(rewrite, address, at));
		part = LLVMBuildLShr(rewrite->builder, dword,
				     number(rewrite, at % 4 * 8), "");
		part = LLVMBuildTrunc(rewrite->builder, part,
				      access_integer(rewrite, size), "");
		result = with_element(rewrite, result,
				      to_scalar(rewrite, part, element), i);
	}
	return result;
}

static void write_packed(struct rewrite *rewrite, LLVMValueRef value,
			 LLVMValueRef address)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned size = store_size(rewrite, LLVMGetElementType(type));
	LLVMValueRef dword = NULL, part;

	for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
		unsigned at = i * size;

		part = LLVMBuildExtractElement(rewrite->builder, value,
					       number(rewrite, i), "");
		part = LLVMBuildZExt(rewrite->builder,
				     from_scalar(rewrite, part),
				     rewrite->int_type, "");
		part = LLVMBuildShl(rewrite->builder, part,
				    number(rewrite, at % 4 * 8), "");
		dword = at % 4 ? LLVMBuildOr(rewrite->builder, dword, part, "")
			       : part;
		if ((at + size) % 4 == 0)
			access_write_dword(
			    rewrite, offset_by(rewrite, address, at + size - 4),
			    dword);
	}
}

static LLVMValueRef read_value(struct rewrite *rewrite, LLVMTypeRef type,
			       LLVMValueRef address, unsigned alignment)
{
	LLVMValueRef result, part;

	if (is_scalar(type)) {
		result = read_integer(rewrite, address, alignment,
				      store_size(rewrite, type));
		return to_scalar(rewrite, result, type);
	}
	if (element_width(type) == 1)
		return read_bits(rewrite, type, address, alignment);
	if (is_packed(rewrite, type, alignment))
		return read_packed(rewrite, type, address);
	result = LLVMGetUndef(type);
	for (unsigned i = 0; i < part_count(type); i++) {
		LLVMTypeRef part_type;
		uint64_t offset;

		part_type = part_of(rewrite, type, i, &offset);
		part = read_value(rewrite, part_type,
				  offset_by(rewrite, address, offset),
				  alignment_at(alignment, offset));
		result = LLVMGetTypeKind(type) == LLVMVectorTypeKind
				 ? with_element(rewrite, result, part, i)
				 : LLVMBuildInsertValue(rewrite->builder,
							result, part, i, "");
	}
	return result;
}

static void write_value(struct rewrite *rewrite, LLVMValueRef value,
			LLVMValueRef address, unsigned alignment)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	if (is_scalar(type)) {
		write_integer(rewrite, address, alignment,
			      from_scalar(rewrite, value),
			      store_size(rewrite, type));
		return;
	}
	if (element_width(type) == 1) {
		write_bits(rewrite, value, address, alignment);
		return;
	}
	if (is_packed(rewrite, type, alignment)) {
		write_packed(rewrite, value, address);
		return;
	}
	for (unsigned i = 0; i < part_count(type); i++) {
		LLVMValueRef part;
		uint64_t offset;

		part_of(rewrite, type, i, &offset);
		part = LLVMGetTypeKind(type) == LLVMVectorTypeKind
			       ? LLVMBuildExtractElement(rewrite->builder,
							 value,
							 number(rewrite, i),
							 "")
			       : LLVMBuildExtractValue(rewrite->builder, value,
						       i, "");
		write_value(rewrite, part, offset_by(rewrite, address, offset),
			    alignment_at(alignment, offset));
	}
}

/* --- Instructions ------------------------------------------------------- */

static int check_type(struct rewrite *rewrite, LLVMValueRef inst,
		      LLVMTypeRef type)
{
	char *text;

	if (is_known(type))
		return 0;
	text = LLVMPrintTypeToString(type);
	rewrite_fail(rewrite, inst, "private memory holds the type %s, which "
		     "m2s-clc cannot keep in scratch memory", text);
	LLVMDisposeMessage(text);
	return -1;
}

static LLVMValueRef address_of(struct rewrite *rewrite, LLVMValueRef pointer)
{
	return LLVMBuildPtrToInt(rewrite->builder, pointer, rewrite->int_type,
				 "");
}

int access_load(struct rewrite *rewrite, LLVMValueRef load)
{
	LLVMTypeRef type = LLVMTypeOf(load);
	LLVMValueRef value;

	if (check_type(rewrite, load, type))
		return -1;
	if (LLVMGetFirstUse(load)) {
		LLVMPositionBuilderBefore(rewrite->builder, load);
		value = read_value(rewrite, type,
				   address_of(rewrite,
					      LLVMGetOperand(load, 0)),
				   LLVMGetAlignment(load));
		LLVMReplaceAllUsesWith(load, value);
	}
	LLVMInstructionEraseFromParent(load);
	return 0;
}

int access_store(struct rewrite *rewrite, LLVMValueRef store)
{
	LLVMValueRef value = LLVMGetOperand(store, 0);

	if (check_type(rewrite, store, LLVMTypeOf(value)))
		return -1;
	if (!LLVMIsUndef(value)) {
		LLVMPositionBuilderBefore(rewrite->builder, store);
		write_value(rewrite, value,
			    address_of(rewrite, LLVMGetOperand(store, 1)),
			    LLVMGetAlignment(store));
	}
	LLVMInstructionEraseFromParent(store);
	return 0;
}
