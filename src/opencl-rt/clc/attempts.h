/* The ways of compiling a program, and which of them each kernel takes. */
#ifndef M2S_OPENCL_RT_CLC_ATTEMPTS_H
#define M2S_OPENCL_RT_CLC_ATTEMPTS_H

#include <llvm-c/Core.h>
#include <stdbool.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/clc/backend.h"

/* One way of compiling. The first that yields code that checks out wins. */
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
	struct evg_program *program; /* what is known of the kernels */
	/* The way of each kernel, and which is compiled. */
	const struct attempt **choice;
	int only; /* index, or EVERY_KERNEL */
	bool has_doubles;
};

/* Compiles what compilation->only says, each kernel in its way, within
 * `seconds`: 0 and *binary; -1; or 1 when other ways cannot do better. */
int attempt_run(struct compilation *compilation, double seconds, char **binary,
		size_t *binary_size, struct error *error);

/* All kernels in one way, which nearly always succeeds; else each in the first
 * way that suits it. As backend_compile. */
int attempts_run(struct compilation *compilation, char **binary,
		 size_t *binary_size, struct error *error);

#endif
