/* Operations on integers at the ends of their ranges, each with each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "codegen/random/ends.h"
#include "codegen/random/program.h"

enum { ENDS = 8, PAIRS = ENDS * ENDS };

static const enum operation operations[] = {
	MIN, MAX, ADD_SAT, SUB_SAT, HADD, RHADD, MUL_HI, ROTATE, ABS_DIFF,
};

static uint64_t end(enum element element, unsigned number)
{
	unsigned bits = element_bits(element);
	const uint64_t ends[ENDS] = {
		0, 1, 2, UINT64_MAX, UINT64_MAX - 1,
		(UINT64_C(1) << (bits - 1)) - 1, UINT64_C(1) << (bits - 1),
		(UINT64_C(1) << (bits - 1)) + 1,
	};

	return element_cut(element, ends[number]);
}

static char *make_source(void)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned e = 0; e < FLOAT; e++)
		for (unsigned o = 0; o < sizeof operations / sizeof *operations;
		     o++) {
			const char *type = element_names[e];
			const char *name = operation_info[operations[o]].text;

			fprintf(out, "kernel void %s_%s(global %s *a, "
				"global %s *b, global %s *r)\n{\n"
				"\tint i = get_global_id(0);\n"
				"\tr[i] = as_%s(%s(a[i], b[i]));\n}\n",
				name, type, type, type, type, type, name);
		}
	fclose(out);
	return text;
}

static bool check_kernel(const struct evg_program *program, unsigned e,
			 enum operation operation)
{
	const struct type type = { (enum element)e, 1 };
	unsigned bytes = element_bits(type.element) / 8;
	uint8_t operands[2 * PAIRS * 8], results[PAIRS * 8] = { 0 };
	const struct elementwise buffers = {
		.count = PAIRS, .local_size = PAIRS, .operands = operands,
		.operand_count = 2, .operand_size = PAIRS * bytes,
		.results = results, .result_size = PAIRS * bytes,
	};
	char name[64];
	struct value values[PAIRS][2], expected;
	struct error error;
	const struct evg_kernel *kernel;

	snprintf(name, sizeof name, "%s_%s", operation_info[operation].text,
		 element_names[e]);
	kernel = evg_program_find(program, name);
	for (unsigned i = 0; i < PAIRS; i++)
		for (unsigned k = 0; k < 2; k++) {
			values[i][k].bits[0] = end(
				type.element, k ? i % ENDS : i / ENDS);
			memcpy(operands + (k * PAIRS + i) * bytes,
			       values[i][k].bits, bytes);
		}
	if (!kernel || run_elementwise(kernel, &buffers, &error)) {
		printf("# %s: %s\n", name, kernel ? error.text : "no kernel");
		return false;
	}
	for (unsigned i = 0; i < PAIRS; i++) {
		evaluate_operation(operation, type, values[i], &expected);
		if (!memcmp(results + i * bytes, expected.bits, bytes))
			continue;
		printf("# %s(0x%llx, 0x%llx)\n", name,
		       (unsigned long long)values[i][0].bits[0],
		       (unsigned long long)values[i][1].bits[0]);
		return false;
	}
	return true;
}

bool ends_check(void)
{
	char *source = make_source();
	struct clc_result result = compile_text(source, "");
	struct evg_program *program = NULL;
	struct error error = { "" };
	bool right;

	free(source);
	if (result.status == CLC_DONE)
		program = evg_program_read("ends", result.binary,
					   result.binary_size, &error);
	else
		printf("# %s\n", result.log);
	right = program != NULL;
	for (unsigned e = 0; program && e < FLOAT; e++)
		for (unsigned o = 0; o < sizeof operations / sizeof *operations;
		     o++)
			right &= check_kernel(program, e, operations[o]);
	evg_program_free(program);
	clc_result_free(&result);
	return right;
}
