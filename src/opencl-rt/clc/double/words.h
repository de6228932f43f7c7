/* Doubles as pairs of words, in LLVM's representation. */
#ifndef M2S_OPENCL_RT_CLC_DOUBLE_WORDS_H
#define M2S_OPENCL_RT_CLC_DOUBLE_WORDS_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* A value's words: the low and high word of a double, or of each element of a
 * vector. Values are numbers of LLVM's type i32. */
struct words {
	LLVMValueRef value; /* the double */
	LLVMValueRef *word;
};

struct lowering {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef bit, word, quad, single, vector; /* i1 i32 i64 f32 4 x f32 */
	LLVMTypeRef dot_type, fabs_type, groups_type;
	LLVMValueRef dot, fabs, groups; /* intrinsics */
	/* The word 0x80000000 in the function where it was needed last. */
	LLVMValueRef sign_function, sign_word;
	unsigned carrier_count; /* number of carriers so far */
	/* The words of every double so far: a hash table by `value`. */
	struct words *table;
	size_t table_size, table_count;
	struct error *error;
};

/* Whether a type is double or a vector of it. */
bool is_double(LLVMTypeRef type);
/* Elements of a vector, 1 for others. */
unsigned element_count(LLVMTypeRef type);

/* Read and replace an element of a vector of any numbers. A scalar counts as
 * its only element. */
LLVMValueRef number_element(struct lowering *lowering, LLVMValueRef value,
			    unsigned index);
LLVMValueRef set_element(struct lowering *lowering, LLVMValueRef vector,
			 LLVMValueRef value, unsigned index);

LLVMValueRef word_constant(const struct lowering *lowering, uint32_t value);

/* The words of a value of type double or vector of double. Instructions that
 * are not lowered yet are lowered now (double_lower_value): the builder may
 * have moved. NULL after an error. */
LLVMValueRef *words_of(struct lowering *lowering, LLVMValueRef value);

/* Sets the words of a value. Takes over the array, which is on the heap. */
void words_set(struct lowering *lowering, LLVMValueRef value,
	       LLVMValueRef *words);
LLVMValueRef *words_find(const struct lowering *lowering, LLVMValueRef value);

/* Split any value of another type with a multiple of 64 bits into words, and
 * join words to such a value; at the builder's position. */
void words_split(struct lowering *lowering, LLVMValueRef value,
		 LLVMValueRef *words, unsigned count);
LLVMValueRef words_join(struct lowering *lowering, LLVMValueRef *words,
			unsigned count, LLVMTypeRef type);

/* A load or store of `count` words like the given one. */
void words_load(struct lowering *lowering, LLVMValueRef load,
		LLVMValueRef *words, unsigned count);
void words_store(struct lowering *lowering, LLVMValueRef store,
		 LLVMValueRef *words, unsigned count);

/* In lower.c: defines the words of an instruction. */
int double_lower_value(struct lowering *lowering, LLVMValueRef inst);

#endif
