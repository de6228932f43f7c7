/* What m2s-clc makes of images and samplers. What the code does is tested by
 * tests/opencl/images.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "unit/harness.h"

static void test_compiles(void)
{
	static const char *const options[] = { "", "-O1", "-O3 -g",
					       "-cl-opt-disable" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		struct evg_program *program = compile_program("images.cl",
							      options[i]);

		CU_ASSERT_PTR_NOT_NULL_FATAL(program);
		CU_ASSERT_EQUAL(program->kernel_count, 6);
		evg_program_free(program);
	}
}

static void check_argument(const struct evg_kernel *kernel, uint32_t index,
			   enum evg_argument_kind kind, enum evg_access access,
			   uint32_t offset, uint32_t number)
{
	const struct evg_argument *argument = &kernel->arguments[index];

	CU_ASSERT_EQUAL(argument->kind, kind);
	CU_ASSERT_EQUAL(argument->access, access);
	CU_ASSERT_EQUAL(argument->offset, offset);
	CU_ASSERT_EQUAL(argument->size, kind == EVG_ARGUMENT_IMAGE ? 32 : 4);
	CU_ASSERT_EQUAL(argument->number, number);
}

static void test_numbers(void)
{
	struct evg_program *program = compile_program("images.cl", "");
	const struct evg_kernel *kernel =
		program ? evg_program_find(program, "roles") : NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	CU_ASSERT_EQUAL_FATAL(kernel->argument_count, 6);
	check_argument(kernel, 0, EVG_ARGUMENT_IMAGE, EVG_ACCESS_READ_ONLY, 36,
		       16);
	check_argument(kernel, 1, EVG_ARGUMENT_IMAGE, EVG_ACCESS_WRITE_ONLY, 68,
		       1);
	check_argument(kernel, 2, EVG_ARGUMENT_SAMPLER, EVG_ACCESS_NONE, 100,
		       0);
	check_argument(kernel, 3, EVG_ARGUMENT_IMAGE, EVG_ACCESS_READ_ONLY, 104,
		       17);
	check_argument(kernel, 5, EVG_ARGUMENT_IMAGE, EVG_ACCESS_WRITE_ONLY,
		       140, 2);
	CU_ASSERT_EQUAL(kernel->tail_offset, 172);
	CU_ASSERT_EQUAL_FATAL(kernel->sampler_count, 2);
	CU_ASSERT_EQUAL(kernel->samplers[0].number, 1);
	CU_ASSERT_EQUAL(kernel->samplers[1].number, 2);
	/* In the order in which the code meets them. */
	CU_ASSERT_EQUAL(kernel->samplers[0].bits ^ kernel->samplers[1].bits,
			(EVG_SAMPLER_NORMALIZED | EVG_SAMPLER_REPEAT |
			 EVG_SAMPLER_LINEAR) ^
				(EVG_SAMPLER_CLAMP | EVG_SAMPLER_NEAREST));
	evg_program_free(program);
}

static unsigned count_fetches(const struct evg_code *code, enum evg_fetch_op op,
			      unsigned resource)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->fetch_count; i++)
		count += code->fetches[i].inst.op == op &&
			 code->fetches[i].inst.resource_id == resource;
	return count;
}

static unsigned count_stores(const struct evg_code *code, unsigned rat)
{
	unsigned count = 0;

	for (uint32_t i = 0; i < code->cf_count; i++)
		count += code->cf[i].size &&
			 code->cf[i].inst.format == EVG_CF_EXPORT_RAT &&
			 code->cf[i].inst.rat_op == EVG_RAT_STORE_TYPED &&
			 code->cf[i].inst.rat_id == rat;
	return count;
}

/* A sampler argument takes two fetches, one for each kind of coordinates; a
 * literal one. */
static void test_roles(void)
{
	struct evg_program *program = compile_program("images.cl", "");
	struct evg_code *code = kernel_code(program, "roles");
	unsigned normalized = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(count_fetches(code, EVG_FETCH_SAMPLE, 16), 4);
	CU_ASSERT_EQUAL(count_fetches(code, EVG_FETCH_SAMPLE, 17), 1);
	CU_ASSERT_EQUAL(count_stores(code, 1), 1);
	CU_ASSERT_EQUAL(count_stores(code, 2), 1);
	for (uint32_t i = 0; i < code->fetch_count; i++) {
		const struct evg_fetch_inst *inst = &code->fetches[i].inst;

		if (inst->op != EVG_FETCH_SAMPLE)
			continue;
		normalized += inst->normalized[0];
		CU_ASSERT_EQUAL(inst->normalized[0], inst->normalized[1]);
		CU_ASSERT_EQUAL(inst->normalized[2], inst->resource_id == 17);
	}
	CU_ASSERT_EQUAL(normalized, 3);
	evg_code_free(code);
	evg_program_free(program);
}

static void test_plain(void)
{
	struct evg_program *program = compile_program("images.cl", "");
	struct evg_code *code = kernel_code(program, "plain");

	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	CU_ASSERT_EQUAL(count_fetches(code, EVG_FETCH_LD, 16), 1);
	CU_ASSERT_EQUAL(count_fetches(code, EVG_FETCH_LD, 17), 1);
	CU_ASSERT_EQUAL(count_stores(code, 1), 1);
	evg_code_free(code);
	code = kernel_code(program, "either");
	CU_ASSERT_PTR_NOT_NULL_FATAL(code);
	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(count_fetches(code, EVG_FETCH_LD, 16 + i), 1);
		CU_ASSERT_EQUAL(count_stores(code, 1 + i), 1);
	}
	evg_code_free(code);
	evg_program_free(program);
}

static void refuses(const char *source, const char *options, const char *words)
{
	struct clc_result result = compile_text(source, options);

	CU_ASSERT_EQUAL(result.status, CLC_BUILD_ERROR);
	CU_ASSERT_PTR_NOT_NULL(strstr(result.log, words));
	if (!strstr(result.log, words))
		printf("# %s\n", result.log);
	clc_result_free(&result);
}

static void test_limits(void)
{
	char source[4096] = "kernel void k(read_only image2d_t a,"
			    "              global float4 *p) { *p = 0;";
	size_t length = strlen(source);

	/* Two kinds of coordinates, five modes, two filters: 17 of 20. */
	for (int i = 0; i < 17; i++)
		length += (size_t)snprintf(
			source + length, sizeof source - length,
			"{ const sampler_t s = %d; *p += read_imagef(a, s,"
			" (float2)(%d.0f, 1.0f)); }\n",
			(i & 1) | (i >> 1 & 1 ? 0x10 : 0x20) | 2 * (i / 4), i);
	strcat(source, "}");
	refuses(source, "", "kernel 'k': more than 16 samplers");
	refuses("kernel void k(read_only image2d_t a, global float4 *p)"
		"{ *p = write_imagef(a, (int2)(0, 0), *p); }", "",
		"error: no matching function");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "compile", test_compiles },
		{ "numbers and places", test_numbers },
		{ "fetches and stores", test_roles },
		{ "without samplers", test_plain },
		{ "limits", test_limits },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "clc images", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
