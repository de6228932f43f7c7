#include "codegen/imports/nested.h"

#include <stdio.h>
#include <string.h>

#include "clc/support.h"
#include "codegen/imports/script.h"

/* 768 bytes, more than the generator has at once; what is within fits. A run puts
 * the results' address at the beginning, and zeros behind it. */
#define WITHIN "{ ptr addrspace(1), [20 x { i32, i32 }] }"
#define WHOLE "{ " WITHIN ", [150 x i32], i32 }"

static const char module[] =
	"define amdgpu_kernel void @f(ptr addrspace(1) %a, " WHOLE " %s) #0 "
	"!kernel_arg_addr_space !0 !kernel_arg_access_qual !1 "
	"!kernel_arg_type !2 !kernel_arg_base_type !2 "
	"!kernel_arg_type_qual !3 !kernel_arg_name !4 {\n"
	"  %x = load i32, ptr addrspace(1) %a\n"
	"  %within = extractvalue " WHOLE " %s, 0\n"
	"  %r = extractvalue " WITHIN " %within, 0\n"
	"  %array = extractvalue " WITHIN " %within, 1\n"
	"  %element = extractvalue [20 x { i32, i32 }] %array, 19\n"
	"  %y = extractvalue { i32, i32 } %element, 1\n"
	"  %z = extractvalue " WHOLE " %s, 2\n"
	"  %sum = add i32 %x, %y\n"
	"  store i32 %sum, ptr addrspace(1) %r\n"
	"  %r1 = getelementptr i32, ptr addrspace(1) %r, i32 1\n"
	"  store i32 %z, ptr addrspace(1) %r1\n"
	"  ret void\n"
	"}\n"
	"!opencl.ocl.version = !{!5}\n"
	"!0 = !{i32 1, i32 0}\n"
	"!1 = !{!\"none\", !\"none\"}\n"
	"!2 = !{!\"int*\", !\"struct s\"}\n"
	"!3 = !{!\"\", !\"\"}\n"
	"!4 = !{!\"a\", !\"s\"}\n"
	"!5 = !{i32 1, i32 2}\n";

static bool is_right(const struct clc_result *compiled, struct error *error)
{
	const uint32_t operand = 0x12345678, expected[2] = { operand, 0 };
	uint32_t results[2] = { 1, 1 };
	const struct elementwise buffers = {
		.count = 1, .local_size = 1, .operands = &operand,
		.operand_count = 1, .operand_size = sizeof operand,
		.results = results, .result_size = sizeof results,
	};
	struct evg_program *program;
	const struct evg_kernel *kernel;
	bool right;

	if (compiled->status != CLC_DONE)
		return false;
	program = evg_program_read("f", compiled->binary, compiled->binary_size,
				   error);
	kernel = program ? evg_program_find(program, "f") : NULL;
	right = kernel && !run_elementwise(kernel, &buffers, error) &&
		!memcmp(results, expected, sizeof expected);
	evg_program_free(program);
	return right;
}

int nested_check(const char *folder)
{
	static const char *const options[] = { "", "-cl-opt-disable" };
	int failed = 0;

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		bool written = script_write_whole(folder, module);
		struct clc_result compiled =
			compile_text("kernel void f() {}", options[i]);
		struct error error = { "" };
		bool right = written && is_right(&compiled, &error);

		if (!right)
			printf("# %s%s\n", compiled.log ? compiled.log : "",
			       error.text);
		printf("%sok - imports: an argument's structures %s\n",
		       right ? "" : "not ", options[i]);
		failed += !right;
		clc_result_free(&compiled);
	}
	return failed;
}
