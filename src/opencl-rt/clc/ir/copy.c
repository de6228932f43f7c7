#include "opencl-rt/clc/ir/copy.h"

#include <stdlib.h>

#include "opencl-rt/clc/ir/rewrite.h"

/* Parts of a copy that are written out; more become a loop. */
enum { UNROLL_MAX = 16 };

struct copy {
	struct rewrite *rewrite;
	LLVMValueRef call, to, from; /* from: the byte, for a memset */
	LLVMValueRef size;           /* bytes */
	unsigned part;               /* bytes moved at once */
	bool fill, may_overlap;
};

static unsigned argument_alignment(LLVMValueRef call, unsigned index)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef attribute =
		LLVMGetCallSiteEnumAttribute(call, index + 1, kind);
	uint64_t value = attribute ? LLVMGetEnumAttributeValue(attribute) : 1;

	return value > 4 ? 4 : (unsigned)value;
}

static LLVMTypeRef part_type(const struct copy *copy)
{
	return LLVMIntTypeInContext(copy->rewrite->context, 8 * copy->part);
}

static LLVMValueRef place_of_part(const struct copy *copy, LLVMValueRef pointer,
				  LLVMValueRef offset)
{
	return LLVMBuildGEP2(copy->rewrite->builder,
			     LLVMInt8TypeInContext(copy->rewrite->context),
			     pointer, &offset, 1, "");
}

static LLVMValueRef address_at(const struct copy *copy, LLVMValueRef pointer,
			       LLVMValueRef offset)
{
	return LLVMBuildPtrToInt(copy->rewrite->builder,
				 place_of_part(copy, pointer, offset),
				 copy->rewrite->int_type, "");
}

static LLVMValueRef read_part(const struct copy *copy, LLVMValueRef offset)
{
	LLVMBuilderRef builder = copy->rewrite->builder;
	LLVMValueRef value;

	if (copy->fill) {
		value = LLVMBuildZExt(builder, copy->from,
				      copy->rewrite->int_type, "");
		value = LLVMBuildMul(builder, value,
				     number(copy->rewrite, 0x01010101), "");
		return LLVMBuildTrunc(builder, value, part_type(copy), "");
	}
	value = LLVMBuildLoad2(builder, part_type(copy),
			       place_of_part(copy, copy->from, offset), "");
	LLVMSetAlignment(value, copy->part);
	return value;
}

static void write_part(const struct copy *copy, LLVMValueRef offset,
		       LLVMValueRef value)
{
	LLVMValueRef store = LLVMBuildStore(
		copy->rewrite->builder, value,
		place_of_part(copy, copy->to, offset));

	LLVMSetAlignment(store, copy->part);
}

/* All is read before anything is written. */
static void unroll(const struct copy *copy, unsigned count)
{
	LLVMValueRef values[UNROLL_MAX];

	LLVMPositionBuilderBefore(copy->rewrite->builder, copy->call);
	for (unsigned i = 0; i < count; i++)
		values[i] = read_part(copy, number(copy->rewrite,
						   i * copy->part));
	for (unsigned i = 0; i < count; i++)
		write_part(copy, number(copy->rewrite, i * copy->part),
			   values[i]);
}

/* The offset at which the i-th step of a loop works: from the end when the
 * source lies below the target. */
static LLVMValueRef loop_offset(const struct copy *copy, LLVMValueRef index)
{
	LLVMBuilderRef builder = copy->rewrite->builder;
	LLVMValueRef zero = number(copy->rewrite, 0);
	LLVMValueRef part = number(copy->rewrite, copy->part), last, backward;

	if (!copy->may_overlap)
		return index;
	backward = LLVMBuildICmp(builder, LLVMIntULT,
				 address_at(copy, copy->from, zero),
				 address_at(copy, copy->to, zero), "");
	last = LLVMBuildSub(builder, copy->size, part, "");
	return LLVMBuildSelect(builder, backward,
			       LLVMBuildSub(builder, last, index, ""), index,
			       "");
}

static void retarget(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(from);
	LLVMBasicBlockRef block;

	for (block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

		for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++)
			if (LLVMGetSuccessor(end, i) == from)
				LLVMSetSuccessor(end, i, to);
	}
}

/* Moves everything before an instruction (no phi) into a new block in front of
 * its block. The old block keeps its name, the instruction and what follows, so
 * that later blocks need no change. The new block has no terminator yet. */
static LLVMBasicBlockRef split_before(LLVMValueRef inst)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst), head;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(inst));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMValueRef first;

	head = LLVMInsertBasicBlockInContext(context, block, "");
	retarget(block, head);
	LLVMPositionBuilderAtEnd(builder, head);
	while ((first = LLVMGetFirstInstruction(block)) != inst) {
		LLVMInstructionRemoveFromParent(first);
		LLVMInsertIntoBuilder(builder, first);
	}
	LLVMDisposeBuilder(builder);
	return head;
}

static void build_loop(const struct copy *copy)
{
	struct rewrite *rewrite = copy->rewrite;
	LLVMBuilderRef builder = rewrite->builder;
	LLVMBasicBlockRef after = LLVMGetInstructionParent(copy->call);
	LLVMBasicBlockRef before = split_before(copy->call), body, blocks[2];
	LLVMValueRef index, next, values[2], offset, any;

	body = LLVMInsertBasicBlockInContext(rewrite->context, after, "");
	LLVMPositionBuilderAtEnd(builder, before);
	any = LLVMBuildICmp(builder, LLVMIntNE, copy->size, number(rewrite, 0),
			    "");
	LLVMBuildCondBr(builder, any, body, after);
	LLVMPositionBuilderAtEnd(builder, body);
	index = LLVMBuildPhi(builder, rewrite->int_type, "");
	offset = loop_offset(copy, index);
	write_part(copy, offset, read_part(copy, offset));
	next = LLVMBuildAdd(builder, index, number(rewrite, copy->part), "");
	LLVMBuildCondBr(builder,
			LLVMBuildICmp(builder, LLVMIntULT, next, copy->size,
				      ""),
			body, after);
	values[0] = number(rewrite, 0);
	values[1] = next;
	blocks[0] = before;
	blocks[1] = body;
	LLVMAddIncoming(index, values, blocks, 2);
}

static LLVMValueRef to_int(struct rewrite *rewrite, LLVMValueRef size)
{
	return LLVMBuildIntCast2(rewrite->builder, size, rewrite->int_type,
				 false, "");
}

/* What a call copies; false: it is another call. */
static bool read_call(struct copy *copy)
{
	LLVMValueRef callee = LLVMGetCalledValue(copy->call);
	const char *name;

	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return false;
	name = LLVMGetValueName(callee);
	copy->fill = starts_with(name, "llvm.memset.");
	copy->may_overlap = starts_with(name, "llvm.memmove.");
	if (!copy->fill && !copy->may_overlap &&
	    !starts_with(name, "llvm.memcpy."))
		return false;
	copy->to = LLVMGetOperand(copy->call, 0);
	copy->from = LLVMGetOperand(copy->call, 1);
	/* Only within one space are there places to compare. */
	copy->may_overlap &=
		LLVMTypeOf(copy->to) == LLVMTypeOf(copy->from);
	return true;
}

static void write_out(struct copy *copy)
{
	struct rewrite *rewrite = copy->rewrite;
	unsigned alignment;
	uint64_t size = 0;

	LLVMPositionBuilderBefore(rewrite->builder, copy->call);
	copy->size = to_int(rewrite, LLVMGetOperand(copy->call, 2));
	copy->part = argument_alignment(copy->call, 0);
	alignment = copy->fill ? 4 : argument_alignment(copy->call, 1);
	if (alignment < copy->part)
		copy->part = alignment;
	if (LLVMIsAConstantInt(copy->size))
		size = LLVMConstIntGetZExtValue(copy->size);
	else
		copy->part = 1;
	while (size % copy->part)
		copy->part /= 2;
	if (size && size / copy->part <= UNROLL_MAX)
		unroll(copy, (unsigned)size / copy->part);
	else
		build_loop(copy);
	LLVMInstructionEraseFromParent(copy->call);
}

void copies_lower(LLVMModuleRef module, struct error *error)
{
	struct list calls = find_instructions(module, LLVMCall);
	struct rewrite rewrite;

	rewrite_start(&rewrite, module, error);
	for (size_t i = 0; i < calls.count; i++) {
		struct copy copy = { .rewrite = &rewrite,
				     .call = calls.items[i] };

		if (read_call(&copy))
			write_out(&copy);
	}
	rewrite_end(&rewrite);
	free(calls.items);
}
