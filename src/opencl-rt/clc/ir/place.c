/* Where code may be put. An operation on doubles is a carrier for each word of
 * its result (double/carrier.h), which must have the same operands and come out
 * of LLVM side by side: nothing may be put between them. */
#include <string.h>

#include "opencl-rt/clc/ir/live.h"
#include "opencl-rt/clc/ir/rewrite.h"

enum { ELEMENTS = 4 };

static bool is_carrier(LLVMValueRef inst)
{
	return LLVMIsACallInst(inst) &&
	       LLVMIsAFunction(LLVMGetCalledValue(inst)) &&
	       !strcmp(LLVMGetValueName(LLVMGetCalledValue(inst)),
		       "llvm.r600.dot4");
}

/* Walks through the insertions that a vector is made of, as far as they are in
 * one block: the first of their positions, not above `first`, and the elements
 * that they leave. */
static uint32_t read_vector(const struct live *live, LLVMValueRef vector,
			    uint32_t block, uint32_t first,
			    LLVMValueRef elements[ELEMENTS])
{
	memset(elements, 0, ELEMENTS * sizeof *elements);
	while (LLVMIsAInsertElementInst(vector)) {
		LLVMValueRef index = LLVMGetOperand(vector, 2);
		uint32_t at = live_position(live, vector);
		uint64_t i = LLVMIsAConstantInt(index)
				     ? LLVMConstIntGetZExtValue(index)
				     : ELEMENTS;

		if (live->block_of[at] != block)
			break;
		if (at < first)
			first = at;
		if (i < ELEMENTS && !elements[i])
			elements[i] = LLVMGetOperand(vector, 1);
		vector = LLVMGetOperand(vector, 0);
	}
	return first;
}

struct carrier_place {
	uint32_t first, last; /* with the vectors that it takes */
	LLVMValueRef elements[2][ELEMENTS];
};

static void read_carrier(const struct live *live, uint32_t position,
			 struct carrier_place *place)
{
	LLVMValueRef call = live->insts.items[position];

	place->first = place->last = position;
	for (unsigned i = 0; i < 2; i++)
		place->first = read_vector(live, LLVMGetOperand(call, i),
					   live->block_of[position],
					   place->first, place->elements[i]);
}

/* Whether two carriers compute two words of one result: but for the element
 * that says which word, their operands are the same. */
static bool belong_together(const struct carrier_place *a,
			    const struct carrier_place *b)
{
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < ELEMENTS; k++)
			if ((i || k + 1 < ELEMENTS) &&
			    a->elements[i][k] != b->elements[i][k])
				return false;
	return true;
}

static void join_places(struct live *live, uint32_t first, uint32_t last)
{
	/* What was joined before stays so. */
	first = live->before[first];
	for (uint32_t i = first; i <= last; i++) {
		live->before[i] = first;
		live->after[i] = last;
	}
}

void live_find_places(struct live *live)
{
	struct carrier_place earlier = { 0, 0, { { 0 } } }, place;
	uint32_t block = UINT32_MAX;

	for (uint32_t i = 0; i < live->insts.count; i++)
		live->before[i] = live->after[i] = i;
	for (uint32_t i = 0; i < live->insts.count; i++) {
		if (!is_carrier(live->insts.items[i]))
			continue;
		read_carrier(live, i, &place);
		if (block == live->block_of[i] &&
		    (place.first <= earlier.last ||
		     belong_together(&earlier, &place)))
			place.first = earlier.first;
		join_places(live, place.first, place.last);
		place.first = live->before[place.first];
		block = live->block_of[i];
		earlier = place;
	}
}
