/* From LLVM's IR to machine instructions: what the files of the selector share.
 * Whatever is not on their lists is refused by name. */
#ifndef M2S_OPENCL_RT_CODEGEN_SELECT_H
#define M2S_OPENCL_RT_CODEGEN_SELECT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/machine.h"

enum { SELECT_PARTS = 16 };

/* The dwords of a value: one, or the elements of a vector. i1 is 0 or -1. */
struct parts {
	unsigned count;
	struct machine_source part[SELECT_PARTS];
};

struct selected {
	LLVMValueRef value;
	struct parts parts;
};

struct selection {
	LLVMValueRef function;
	const struct evg_kernel *kernel;
	LLVMTargetDataRef layout;
	struct machine machine;
	/* Values that have been selected: a hash table. */
	struct selected *selected;
	size_t selected_count, selected_capacity;
	int ids[2][3];          /* of work-items, of work-groups */
	unsigned block_start;   /* the first instruction of the block */
	bool unstructured;      /* the control flow is refused */
	char why[256];          /* "": nothing is wrong so far */
};

/* Notes why the kernel is refused; the first reason stays. */
void select_refuse(struct selection *selection, LLVMValueRef inst,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool select_refused(const struct selection *selection);

/* --- Values (value.c) ----------------------------------------------------- */

/* How many dwords a type has; 0: it is not on the list. */
unsigned select_count(LLVMTypeRef type);
/* The dwords of a value, which has been selected or is a constant or an
 * argument. */
struct parts select_parts(struct selection *selection, LLVMValueRef value);
struct machine_source select_value(struct selection *selection,
				   LLVMValueRef value);
/* Says what a value is. */
void select_define(struct selection *selection, LLVMValueRef value,
		   const struct parts *parts);
void select_define_one(struct selection *selection, LLVMValueRef value,
		       struct machine_source source);
void select_free(struct selection *selection);

struct machine_source select_register(int reg);
struct machine_source select_number(uint32_t value);
/* A dword of constant buffer 0 by its byte. */
struct machine_source select_constant(struct selection *selection,
				      uint32_t byte);

/* Adds an operation with a new register as its result. */
struct machine_source select_op(struct selection *selection,
				enum evg_alu_op op, unsigned count,
				const struct machine_source *sources);
struct machine_source select_op1(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a);
struct machine_source select_op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b);
struct machine_source select_op3(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b,
				 struct machine_source c);
/* Copies a source to a register that there is. */
void select_copy(struct selection *selection, int reg,
		 struct machine_source source);

/* --- Instructions --------------------------------------------------------- */

/* Arithmetic, comparisons, conversions, vectors (arithmetic.c): false when the
 * instruction is none of these. */
bool select_arithmetic(struct selection *selection, LLVMValueRef inst);
/* Loads, stores, addresses (memory.c). */
bool select_memory(struct selection *selection, LLVMValueRef inst);
/* Calls of intrinsics (intrinsic.c). */
void select_call(struct selection *selection, LLVMValueRef call);

/* Everything but the block's phis and its last instruction. */
void select_block(struct selection *selection, LLVMBasicBlockRef block);
/* The whole function, with its control flow (structure.c). */
void select_function(struct selection *selection);

#endif
