/* From LLVM's IR to machine instructions: the declarations that the files of
 * the selector share. The selector refuses what it does not know, by name. */
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
	bool unstructured;      /* the reason is the control flow */
	char why[256];          /* "": no reason to refuse so far */
};

/* Notes the reason to refuse the kernel. The first reason stays. */
void select_refuse(struct selection *selection, LLVMValueRef inst,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool select_refused(const struct selection *selection);

/* --- Values (value.c) ----------------------------------------------------- */

/* The dwords of a type; 0: the selector does not know the type. */
unsigned select_count(LLVMTypeRef type);
/* The dwords of a value that has been selected, or is a constant or an
 * argument. */
struct parts select_parts(struct selection *selection, LLVMValueRef value);
struct machine_source select_value(struct selection *selection,
				   LLVMValueRef value);
/* Sets the dwords of a value. */
void select_define(struct selection *selection, LLVMValueRef value,
		   const struct parts *parts);
void select_define_one(struct selection *selection, LLVMValueRef value,
		       struct machine_source source);
void select_free(struct selection *selection);

struct machine_source select_register(int reg);
struct machine_source select_number(uint32_t value);
/* The dword of constant buffer 0 at a byte offset. */
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
/* Copies a source to an existing register. */
void select_copy(struct selection *selection, int reg,
		 struct machine_source source);

/* --- Instructions --------------------------------------------------------- */

/* Arithmetic, comparisons, conversions, vectors (arithmetic.c). False when the
 * instruction is none of these. */
bool select_arithmetic(struct selection *selection, LLVMValueRef inst);
/* Loads, stores, addresses (memory.c). */
bool select_memory(struct selection *selection, LLVMValueRef inst);
/* What a GEP computes. */
struct machine_source select_address(struct selection *selection,
				     LLVMValueRef gep);
/* Calls of intrinsics (intrinsic.c). */
void select_call(struct selection *selection, LLVMValueRef call);

/* All instructions of a block but its phis and its terminator. */
void select_block(struct selection *selection, LLVMBasicBlockRef block);
/* The whole function, with its control flow (structure.c). */
void select_function(struct selection *selection);

#endif
