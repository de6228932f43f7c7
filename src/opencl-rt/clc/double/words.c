#include "opencl-rt/clc/double/words.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

/* The target's address spaces whose accesses are one word at a time. */
enum { SPACE_GENERIC = 0, SPACE_LOCAL = 3, SPACE_PRIVATE = 5 };

bool is_double(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
}

unsigned element_count(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? LLVMGetVectorSize(type)
		       : 1;
}

LLVMValueRef number_element(struct lowering *lowering,
			    LLVMValueRef value, unsigned index)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMVectorTypeKind)
		return value;
	return LLVMBuildExtractElement(lowering->builder, value,
				       word_constant(lowering, index), "");
}

LLVMValueRef set_element(struct lowering *lowering,
			 LLVMValueRef vector, LLVMValueRef value,
			 unsigned index)
{
	if (LLVMGetTypeKind(LLVMTypeOf(vector)) != LLVMVectorTypeKind)
		return value;
	return LLVMBuildInsertElement(lowering->builder, vector, value,
				      word_constant(lowering, index), "");
}

LLVMValueRef word_constant(const struct lowering *lowering, uint32_t value)
{
	return LLVMConstInt(lowering->word, value, false);
}

/* --- The table ---------------------------------------------------------- */

static size_t table_place(const struct lowering *lowering, LLVMValueRef value)
{
	size_t place = ((uintptr_t)value >> 4) * 0x9e3779b1u;

	for (;; place++) {
		place &= lowering->table_size - 1;
		if (!lowering->table[place].value ||
		    lowering->table[place].value == value)
			return place;
	}
}

LLVMValueRef *words_find(const struct lowering *lowering, LLVMValueRef value)
{
	if (!lowering->table_size)
		return NULL;
	return lowering->table[table_place(lowering, value)].word;
}

void words_set(struct lowering *lowering, LLVMValueRef value,
	       LLVMValueRef *words)
{
	struct words *old = lowering->table;
	size_t old_size = lowering->table_size;

	if (2 * (lowering->table_count + 1) > old_size) {
		lowering->table_size = old_size ? 2 * old_size : 1024;
		lowering->table = xcalloc(lowering->table_size, sizeof *old);
		for (size_t i = 0; i < old_size; i++)
			if (old[i].value)
				lowering->table[table_place(
					lowering, old[i].value)] = old[i];
		free(old);
	}
	lowering->table[table_place(lowering, value)] =
		(struct words){ value, words };
	lowering->table_count++;
}

/* --- Other types -------------------------------------------------------- */

/* A number of 64 bits is made and taken apart by shifts, which LLVM's
 * legalizer undoes at no cost. */
static void split_quad(struct lowering *lowering, LLVMValueRef value,
		       LLVMValueRef words[2])
{
	LLVMBuilderRef builder = lowering->builder;

	words[0] = LLVMBuildTrunc(builder, value, lowering->word, "");
	value = LLVMBuildLShr(builder, value,
			      LLVMConstInt(lowering->quad, 32, false), "");
	words[1] = LLVMBuildTrunc(builder, value, lowering->word, "");
}

static LLVMValueRef join_quad(struct lowering *lowering, LLVMValueRef words[2])
{
	LLVMBuilderRef builder = lowering->builder;
	LLVMValueRef low, high;

	low = LLVMBuildZExt(builder, words[0], lowering->quad, "");
	high = LLVMBuildZExt(builder, words[1], lowering->quad, "");
	high = LLVMBuildShl(builder, high,
			    LLVMConstInt(lowering->quad, 32, false), "");
	return LLVMBuildOr(builder, low, high, "");
}

static LLVMValueRef element(struct lowering *lowering, LLVMValueRef vector,
			    unsigned index)
{
	return LLVMBuildExtractElement(lowering->builder, vector,
				       word_constant(lowering, index), "");
}

static LLVMValueRef insert(struct lowering *lowering, LLVMValueRef vector,
			   LLVMValueRef value, unsigned index)
{
	return LLVMBuildInsertElement(lowering->builder, vector, value,
				      word_constant(lowering, index), "");
}

/* Elements of 64 bits (doubles, too: as kernels' parameters are). */
static bool has_quads(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	return LLVMGetTypeKind(type) == LLVMDoubleTypeKind ||
	       (LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
		LLVMGetIntTypeWidth(type) == 64);
}

void words_split(struct lowering *lowering, LLVMValueRef value,
		 LLVMValueRef *words, unsigned count)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;

	if (!has_quads(type)) {
		value = LLVMBuildBitCast(
			lowering->builder, value,
			LLVMVectorType(lowering->word, count), "");
		for (unsigned i = 0; i < count; i++)
			words[i] = element(lowering, value, i);
		return;
	}
	for (unsigned i = 0; i < count / 2; i++) {
		LLVMValueRef quad =
			is_vector ? element(lowering, value, i) : value;

		if (LLVMTypeOf(quad) != lowering->quad)
			quad = LLVMBuildBitCast(lowering->builder, quad,
						lowering->quad, "");
		split_quad(lowering, quad, words + 2 * i);
	}
}

LLVMValueRef words_join(struct lowering *lowering, LLVMValueRef *words,
			unsigned count, LLVMTypeRef type)
{
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	LLVMValueRef value;

	if (has_quads(type) && !is_vector)
		return join_quad(lowering, words);
	if (has_quads(type)) {
		value = LLVMGetUndef(type);
		for (unsigned i = 0; i < count / 2; i++)
			value = insert(lowering, value,
				       join_quad(lowering, words + 2 * i), i);
		return value;
	}
	value = LLVMGetUndef(LLVMVectorType(lowering->word, count));
	for (unsigned i = 0; i < count; i++)
		value = insert(lowering, value, words[i], i);
	return LLVMBuildBitCast(lowering->builder, value, type, "");
}

/* --- Constants and parameters ------------------------------------------- */

static int constant_words(struct lowering *lowering, LLVMValueRef value,
			  LLVMValueRef *words)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;

	for (unsigned i = 0; i < element_count(type); i++) {
		LLVMValueRef part = is_vector
					    ? LLVMGetAggregateElement(value, i)
					    : value;
		LLVMValueRef bits =
			part ? LLVMConstBitCast(part, lowering->quad) : NULL;
		uint64_t number;

		if (bits && LLVMIsUndef(bits)) {
			words[2 * i] = LLVMGetUndef(lowering->word);
			words[2 * i + 1] = LLVMGetUndef(lowering->word);
			continue;
		}
		if (!bits || !LLVMIsAConstantInt(bits))
			return error_set(lowering->error, "a double constant "
							  "whose value only a "
							  "linker knows");
		number = LLVMConstIntGetZExtValue(bits);
		words[2 * i] = word_constant(lowering, (uint32_t)number);
		words[2 * i + 1] =
			word_constant(lowering, (uint32_t)(number >> 32));
	}
	return 0;
}

static void parameter_words(struct lowering *lowering, LLVMValueRef value,
			    LLVMValueRef *words)
{
	LLVMBasicBlockRef entry =
		LLVMGetEntryBasicBlock(LLVMGetParamParent(value));

	LLVMPositionBuilderBefore(lowering->builder,
				  LLVMGetFirstInstruction(entry));
	words_split(lowering, value, words,
		    2 * element_count(LLVMTypeOf(value)));
}

LLVMValueRef *words_of(struct lowering *lowering, LLVMValueRef value)
{
	LLVMValueRef *words = words_find(lowering, value);
	int status = 0;

	if (words)
		return words;
	if (LLVMIsAInstruction(value))
		return double_lower_value(lowering, value)
			       ? NULL
			       : words_find(lowering, value);
	words = xcalloc(2 * (size_t)element_count(LLVMTypeOf(value)),
			sizeof *words);
	if (LLVMIsAArgument(value))
		parameter_words(lowering, value, words);
	else
		status = constant_words(lowering, value, words);
	if (status) {
		free(words);
		return NULL;
	}
	words_set(lowering, value, words);
	return words;
}

/* --- Memory ------------------------------------------------------------- */

static unsigned pointer_space(LLVMValueRef pointer)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

/* Words that one access takes, at `done` of `count`. */
static unsigned access_size(unsigned space, unsigned done, unsigned count)
{
	if (space == SPACE_LOCAL || space == SPACE_PRIVATE ||
	    space == SPACE_GENERIC)
		return 1;
	return count - done >= 4 ? 4 : count - done;
}

static LLVMValueRef word_address(struct lowering *lowering, LLVMValueRef base,
				 unsigned index)
{
	LLVMValueRef number = word_constant(lowering, index);

	return index ? LLVMBuildInBoundsGEP2(lowering->builder, lowering->word,
					     base, &number, 1, "")
		     : base;
}

static void set_access(LLVMValueRef access, LLVMValueRef like, unsigned word)
{
	unsigned alignment = LLVMGetAlignment(like);
	unsigned offset = 4 * word;

	if (offset && (offset & -offset) < alignment)
		alignment = offset & -offset;
	LLVMSetAlignment(access, alignment);
	LLVMSetVolatile(access, LLVMGetVolatile(like));
}

void words_load(struct lowering *lowering, LLVMValueRef load,
		LLVMValueRef *words, unsigned count)
{
	LLVMValueRef base = LLVMGetOperand(load, 0);
	unsigned space = pointer_space(base), size;

	for (unsigned i = 0; i < count; i += size) {
		LLVMTypeRef type = lowering->word;
		LLVMValueRef part;

		size = access_size(space, i, count);
		if (size > 1)
			type = LLVMVectorType(lowering->word, size);
		part = LLVMBuildLoad2(lowering->builder, type,
				      word_address(lowering, base, i), "");
		set_access(part, load, i);
		if (size == 1) {
			words[i] = part;
			continue;
		}
		/* Without freeze LLVM would insert the half of one vector
		 * into another, and then not select that. */
		for (unsigned k = 0; k < size; k++)
			words[i + k] = LLVMBuildFreeze(
				lowering->builder, element(lowering, part, k),
				"");
	}
}

void words_store(struct lowering *lowering, LLVMValueRef store,
		 LLVMValueRef *words, unsigned count)
{
	LLVMValueRef base = LLVMGetOperand(store, 1);
	unsigned space = pointer_space(base), size;

	for (unsigned i = 0; i < count; i += size) {
		LLVMValueRef part = words[i];

		size = access_size(space, i, count);
		if (size > 1)
			part = words_join(lowering, words + i, size,
					  LLVMVectorType(lowering->word,
							 size));
		part = LLVMBuildStore(lowering->builder, part,
				      word_address(lowering, base, i));
		set_access(part, store, i);
	}
}
