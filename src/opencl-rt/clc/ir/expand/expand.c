/* Which calls are expanded, and by what. */
#include "opencl-rt/clc/ir/expand/expand.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/clc/ir/expand/build.h"
#include "opencl-rt/clc/ir/rewrite.h"

/* Whether the code generator has no operations for numbers of that width. */
static bool is_long(int width)
{
	return width > EXPAND_PIECE;
}

static bool is_long_or_odd(int width)
{
	return is_long(width) || (width & (width - 1));
}

static bool is_between(int width)
{
	return width > EXPAND_DWORD && width != EXPAND_PIECE;
}

static bool is_integer(int width)
{
	return width > 0;
}

static bool is_single(int width)
{
	return width == EXPAND_SINGLES;
}

static bool is_float(int width)
{
	return width == EXPAND_SINGLES || width == EXPAND_DOUBLES;
}

static const struct {
	const char *name;
	bool (*is_wanted)(int width);
	expand_function *expand;
} kinds[] = {
    {"llvm.fshl.", is_long_or_odd, expand_funnel},
    {"llvm.fshr.", is_long_or_odd, expand_funnel},
    {"llvm.smin.", is_long, expand_choice},
    {"llvm.smax.", is_long, expand_choice},
    {"llvm.umin.", is_long, expand_choice},
    {"llvm.umax.", is_long, expand_choice},
    {"llvm.abs.", is_long, expand_magnitude},
    {"llvm.sadd.sat.", is_long, expand_saturated},
    {"llvm.uadd.sat.", is_long, expand_saturated},
    {"llvm.ssub.sat.", is_long, expand_saturated},
    {"llvm.usub.sat.", is_long, expand_saturated},
    {"llvm.ctpop.", is_between, expand_ones},
    {"llvm.ctlz.", is_between, expand_zeros},
    {"llvm.cttz.", is_between, expand_zeros},
    {"llvm.bswap.", is_between, expand_reversal},
    {"llvm.bitreverse.", is_between, expand_reversal},
    {"llvm.scmp.", is_integer, expand_order},
    {"llvm.ucmp.", is_integer, expand_order},
    {"llvm.ldexp.", is_single, expand_ldexp},
    {"llvm.is.fpclass.", is_float, expand_class},
};

/* Bits of the numbers of a type, or what they are. */
static int width_of(LLVMTypeRef type)
{
	LLVMTypeKind kind = LLVMGetTypeKind(expand_element(type));

	if (kind == LLVMIntegerTypeKind)
		return (int)LLVMGetIntTypeWidth(expand_element(type));
	return kind == LLVMFloatTypeKind    ? EXPAND_SINGLES
	       : kind == LLVMDoubleTypeKind ? EXPAND_DOUBLES
					    : EXPAND_OTHERS;
}

/* False: it has no two operands that are numbers. */
static bool start(struct expansion *expansion, LLVMValueRef inst)
{
	if (LLVMGetNumOperands(inst) < 2)
		return false;
	expansion->call = inst;
	expansion->a = LLVMGetOperand(inst, 0);
	expansion->b = LLVMGetOperand(inst, 1);
	expansion->type = LLVMTypeOf(expansion->a);
	expansion->width = width_of(expansion->type);
	LLVMPositionBuilderBefore(expansion->builder, inst);
	return true;
}

static void replace(const struct expansion *expansion, LLVMValueRef value)
{
	LLVMReplaceAllUsesWith(expansion->call, value);
	LLVMInstructionEraseFromParent(expansion->call);
}

/* A call's operands end with the function. */
static void lower_call(struct expansion *expansion, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);

	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) ||
	    !start(expansion, call))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (expand_is_named(expansion, kinds[i].name) &&
		    kinds[i].is_wanted(expansion->width)) {
			replace(expansion, kinds[i].expand(expansion));
			return;
		}
}

/* LLVM has each constant once. */
static void lower_division(struct expansion *expansion, LLVMValueRef inst)
{
	unsigned long long divisor;

	if (!start(expansion, inst) || !is_long(expansion->width) ||
	    !LLVMIsAConstantInt(expansion->b))
		return;
	divisor = LLVMConstIntGetZExtValue(expansion->b) & EXPAND_DIVISOR;
	if (divisor &&
	    LLVMConstInt(expansion->type, divisor, false) == expansion->b)
		replace(expansion, expand_quotient(expansion));
}

static void lower_all(struct expansion *expansion, LLVMOpcode opcode,
		      void (*lower)(struct expansion *expansion,
				    LLVMValueRef inst))
{
	struct list list = find_instructions(expansion->module, opcode);

	for (size_t i = 0; i < list.count; i++)
		lower(expansion, list.items[i]);
	free(list.items);
}

void expand_lower(LLVMModuleRef module)
{
	struct expansion expansion = {
	    .builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module)),
	    .module = module,
	};

	lower_all(&expansion, LLVMCall, lower_call);
	lower_all(&expansion, LLVMURem, lower_division);
	lower_all(&expansion, LLVMUDiv, lower_division);
	LLVMDisposeBuilder(expansion.builder);
}
