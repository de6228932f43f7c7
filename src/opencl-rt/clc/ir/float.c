/* Square roots. The back end has no pattern for SQRT_IEEE and takes
 * 1 / (1 / sqrt(x)), which is off by one for squares; then sqrt(676) / 2
 * rounds down to 12. It selects the intrinsic behind RECIPSQRT_CLAMPED, which
 * nothing else uses: lowering puts it there, and the last step (patch.c) makes
 * the instruction SQRT_IEEE, which AMD's compiler used too.
 *
 * Divisions. a / b becomes a * RECIP_IEEE(b), good to 1.5 of the 2.5 units in
 * the last place that OpenCL C allows, except that the reciprocal of a number
 * above 2^126 is below the normal numbers and thus 0. As AMD's compiler did,
 * numbers above 2^96 are divided in two steps:
 * a / b = (a * (1 / (b * s))) * s with s = 2^-32.
 *
 * Conversions to char and short. A number that is out of range has no defined
 * value there, and the back end lets its upper bits run into whatever the char
 * is packed with: convert_uchar4 of 300 would change the next element. The low
 * bits of the conversion to int are what processors give. */
#include "opencl-rt/clc/ir/float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SQUARE_ROOT "llvm.sqrt."
#define MARKED_ROOT "llvm.r600.recipsqrt.clamped"
#define ABSOLUTE "llvm.fabs.f32"

static const double large = 0x1p96, scale = 0x1p-32;

struct floats {
	struct rewrite *rewrite;
	LLVMTypeRef float_type, unary_type; /* float, float(float) */
};

static LLVMValueRef unary(struct floats *floats, const char *name,
			  LLVMValueRef operand)
{
	LLVMModuleRef module = floats->rewrite->module;
	LLVMValueRef function = LLVMGetNamedFunction(module, name);

	if (!function)
		function = LLVMAddFunction(module, name, floats->unary_type);
	return LLVMBuildCall2(floats->rewrite->builder, floats->unary_type,
			      function, &operand, 1, "");
}

/* float, or a vector of it: its elements, else 0. */
static unsigned float_count(struct floats *floats, LLVMTypeRef type)
{
	if (type == floats->float_type)
		return 1;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	    LLVMGetElementType(type) == floats->float_type)
		return LLVMGetVectorSize(type);
	return 0;
}

static LLVMValueRef element(struct floats *floats, LLVMValueRef value,
			    unsigned i)
{
	if (LLVMTypeOf(value) == floats->float_type)
		return value;
	return LLVMBuildExtractElement(floats->rewrite->builder, value,
				       number(floats->rewrite, i), "");
}

/* Puts `made`, element i of the instruction, into what will replace it. */
static LLVMValueRef with_result(struct floats *floats, LLVMValueRef whole,
				LLVMValueRef made, unsigned i)
{
	if (LLVMTypeOf(whole) == floats->float_type)
		return made;
	return LLVMBuildInsertElement(floats->rewrite->builder, whole, made,
				      number(floats->rewrite, i), "");
}

/* --- Square roots ------------------------------------------------------- */

static bool is_root(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);

	return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
	       starts_with(LLVMGetValueName(callee), SQUARE_ROOT);
}

static void lower_root(struct floats *floats, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef operand = LLVMGetOperand(inst, 0), root, whole;

	LLVMPositionBuilderBefore(floats->rewrite->builder, inst);
	whole = LLVMGetUndef(type);
	for (unsigned i = 0; i < float_count(floats, type); i++) {
		root = unary(floats, MARKED_ROOT, element(floats, operand, i));
		whole = with_result(floats, whole, root, i);
	}
	LLVMReplaceAllUsesWith(inst, whole);
	LLVMInstructionEraseFromParent(inst);
}

static void lower_roots(struct floats *floats)
{
	struct list list = find_instructions(floats->rewrite->module, LLVMCall,
					     LLVMCall);

	for (size_t i = 0; i < list.count; i++)
		if (is_root(list.items[i]) &&
		    float_count(floats, LLVMTypeOf(list.items[i])))
			lower_root(floats, list.items[i]);
	free(list.items);
}

/* --- Divisions ---------------------------------------------------------- */

static bool constant_value(LLVMValueRef value, double *number)
{
	LLVMBool loses;

	if (!LLVMIsAConstantFP(value))
		return false;
	*number = fabs(LLVMConstRealGetDouble(value, &loses));
	return true;
}

/* Whether the simple way is right for these: a small divisor, or a dividend
 * with which the quotient by a large one is below the normal numbers. */
static bool needs_no_scale(LLVMValueRef dividend, LLVMValueRef divisor)
{
	double value;

	return (constant_value(divisor, &value) && value <= large) ||
	       (constant_value(dividend, &value) && value <= 1);
}

/* Whether the program asked for speed (-cl-fast-relaxed-math and the like). */
static bool is_fast(LLVMValueRef division)
{
	char *text = LLVMPrintValueToString(division);
	bool fast = strstr(text, " fdiv fast ") || strstr(text, " arcp ");

	LLVMDisposeMessage(text);
	return fast;
}

static LLVMValueRef divide(struct floats *floats, LLVMValueRef dividend,
			   LLVMValueRef divisor)
{
	LLVMBuilderRef builder = floats->rewrite->builder;
	LLVMTypeRef type = floats->float_type;
	LLVMValueRef is_large, factor, quotient;

	if (needs_no_scale(dividend, divisor))
		return LLVMBuildFDiv(builder, dividend, divisor, "");
	is_large = LLVMBuildFCmp(builder, LLVMRealOGT,
				 unary(floats, ABSOLUTE, divisor),
				 LLVMConstReal(type, large), "");
	factor = LLVMBuildSelect(builder, is_large, LLVMConstReal(type, scale),
				 LLVMConstReal(type, 1), "");
	divisor = LLVMBuildFMul(builder, divisor, factor, "");
	quotient = LLVMBuildFDiv(builder, dividend, divisor, "");
	return LLVMBuildFMul(builder, quotient, factor, "");
}

static void lower_division(struct floats *floats, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef dividend = LLVMGetOperand(inst, 0);
	LLVMValueRef divisor = LLVMGetOperand(inst, 1), whole, quotient;

	LLVMPositionBuilderBefore(floats->rewrite->builder, inst);
	whole = LLVMGetUndef(type);
	for (unsigned i = 0; i < float_count(floats, type); i++) {
		quotient = divide(floats, element(floats, dividend, i),
				  element(floats, divisor, i));
		whole = with_result(floats, whole, quotient, i);
	}
	LLVMReplaceAllUsesWith(inst, whole);
	LLVMInstructionEraseFromParent(inst);
}

static void lower_divisions(struct floats *floats)
{
	struct list list = find_instructions(floats->rewrite->module, LLVMFDiv,
					     LLVMFDiv);

	for (size_t i = 0; i < list.count; i++)
		if (float_count(floats, LLVMTypeOf(list.items[i])) &&
		    !is_fast(list.items[i]))
			lower_division(floats, list.items[i]);
	free(list.items);
}

/* --- Conversions -------------------------------------------------------- */

static LLVMTypeRef element_type(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? LLVMGetElementType(type)
		       : type;
}

static void lower_conversion(struct floats *floats, LLVMValueRef inst)
{
	LLVMBuilderRef builder = floats->rewrite->builder;
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMTypeRef wide = floats->rewrite->int_type;
	LLVMValueRef whole;

	if (LLVMGetIntTypeWidth(element_type(type)) >=
	    LLVMGetIntTypeWidth(wide))
		return;
	if (element_type(type) != type)
		wide = LLVMVectorType(wide, LLVMGetVectorSize(type));
	LLVMPositionBuilderBefore(builder, inst);
	whole = LLVMBuildFPToSI(builder, LLVMGetOperand(inst, 0), wide, "");
	whole = LLVMBuildTrunc(builder, whole, type, "");
	LLVMReplaceAllUsesWith(inst, whole);
	LLVMInstructionEraseFromParent(inst);
}

static void lower_conversions(struct floats *floats)
{
	struct list list = find_instructions(floats->rewrite->module,
					     LLVMFPToUI, LLVMFPToSI);

	for (size_t i = 0; i < list.count; i++)
		lower_conversion(floats, list.items[i]);
	free(list.items);
}

void float_lower(struct rewrite *rewrite)
{
	struct floats floats = {
		.rewrite = rewrite,
		.float_type = LLVMFloatTypeInContext(rewrite->context),
	};

	floats.unary_type = LLVMFunctionType(floats.float_type,
					     &floats.float_type, 1, false);
	lower_roots(&floats);
	lower_divisions(&floats);
	lower_conversions(&floats);
}
