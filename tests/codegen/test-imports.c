/* What the code generator imports of LLVM's IR, from IR that no OpenCL C makes, or
 * none that LLVM's optimizer leaves so. A script stands for clang and prints its
 * bitcode. What is not on the list is refused by name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "clc/support.h"

enum { RESULTS = 4 };

/* The body of a kernel f(a, r): it reads numbers at %a and writes numbers at
 * %r. */
static const struct {
	const char *name, *globals, *body;
	const char *refused; /* a part of the message, or NULL */
	uint32_t expected[RESULTS];
	/* LLVM's optimizer makes something else of it. */
	bool unoptimized;
} imports[] = {
#include "codegen/imports.def"
};

static const uint32_t operands[] = { 7, 0xfffffffb, 0x12345678, 0x80000001,
				     3, 0, 1, 0xffffffff };

static const char head[] =
	"target datalayout = \"e-p:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-"
	"v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-"
	"A5-G1\"\n"
	"target triple = \"r600-unknown-unknown\"\n"
	"%s\n"
	"define amdgpu_kernel void @f(ptr addrspace(1) %%a, "
	"ptr addrspace(1) %%r) !kernel_arg_addr_space !0 "
	"!kernel_arg_access_qual !1 !kernel_arg_type !2 "
	"!kernel_arg_base_type !2 !kernel_arg_type_qual !3 "
	"!kernel_arg_name !4 {\n%s\n}\n"
	"!opencl.ocl.version = !{!5}\n"
	"!0 = !{i32 1, i32 1}\n"
	"!1 = !{!\"none\", !\"none\"}\n"
	"!2 = !{!\"int*\", !\"int*\"}\n"
	"!3 = !{!\"\", !\"\"}\n"
	"!4 = !{!\"a\", !\"r\"}\n"
	"!5 = !{i32 1, i32 2}\n";

static bool write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return false;
	fputs(text, file);
	return !fclose(file) && !chmod(path, mode);
}

/* The bitcode in a script that prints it: a confined compiler reads no other
 * file of ours. */
static bool make_clang(const char *folder, size_t number)
{
	char *text = xasprintf(head, imports[number].globals,
			       imports[number].body);
	char *path = xasprintf("%s/f.ll", folder);
	char *command = xasprintf(
		"cd %s && %s/llvm-as f.ll -o f.bc && { echo '#!/bin/sh'; "
		"echo \"base64 -d <<'END'\"; base64 f.bc; echo END; } >clang && "
		"chmod +x clang",
		folder, LLVM_BINDIR);
	bool done = write_file(path, text, 0644) && !system(command);

	free(command);
	free(path);
	free(text);
	return done;
}

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
		printf("# %s %s: %s%s %x %x %x %x\n", imports[number].name,
		       options, compiled->log ? compiled->log : "", error.text,
		       results[0], results[1], results[2], results[3]);
	evg_program_free(program);
	return right;
}

static bool check(const char *folder, size_t number, const char *options)
{
	struct clc_result compiled;
	bool right;

	if (!make_clang(folder, number))
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
		if (!imports[i].unoptimized)
			failed += !check(folder, i, "");
		failed += !check(folder, i, "-cl-opt-disable");
	}
	free(path);
	path = xasprintf("rm -rf %s", folder);
	failed += system(path) != 0;
	free(path);
	return failed != 0;
}
