/* The ways of compiling a program, and the choice of one for each kernel. */
#ifndef M2S_OPENCL_RT_CLC_ATTEMPTS_H
#define M2S_OPENCL_RT_CLC_ATTEMPTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/backend.h"

/* One way of compiling. The first way whose code passes all checks is used. */
struct attempt {
	const char *description;
	const char *switches[8]; /* of LLVM's back end */
	bool scalarize;          /* lower_vectors first */
	bool scratch;            /* scratch_lower first */
	unsigned spill;          /* spill_values before that, dwords; or 0 */
	bool spill_all;          /* scratch_spill before that */
};

enum { EVERY_KERNEL = -1 };

/* A compilation under way. */
struct compilation {
	const struct backend_options *options;
	LLVMModuleRef module;
	struct evg_program *program; /* the kernels' signatures */
	/* The way of each kernel, and the kernel that is compiled. */
	const struct attempt **choice;
	int only; /* index, or EVERY_KERNEL */
	bool has_doubles;
};

/* Compiles the kernels that compilation->only selects, each in its way, within
 * `seconds`. Returns 0 and *binary; -1; or 1 when other ways cannot do
 * better. */
int attempt_run(struct compilation *compilation, double seconds, char **binary,
		size_t *binary_size, struct error *error);

/* Compiles all kernels in one way, which nearly always succeeds; else each
 * kernel in the first way that works for it. Results as of backend_compile. */
int attempts_run(struct compilation *compilation, char **binary,
		 size_t *binary_size, struct error *error);

#endif
