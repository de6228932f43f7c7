/* Division by numbers that are known when a kernel is compiled. */
#include <stdio.h>
#include <stdlib.h>

#include "clc/support.h"
#include "codegen/random/ends.h"
#include "unit/random.h"

enum { COUNT = 256 };

static const uint32_t divisors[] = {
	2, 3, 5, 6, 7, 10, 14, 60, 64, 100, 641, 1000, 16807, 65535, 65536,
	127773, 1000000007, 0x40000000, 0x7fffffff, 0x80000001, 0xaaaaaaab,
	0xc0000000, 0xfffffff9, 0xfffffffe,
};

enum { DIVISORS = sizeof divisors / sizeof *divisors };

static char *make_source(void)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("kernel void divide(global uint *from, global uint *to)\n{\n"
	      "\tuint a = from[get_global_id(0)], sum = 0;\n", out);
	for (unsigned i = 0; i < DIVISORS; i++)
		fprintf(out, "\tsum = sum * 31 + a / %uU;\n"
			"\tsum = sum * 31 + a %% %uU;\n"
			"\tsum = sum * 31 + (int)a / (int)%uU;\n"
			"\tsum = sum * 31 + (int)a %% (int)%uU;\n",
			divisors[i], divisors[i], divisors[i], divisors[i]);
	fputs("\tto[get_global_id(0)] = sum;\n}\n", out);
	fclose(out);
	return text;
}

static uint32_t expected(uint32_t a)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < DIVISORS; i++) {
		uint32_t divisor = divisors[i];

		sum = sum * 31 + a / divisor;
		sum = sum * 31 + a % divisor;
		sum = sum * 31 + (uint32_t)((int32_t)a / (int32_t)divisor);
		sum = sum * 31 + (uint32_t)((int32_t)a % (int32_t)divisor);
	}
	return sum;
}

/* Numbers at the ends of the range, beside multiples, and any. */
static void fill(uint32_t *operands)
{
	uint64_t state = 1;

	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t drawn = (uint32_t)random_draw(&state);
		uint32_t divisor = divisors[i % DIVISORS];

		operands[i] = i < 16   ? i - 8
			      : i < 32 ? 0x80000000 + i - 24
			      : i % 2  ? drawn
				       : drawn / divisor * divisor - i / 2 % 2;
	}
}

bool divisors_check(void)
{
	uint32_t operands[COUNT], results[COUNT] = { 0 };
	const struct elementwise buffers = {
		.count = COUNT, .local_size = 64, .operands = operands,
		.operand_count = 1, .operand_size = sizeof operands,
		.results = results, .result_size = sizeof results,
	};
	char *source = make_source();
	struct clc_result result = compile_text(source, "");
	struct evg_program *program = NULL;
	const struct evg_kernel *kernel = NULL;
	struct error error = { "" };
	bool right;

	free(source);
	fill(operands);
	if (result.status == CLC_DONE)
		program = evg_program_read("divide", result.binary,
					   result.binary_size, &error);
	if (program)
		kernel = evg_program_find(program, "divide");
	right = kernel && !run_elementwise(kernel, &buffers, &error);
	for (unsigned i = 0; right && i < COUNT; i++) {
		right = results[i] == expected(operands[i]);
		if (!right)
			printf("# of 0x%x\n", operands[i]);
	}
	evg_program_free(program);
	clc_result_free(&result);
	return right;
}
