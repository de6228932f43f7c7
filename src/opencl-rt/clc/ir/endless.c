#include "opencl-rt/clc/ir/endless.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { WAYS = 2, NONE = -1 };

struct flow {
	LLVMContextRef context;
	LLVMValueRef function;
	LLVMBasicBlockRef *blocks;
	int (*next)[WAYS];   /* of each block; NONE */
	bool *ends;          /* a return can be reached from the block */
	unsigned count;
};

static void find_next(struct flow *flow, unsigned block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(flow->blocks[block]);

	for (unsigned k = 0; k < WAYS; k++) {
		unsigned i = 0;

		flow->next[block][k] = NONE;
		if (k >= LLVMGetNumSuccessors(last))
			continue;
		while (flow->blocks[i] != LLVMGetSuccessor(last, k))
			i++;
		flow->next[block][k] = (int)i;
	}
}

static bool reaches_end(const struct flow *flow, unsigned block)
{
	for (unsigned k = 0; k < WAYS; k++)
		if (flow->next[block][k] != NONE &&
		    flow->ends[flow->next[block][k]])
			return true;
	return LLVMIsAReturnInst(
		LLVMGetBasicBlockTerminator(flow->blocks[block]));
}

static void find_ends(struct flow *flow)
{
	bool changed = true;

	for (unsigned i = 0; i < flow->count; i++)
		find_next(flow, i);
	while (changed) {
		changed = false;
		for (unsigned i = flow->count; i--;)
			if (!flow->ends[i] && reaches_end(flow, i))
				changed = flow->ends[i] = true;
	}
}

static LLVMBuilderRef replace_end(const struct flow *flow, unsigned block)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(flow->context);

	LLVMInstructionEraseFromParent(
		LLVMGetBasicBlockTerminator(flow->blocks[block]));
	LLVMPositionBuilderAtEnd(builder, flow->blocks[block]);
	return builder;
}

/* The block at whose end an endless loop begins anew, if there is one: it has one
 * successor, which comes before it. Any block with one successor would do, but
 * there lanes leave the loop as a whole. */
static int find_latch(const struct flow *flow)
{
	int found = NONE;

	for (unsigned i = 0; i < flow->count; i++) {
		if (flow->ends[i] || flow->next[i][0] == NONE ||
		    flow->next[i][1] != NONE)
			continue;
		found = (int)i;
		if (flow->next[i][0] <= found)
			return found;
	}
	return found;
}

static void add_way_out(const struct flow *flow, unsigned latch)
{
	LLVMBasicBlockRef next = flow->blocks[flow->next[latch][0]];
	LLVMBasicBlockRef out = LLVMAppendBasicBlockInContext(
		flow->context, flow->function, "");
	LLVMBuilderRef builder = replace_end(flow, latch);

	LLVMBuildCondBr(builder,
			LLVMConstInt(LLVMInt1TypeInContext(flow->context), 1,
				     false),
			next, out);
	LLVMPositionBuilderAtEnd(builder, out);
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
}

static void return_instead(const struct flow *flow)
{
	for (unsigned i = 0; i < flow->count; i++) {
		LLVMBuilderRef builder;

		if (!LLVMIsAUnreachableInst(
			    LLVMGetBasicBlockTerminator(flow->blocks[i])))
			continue;
		builder = replace_end(flow, i);
		LLVMBuildRetVoid(builder);
		LLVMDisposeBuilder(builder);
	}
}

/* One way out more; false: all control flow ends. */
static bool lower_one(struct flow *flow)
{
	int latch;

	flow->count = LLVMCountBasicBlocks(flow->function);
	flow->blocks = xcalloc(flow->count + 1, sizeof *flow->blocks);
	flow->next = xcalloc(flow->count + 1, sizeof *flow->next);
	flow->ends = xcalloc(flow->count + 1, sizeof *flow->ends);
	LLVMGetBasicBlocks(flow->function, flow->blocks);
	return_instead(flow);
	find_ends(flow);
	latch = find_latch(flow);
	if (latch != NONE)
		add_way_out(flow, (unsigned)latch);
	free(flow->blocks);
	free(flow->next);
	free(flow->ends);
	return latch != NONE;
}

void endless_lower(LLVMModuleRef module)
{
	struct flow flow = { .context = LLVMGetModuleContext(module) };

	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(function);

		if (LLVMIsDeclaration(function) ||
		    LLVMGetTypeKind(LLVMGetReturnType(type)) !=
			    LLVMVoidTypeKind)
			continue;
		flow.function = function;
		while (lower_one(&flow))
			;
	}
}
