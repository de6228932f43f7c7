/* Tools for rewriting the LLVM module. */
#ifndef M2S_OPENCL_RT_CLC_IR_REWRITE_H
#define M2S_OPENCL_RT_CLC_IR_REWRITE_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "opencl-rt/codegen/target.h"

struct rewrite {
	LLVMModuleRef module;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMTypeRef int_type, global_type;
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

/* Every instruction of the module with an opcode. */
struct list find_instructions(LLVMModuleRef module, LLVMOpcode opcode);

/* Sets *error: the place in the source if known, the kernel's name, and the
 * message. Returns -1. */
int rewrite_fail(struct rewrite *rewrite, LLVMValueRef inst,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));
bool starts_with(const char *text, const char *prefix);

/* --- Building, at the builder's place ----------------------------------- */

LLVMValueRef number(const struct rewrite *rewrite, unsigned value);

/* LLVM's passes whose names changed in 18, where the first complains if it is not
 * done after one turn unless it is told not to. */
#if LLVM_VERSION_MAJOR >= 18
#define PASS_INSTCOMBINE "instcombine<no-verify-fixpoint>"
#define PASS_LOWER_SWITCH "lower-switch"
#else
#define PASS_INSTCOMBINE "instcombine"
#define PASS_LOWER_SWITCH "lowerswitch"
#endif

/* Runs LLVM's passes, named as for `opt -passes=`. */
int run_passes(LLVMModuleRef module, const char *passes, struct error *error);
/* Runs passes on one function. */
int run_kernel_passes(LLVMModuleRef module, LLVMValueRef kernel,
		      const char *passes, struct error *error);
/* Adds or removes an attribute without a value. */
void set_attribute(LLVMContextRef context, LLVMValueRef function,
		   const char *name, bool add);

#endif
