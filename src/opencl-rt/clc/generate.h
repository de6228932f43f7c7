/* Programs by our own code generator (codegen/), kernel by kernel. */
#ifndef M2S_OPENCL_RT_CLC_GENERATE_H
#define M2S_OPENCL_RT_CLC_GENERATE_H

#include <llvm-c/Core.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/backend.h"
#include "opencl-rt/codegen/generate.h"
#include "opencl-rt/codegen/table/table.h"

/* The code of a program's kernels, as far as there is any. */
struct generated {
	struct generated_kernel {
		struct evg_program *code; /* of one kernel; NULL: none */
		struct codegen_facts facts;
		/* Where its code has places in the tables, in bytes. */
		uint32_t *places;
		int place_count;
		struct error why;         /* there is none */
	} *kernels;
	uint32_t count, missing;
	struct tables tables;   /* of constants */
};

/* Compiles the kernels of a module that nothing has been done to; `program` has
 * their signatures, and learns which samplers they define and which of them
 * print. A kernel that the generator does not know enough for has no code. The
 * module stays as it is. NULL and *error when LLVM's passes fail. */
struct generated *generated_create(const struct backend_options *options,
				   LLVMModuleRef module,
				   struct evg_program *program,
				   struct error *error);
void generated_free(struct generated *generated); /* NULL is fine */

/* Notes on standard error for the kernels without code: that another compiler
 * has made theirs, and why. */
void generated_say_missing(const struct generated *generated,
			   const struct evg_program *program);

/* A binary of the code, when no kernel is missing. -1 and *error when it fails
 * the checks. */
int generated_package(const struct generated *generated,
		      const struct backend_options *options,
		      const struct evg_program *program, char **binary,
		      size_t *binary_size, struct error *error);

/* Puts the code in the place of what another compiler made of the same kernels;
 * *binary is replaced. */
int generated_merge(const struct generated *generated,
		    const struct backend_options *options, char **binary,
		    size_t *binary_size, struct error *error);

#endif
