/* Tools for rewriting the LLVM module. */
#ifndef M2S_OPENCL_RT_CLC_IR_REWRITE_H
#define M2S_OPENCL_RT_CLC_IR_REWRITE_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/codegen/target.h"

struct rewrite {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef int_type, vector_type, store_type, global_type;
	LLVMValueRef store; /* the intrinsic behind the marks */
	struct error *error;
};

void rewrite_start(struct rewrite *rewrite, LLVMModuleRef module,
		   struct error *error);
void rewrite_end(struct rewrite *rewrite);

/* An instruction list taken before changing the function. */
struct list {
	LLVMValueRef *items; /* to be freed */
	size_t count, capacity;
};

void list_add(struct list *list, LLVMValueRef item);
/* Every instruction of a function, or every instruction of the module with one
 * of two opcodes. */
struct list function_instructions(LLVMValueRef function);
struct list find_instructions(LLVMModuleRef module, LLVMOpcode opcode,
			      LLVMOpcode other);

/* The name of the kernel that an instruction is in. */
const char *kernel_of(LLVMValueRef inst);
/* Sets *error: the place in the source if known, the kernel's name, and the
 * message. Returns -1. */
int rewrite_fail(struct rewrite *rewrite, LLVMValueRef inst,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));
bool starts_with(const char *text, const char *prefix);

/* --- Building, at the builder's place ----------------------------------- */

LLVMValueRef number(const struct rewrite *rewrite, unsigned value);
/* A mark (marker.h). */
void build_mark(struct rewrite *rewrite, LLVMValueRef data, LLVMValueRef index,
		unsigned id);
LLVMValueRef with_element(struct rewrite *rewrite, LLVMValueRef vector,
			  LLVMValueRef element, unsigned index);
/* An address in dwords, the unit of RATs. */
LLVMValueRef dword_index(struct rewrite *rewrite, LLVMValueRef pointer);
/* Puts a freeze behind an instruction, for all its users. */
void freeze(struct rewrite *rewrite, LLVMValueRef inst);

/* Runs LLVM's passes, named as for `opt -passes=`. */
int run_passes(LLVMModuleRef module, const char *passes, struct error *error);
/* Runs passes on one function. */
int run_kernel_passes(LLVMModuleRef module, LLVMValueRef kernel,
		      const char *passes, struct error *error);
/* Adds or removes an attribute without a value. */
void set_attribute(LLVMContextRef context, LLVMValueRef function,
		   const char *name, bool add);

#endif
