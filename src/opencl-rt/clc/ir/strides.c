#include "opencl-rt/clc/ir/strides.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/graph.h"

enum {
	MOST = 8,    /* new numbers of a loop: each is a register all the time */
	DEPTH = 8,   /* operations from a counter to a product */
	DWORD = 32,  /* bits */
};

struct loop {
	const struct graph *graph;
	int header;
	LLVMBasicBlockRef before, last; /* the blocks that lead to the header */
	LLVMBuilderRef builder;
};

/* A number's value in the first turn, and what is added in each. */
struct stride {
	LLVMValueRef start, step;
};

static bool changes_in(const struct loop *loop, LLVMValueRef value)
{
	LLVMBasicBlockRef block;

	if (!LLVMIsAInstruction(value))
		return false;
	block = LLVMGetInstructionParent(value);
	return graph_in(loop->graph->loop[loop->header],
			graph_find(loop->graph, block));
}

static LLVMValueRef incoming(LLVMValueRef phi, LLVMBasicBlockRef block)
{
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == block)
			return LLVMGetIncomingValue(phi, i);
	return NULL;
}

/* What a counter grows by; NULL: it is none. */
static LLVMValueRef step_of(const struct loop *loop, LLVMValueRef phi)
{
	LLVMValueRef next = incoming(phi, loop->last);

	if (!next || !LLVMIsAInstruction(next) ||
	    LLVMGetInstructionOpcode(next) != LLVMAdd)
		return NULL;
	for (unsigned k = 0; k < 2; k++)
		if (LLVMGetOperand(next, k) == phi &&
		    !changes_in(loop, LLVMGetOperand(next, 1 - k)))
			return LLVMGetOperand(next, 1 - k);
	return NULL;
}

/* The operand of a sum or product that changes in the loop while the other does
 * not; NULL. */
static LLVMValueRef changing(const struct loop *loop, LLVMValueRef value,
			     LLVMValueRef *other)
{
	LLVMValueRef a, b;
	LLVMOpcode opcode;

	if (!LLVMIsAInstruction(value))
		return NULL;
	opcode = LLVMGetInstructionOpcode(value);
	if (opcode != LLVMAdd && opcode != LLVMSub && opcode != LLVMMul &&
	    opcode != LLVMShl)
		return NULL;
	a = LLVMGetOperand(value, 0);
	b = LLVMGetOperand(value, 1);
	if (changes_in(loop, a) && !changes_in(loop, b)) {
		*other = b;
		return a;
	}
	*other = a;
	return opcode != LLVMSub && opcode != LLVMShl && changes_in(loop, b) &&
			       !changes_in(loop, a)
		       ? b
		       : NULL;
}

/* Whether a value is made of a counter so; *products: how many there are. */
static bool is_regular(const struct loop *loop, LLVMValueRef value,
		       unsigned *products)
{
	LLVMBasicBlockRef header = loop->graph->blocks[loop->header];
	LLVMValueRef other;

	*products = 0;
	for (unsigned depth = 0; depth < DEPTH && value; depth++) {
		if (LLVMIsAPHINode(value))
			return LLVMGetInstructionParent(value) == header &&
			       step_of(loop, value);
		*products += LLVMIsAInstruction(value) &&
			     LLVMGetInstructionOpcode(value) == LLVMMul;
		value = changing(loop, value, &other);
	}
	return false;
}

/* Whether something reads a value other than to make a regular one of it. */
static bool is_used(const struct loop *loop, LLVMValueRef value)
{
	unsigned products;

	for (LLVMUseRef use = LLVMGetFirstUse(value); use;
	     use = LLVMGetNextUse(use))
		if (LLVMIsAPHINode(LLVMGetUser(use)) ||
		    !is_regular(loop, LLVMGetUser(use), &products))
			return true;
	return false;
}

/* Computes a regular value's stride before the loop. */
static struct stride make_stride(const struct loop *loop, LLVMValueRef value)
{
	struct stride stride;
	LLVMValueRef from, other;

	if (LLVMIsAPHINode(value))
		return (struct stride){ incoming(value, loop->before),
					step_of(loop, value) };
	from = changing(loop, value, &other);
	stride = make_stride(loop, from);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMAdd:
		stride.start = LLVMBuildAdd(loop->builder, stride.start, other,
					    "");
		break;
	case LLVMSub:
		stride.start = LLVMBuildSub(loop->builder, stride.start, other,
					    "");
		break;
	case LLVMMul:
		stride.start = LLVMBuildMul(loop->builder, stride.start, other,
					    "");
		stride.step = LLVMBuildMul(loop->builder, stride.step, other,
					   "");
		break;
	default:
		stride.start = LLVMBuildShl(loop->builder, stride.start, other,
					    "");
		stride.step = LLVMBuildShl(loop->builder, stride.step, other,
					   "");
	}
	return stride;
}

static void replace(const struct loop *loop, LLVMValueRef value)
{
	LLVMBasicBlockRef header = loop->graph->blocks[loop->header];
	LLVMBasicBlockRef blocks[2] = { loop->before, loop->last };
	LLVMValueRef phi, values[2];
	struct stride stride;

	LLVMPositionBuilderBefore(loop->builder,
				  LLVMGetBasicBlockTerminator(loop->before));
	stride = make_stride(loop, value);
	LLVMPositionBuilderBefore(loop->builder,
				  LLVMGetFirstInstruction(header));
	phi = LLVMBuildPhi(loop->builder, LLVMTypeOf(value), "");
	LLVMPositionBuilderBefore(loop->builder,
				  LLVMGetBasicBlockTerminator(loop->last));
	values[0] = stride.start;
	values[1] = LLVMBuildAdd(loop->builder, phi, stride.step, "");
	LLVMAddIncoming(phi, values, blocks, 2);
	LLVMReplaceAllUsesWith(value, phi);
}

/* The products that are to go, up to MOST. */
static unsigned find_products(const struct loop *loop, LLVMValueRef *found)
{
	const struct graph *graph = loop->graph;
	unsigned count = 0, products;

	for (unsigned i = 0; i < graph->count; i++) {
		if (!graph_in(graph->loop[loop->header], (int)i))
			continue;
		for (LLVMValueRef inst = LLVMGetFirstInstruction(
			     graph->blocks[i]);
		     inst && count < MOST; inst = LLVMGetNextInstruction(inst))
			if (LLVMGetTypeKind(LLVMTypeOf(inst)) ==
				    LLVMIntegerTypeKind &&
			    LLVMGetIntTypeWidth(LLVMTypeOf(inst)) == DWORD &&
			    !LLVMIsAPHINode(inst) &&
			    is_regular(loop, inst, &products) && products &&
			    is_used(loop, inst))
				found[count++] = inst;
	}
	return count;
}

/* Whether there is a loop in the loop, and one block leads to it from outside and
 * one from inside. */
static bool find_loop(const struct graph *graph, int header, struct loop *loop)
{
	const uint64_t *blocks = graph->loop[header];
	bool is_outer = false;

	loop->header = header;
	loop->before = loop->last = NULL;
	for (unsigned i = 0; i < graph->count; i++) {
		LLVMBasicBlockRef *from = graph_in(blocks, (int)i)
						  ? &loop->last
						  : &loop->before;

		is_outer |= (int)i != header && graph->loop[i] &&
			    graph_in(blocks, (int)i);
		if (graph->next[i][0] != header && graph->next[i][1] != header)
			continue;
		if (*from)
			return false;
		*from = graph->blocks[i];
	}
	return is_outer && loop->before && loop->last;
}

static void lower_function(LLVMValueRef function, LLVMBuilderRef builder)
{
	const char *why;
	struct graph *graph = graph_make(function, &why);
	struct loop loop = { .graph = graph, .builder = builder };

	for (unsigned i = 0; graph && !graph->irreducible && i < graph->count;
	     i++) {
		LLVMValueRef found[MOST];
		unsigned count;

		if (!graph->loop[i] || !find_loop(graph, (int)i, &loop))
			continue;
		count = find_products(&loop, found);
		for (unsigned k = 0; k < count; k++)
			replace(&loop, found[k]);
	}
	if (graph)
		graph_free(graph);
}

void strides_lower(LLVMModuleRef module)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(
		LLVMGetModuleContext(module));

	for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
	     function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function))
			lower_function(function, builder);
	LLVMDisposeBuilder(builder);
}
