#include "opencl-rt/clc/ir/narrow.h"

#include <stdlib.h>

enum { WORD_BITS = 32 };

/* Bits of an element of a vector of bytes or shorts; 0 for other types. */
static unsigned element_bits(LLVMTypeRef type)
{
	LLVMTypeRef element;

	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return 0;
	element = LLVMGetElementType(type);
	if (LLVMGetTypeKind(element) != LLVMIntegerTypeKind)
		return 0;
	switch (LLVMGetIntTypeWidth(element)) {
	case 8: return 8;
	case 16: return 16;
	default: return 0;
	}
}

/* An element of a vector: what was put there, if that can be seen. */
static LLVMValueRef element_of(struct rewrite *rewrite, LLVMValueRef vector,
			       unsigned index)
{
	while (LLVMIsAInsertElementInst(vector)) {
		LLVMValueRef place = LLVMGetOperand(vector, 2);

		if (!LLVMIsAConstantInt(place))
			break;
		if (LLVMConstIntGetZExtValue(place) == index)
			return LLVMGetOperand(vector, 1);
		vector = LLVMGetOperand(vector, 0);
	}
	return LLVMBuildExtractElement(rewrite->builder, vector,
				       number(rewrite, index), "");
}

/* `count` elements from `first` on, the first in the lowest bits. */
static LLVMValueRef pack(struct rewrite *rewrite, LLVMValueRef vector,
			 unsigned first, unsigned count, LLVMTypeRef type)
{
	unsigned bits = element_bits(LLVMTypeOf(vector));
	LLVMValueRef word = LLVMConstNull(type);

	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef element = element_of(rewrite, vector, first + i);

		if (LLVMIsUndef(element))
			continue;
		element = LLVMBuildZExt(rewrite->builder, element, type, "");
		element = LLVMBuildShl(
			rewrite->builder, element,
			LLVMConstInt(type, (uint64_t)i * bits, false), "");
		word = LLVMBuildOr(rewrite->builder, word, element, "");
	}
	return word;
}

/* All of a vector: dwords, or the one integer that is shorter. NULL when it has
 * another size. */
static LLVMValueRef pack_all(struct rewrite *rewrite, LLVMValueRef vector)
{
	unsigned bits = element_bits(LLVMTypeOf(vector));
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(vector));
	unsigned words = count * bits / WORD_BITS;
	LLVMValueRef packed;

	if (count * bits == 16)
		return pack(rewrite, vector, 0, count,
			    LLVMInt16TypeInContext(rewrite->context));
	if (!words || count * bits % WORD_BITS)
		return NULL;
	if (words == 1)
		return pack(rewrite, vector, 0, count, rewrite->int_type);
	packed = LLVMGetUndef(LLVMVectorType(rewrite->int_type, words));
	for (unsigned i = 0; i < words; i++)
		packed = with_element(rewrite, packed,
				      pack(rewrite, vector, i * count / words,
					   count / words, rewrite->int_type),
				      i);
	return packed;
}

/* --- Stores ------------------------------------------------------------- */

/* A store like another one. */
static void store_as(struct rewrite *rewrite, LLVMValueRef store,
		     LLVMValueRef value, LLVMValueRef pointer,
		     unsigned alignment)
{
	unsigned kind = LLVMGetMDKindIDInContext(rewrite->context, "tbaa", 4);
	LLVMValueRef made = LLVMBuildStore(rewrite->builder, value, pointer);
	LLVMValueRef tag = LLVMGetMetadata(store, kind);

	LLVMSetVolatile(made, LLVMGetVolatile(store));
	LLVMSetAlignment(made, alignment);
	if (tag)
		LLVMSetMetadata(made, kind, tag);
}

/* Each element on its own, of `size` bytes. */
static void store_elements(struct rewrite *rewrite, LLVMValueRef store,
			   unsigned size)
{
	LLVMValueRef vector = LLVMGetOperand(store, 0);
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
	unsigned alignment = LLVMGetAlignment(store);

	for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(vector)); i++) {
		LLVMValueRef index = number(rewrite, i);
		LLVMValueRef place = LLVMBuildInBoundsGEP2(
			rewrite->builder, type, LLVMGetOperand(store, 1),
			&index, 1, "");
		LLVMValueRef element = element_of(rewrite, vector, i);

		if (!LLVMIsUndef(element))
			store_as(rewrite, store, element, place,
				 alignment < size ? alignment : size);
	}
}

static void lower_store(struct rewrite *rewrite, LLVMValueRef store)
{
	LLVMValueRef vector = LLVMGetOperand(store, 0), packed = NULL;
	LLVMValueRef pointer = LLVMGetOperand(store, 1);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	unsigned alignment = LLVMGetAlignment(store);
	LLVMTypeRef type = LLVMTypeOf(vector);

	if (!element_bits(type) ||
	    (space != SPACE_GLOBAL && space != SPACE_LOCAL))
		return;
	LLVMPositionBuilderBefore(rewrite->builder, store);
	if (alignment >= 4 || (alignment == 2 && element_bits(type) *
					 LLVMGetVectorSize(type) == 16))
		packed = pack_all(rewrite, vector);
	if (packed)
		store_as(rewrite, store, packed, pointer, alignment);
	else /* dwords would not be aligned */
		store_elements(rewrite, store, element_bits(type) / 8);
	LLVMInstructionEraseFromParent(store);
}

/* --- as_ conversions ---------------------------------------------------- */

static void lower_bitcast(struct rewrite *rewrite, LLVMValueRef inst)
{
	LLVMValueRef vector = LLVMGetOperand(inst, 0), packed;

	if (!element_bits(LLVMTypeOf(vector)))
		return;
	LLVMPositionBuilderBefore(rewrite->builder, inst);
	packed = pack_all(rewrite, vector);
	if (!packed)
		return;
	LLVMReplaceAllUsesWith(inst, LLVMBuildBitCast(rewrite->builder, packed,
						      LLVMTypeOf(inst), ""));
	LLVMInstructionEraseFromParent(inst);
}

void narrow_lower(struct rewrite *rewrite)
{
	struct list list = find_instructions(rewrite->module, LLVMStore,
					     LLVMBitCast);

	for (size_t i = 0; i < list.count; i++) {
		if (LLVMIsAStoreInst(list.items[i]))
			lower_store(rewrite, list.items[i]);
		else
			lower_bitcast(rewrite, list.items[i]);
	}
	free(list.items);
}

/* --- Constants in vectors ----------------------------------------------- */

/* Bytes of an element of a vector of dwords or qwords; 0 for other types. */
static unsigned element_size(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
		return 0;
	type = LLVMGetElementType(type);
	if (LLVMGetTypeKind(type) == LLVMFloatTypeKind)
		return 4;
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
		return 0;
	switch (LLVMGetIntTypeWidth(type)) {
	case 32: return 4;
	case 64: return 8;
	default: return 0;
	}
}

static bool has_constant(struct rewrite *rewrite, LLVMValueRef vector)
{
	for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(vector)); i++)
		if (LLVMIsConstant(element_of(rewrite, vector, i)))
			return true;
	return false;
}

void narrow_split_stores(struct rewrite *rewrite, LLVMValueRef kernel)
{
	struct list list = function_instructions(kernel);

	for (size_t i = 0; i < list.count; i++) {
		LLVMValueRef store = list.items[i], vector;
		unsigned size;

		if (!LLVMIsAStoreInst(store))
			continue;
		vector = LLVMGetOperand(store, 0);
		size = element_size(LLVMTypeOf(vector));
		LLVMPositionBuilderBefore(rewrite->builder, store);
		if (!size || LLVMIsConstant(vector) ||
		    !has_constant(rewrite, vector))
			continue;
		store_elements(rewrite, store, size);
		LLVMInstructionEraseFromParent(store);
	}
	free(list.items);
}
