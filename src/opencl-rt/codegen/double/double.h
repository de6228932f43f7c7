/* Doubles: pairs of dwords, on the device's operations of two and four slots.
 * Internal to the code generator. */
#ifndef M2S_OPENCL_RT_CODEGEN_DOUBLE_DOUBLE_H
#define M2S_OPENCL_RT_CODEGEN_DOUBLE_DOUBLE_H

#include "opencl-rt/codegen/select/select.h"

/* double, or a vector of it. */
bool double_is_type(LLVMTypeRef type);

/* The elements of a value as operands. A sign or a magnitude that another
 * instruction makes of them becomes a modifier, but no magnitude where the
 * operation has three operands. */
struct parts double_operands(struct selection *selection, LLVMValueRef value,
			     bool magnitudes);

/* An operation on one to three doubles; its result is a double. */
struct scalar double_operation(struct selection *selection, enum evg_alu_op op,
			       unsigned count, const struct scalar *operands);
struct scalar double_add(struct selection *selection, struct scalar a,
			 struct scalar b);
/* One whose result is a dword: a mask of 0 or -1, or a single. */
struct machine_source double_test(struct selection *selection,
				  enum evg_alu_op op, struct scalar a,
				  struct scalar b);
struct scalar double_number(double value);
/* Without the modifiers of its high dword, which they change. */
struct scalar double_settled(struct selection *selection, struct scalar a);

/* Additions and so on, comparisons, conversions. False when the instruction is
 * none of these, or not of doubles. */
bool double_arithmetic(struct selection *selection, LLVMValueRef inst);
bool double_comparison(struct selection *selection, LLVMValueRef inst);
bool double_conversion(struct selection *selection, LLVMValueRef inst);
/* Calls of intrinsics. */
bool double_call(struct selection *selection, LLVMValueRef call,
		 const char *name);

#endif
