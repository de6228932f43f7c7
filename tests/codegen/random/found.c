/* What random kernels have found, and faults that were put in, reduced: each
 * writes what it says. */
#include <stdio.h>

#include "clc/support.h"
#include "codegen/random/ends.h"

static const struct {
	const char *name, *body;
	uint32_t expected;
	const char *options; /* or NULL */
} found[] = {
	{ "sub_sat_zero", "r[0] = sub_sat(0, a[0]);", 0x7fffffff, NULL },
	{ "sub_sat_zero_long",
	  "r[0] = sub_sat(0L, (long)((ulong)a[0] << 32)) >> 32;", 0x7fffffff,
	  NULL },
	{ "abs_known", "int x = INT_MIN; r[0] = abs(x) ? 5 : 6;", 5, NULL },
	{ "abs_vector", "int2 x = (int2)(INT_MIN, a[0]);"
			"r[0] = (abs(x).x ? 5 : 6) + (abs(x).y ? 1 : 2);",
	  6, NULL },
	{ "abs_diff_known",
	  "int x = INT_MIN, y = INT_MAX; r[0] = abs_diff(x, y) == ~0U;", 1,
	  NULL },
	{ "round_half", "r[0] = as_int(round(as_float(a[1])));", 0xc0400000,
	  NULL },
	{ "round_large", "r[0] = as_int(round(as_float(a[2])));", 0x4b000001,
	  NULL },
	{ "round_zero", "r[0] = as_int(round(as_float(a[3])));", 0x80000000,
	  NULL },
	/* LLVM makes one operation on a vector of these. */
	{ "reduce_sum", "int s = 0;"
			"for (int k = 0; k < 8; k++) s += a[k] * a[k] + k;"
			"r[0] = s;", 0x78d66b48, NULL },
	{ "reduce_xor", "int s = 0;"
			"for (int k = 0; k < 8; k++) s ^= a[k] * 3;"
			"r[0] = s;", 0xe51be958, NULL },
	/* LLVM makes products of 128 bits of sums of shifted numbers. */
	{ "long_product", "unsigned _BitInt(128) x = (uint)a[5];"
			  "x = (x << 64 | (uint)a[6]) * (x << 32 | (uint)a[7]);"
			  "r[0] = (uint)(x >> 96) ^ (uint)(x >> 64) ^ (uint)x;",
	  0x13ccb6, NULL },
	/* One whole number among the operands does not make a call ambiguous. */
	{ "pow_int", "r[0] = (int)rint(pow(2.0f, a[4]));", 32, NULL },
	/* Sums and differences of products, the product first and last; each
	 * product is used once. */
	{ "mads",
	  "\n#pragma OPENCL FP_CONTRACT OFF\n"
	  "float x = a[4], y = a[7], z = a[5], w = a[6];"
	  "r[0] = (int)(x * y + z) + 3 * (int)(w + x * z) +"
	  "5 * (int)(y * y - w) + 7 * (int)(w - y * z);",
	  0x82ccb, "-cl-mad-enable" },
};

/* INT_MIN, -2.5f, 8388609.0f, -0.25f, and for sums */
static const uint32_t operands[] = { 0x80000000, 0xc0200000, 0x4b000001,
				     0xbe800000, 5, 700, 90001, 0xfffffff1 };

bool found_check(void)
{
	bool right = true;

	for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
		char text[512];
		uint32_t result = 0;
		struct error error = { "" };
		const struct elementwise buffers = {
			.count = 1, .local_size = 1, .operands = operands,
			.operand_count = 1, .operand_size = sizeof operands,
			.results = &result, .result_size = sizeof result,
		};
		struct clc_result compiled;
		struct evg_program *program = NULL;
		const struct evg_kernel *kernel = NULL;

		snprintf(text, sizeof text, "kernel void f(global int *a, "
			 "global int *r)\n{\n\t%s\n}\n", found[i].body);
		compiled = compile_text(text, found[i].options);
		if (compiled.status == CLC_DONE)
			program = evg_program_read("f", compiled.binary,
						   compiled.binary_size,
						   &error);
		if (program)
			kernel = evg_program_find(program, "f");
		if (!kernel || run_elementwise(kernel, &buffers, &error) ||
		    result != found[i].expected) {
			printf("# %s: 0x%x, not 0x%x %s\n", found[i].name,
			       result, found[i].expected, error.text);
			right = false;
		}
		evg_program_free(program);
		clc_result_free(&compiled);
	}
	return right;
}
