/* What the code generator imports of LLVM's IR, from IR that no OpenCL C makes, or
 * none that LLVM's optimizer leaves so. A script stands for clang and prints its
 * bitcode. What is not on the list is refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "clc/support.h"
#include "codegen/imports/macros.h"
#include "codegen/imports/nested.h"
#include "codegen/imports/script.h"
#include "codegen/imports/widths.h"
#include "config.h"

enum { RESULTS = 8 };

/* Texts that macros put together. */
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* The body of a kernel f(a, r): it reads numbers at %a and writes numbers at
 * %r. */
static const struct {
	const char *name, *globals, *body;
	const char *refused; /* a part of the message, or NULL */
	uint32_t expected[RESULTS];
	/* Of the others LLVM's optimizer makes something else, or LLVM 17 has
	 * no such constants. */
	enum { ALWAYS, UNOPTIMIZED, BEFORE_17 } when;
} imports[] = {
#include "codegen/imports/compared.def"
#include "codegen/imports/constants.def"
#include "codegen/imports/narrow.def"
#include "codegen/imports/refused.def"
#include "codegen/imports/values.def"
};

static const uint32_t operands[] = {
	7, 0xfffffffb, 0x12345678, 0x80000001, 3, 0, 1, 0xffffffff,
	/* Floats: 1, 2, 1, 1, and beside them 2, 1, 1, NaN; 3. */
	0x3f800000, 0x40000000, 0x3f800000, 0x3f800000,
	0x40000000, 0x3f800000, 0x3f800000, 0x7fc00000,
	0x40400000,
};

static bool is_right(const struct clc_result *compiled, size_t number,
		     const char *options)
{
	uint32_t results[RESULTS] = { 0 };
	const struct elementwise buffers = {
		.count = 1, .local_size = 1, .operands = operands,
		.operand_count = 1, .operand_size = sizeof operands,
		.results = results, .result_size = sizeof results,
	};
	const struct evg_kernel *kernel = NULL;
	struct evg_program *program = NULL;
	struct error error = { "" };
	bool right;

	if (imports[number].refused) {
		right = compiled->status == CLC_BUILD_ERROR &&
			strstr(compiled->log, imports[number].refused);
	} else {
		if (compiled->status == CLC_DONE)
			program = evg_program_read("f", compiled->binary,
						   compiled->binary_size,
						   &error);
		kernel = program ? evg_program_find(program, "f") : NULL;
		right = kernel && !run_elementwise(kernel, &buffers, &error) &&
			!memcmp(results, imports[number].expected,
				sizeof results);
	}
	if (!right)
		printf("# %s %s: %s%s\n#", imports[number].name, options,
		       compiled->log ? compiled->log : "", error.text);
	for (unsigned i = 0; i < RESULTS && !right; i++)
		printf(" %x%s", results[i], i + 1 < RESULTS ? "" : "\n");
	evg_program_free(program);
	return right;
}

static bool check(const char *folder, size_t number, const char *options)
{
	struct clc_result compiled;
	bool right;

	if (!script_write(folder, imports[number].globals,
			  imports[number].body))
		return false;
	compiled = compile_text("kernel void f() {}", options);
	right = is_right(&compiled, number, options);
	clc_result_free(&compiled);
	printf("%sok - imports: %s%s%s\n", right ? "" : "not ",
	       imports[number].name, *options ? " " : "", options);
	return right;
}

int main(void)
{
	char folder[] = "/tmp/m2s-imports-XXXXXX";
	int failed = 0;
	char *path;

	if (!mkdtemp(folder)) {
		puts("not ok - imports: no folder");
		return 1;
	}
	path = xasprintf("%s/clang", folder);
	setenv("M2S_CLANG", path, 1);
	for (size_t i = 0; i < sizeof imports / sizeof *imports; i++) {
		if (imports[i].when == BEFORE_17 && atoi(M2S_LLVM) >= 17)
			continue;
		if (imports[i].when != UNOPTIMIZED)
			failed += !check(folder, i, "");
		failed += !check(folder, i, "-cl-opt-disable");
		if (!imports[i].refused)
			failed += !check(folder, i, "-cl-opt-disable "
					 "--codegen-without=structure");
	}
	failed += widths_check(folder);
	failed += nested_check(folder);
	free(path);
	path = xasprintf("rm -rf %s", folder);
	failed += system(path) != 0;
	free(path);
	return failed != 0;
}
