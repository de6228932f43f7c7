/* Vectors of doubles: kernels on the simulated device against the host. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "unit/harness.h"
#include "unit/random.h"

enum { COUNT = 4096, OPERANDS = 2, LOCAL_SIZE = 64 };

static double operands[OPERANDS][COUNT], results[COUNT];

static const double corners[] = {
    0.0,
    1.0,
    0.5,
    1.5,
    2.5,
    INFINITY,
    NAN,
    1e300,
    0x1p-1022,
    0x1p-1074,
    0x1p52,
    0x1.fffffffffffffp1023,
    0x1.fffffffffffffp-1,
    0x1.0000000000001p-1,
    4503599627370495.5,
};

/* Numbers of the size of 1, any numbers, and some that are special. */
static void make_operands(void)
{
	uint64_t random = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < COUNT; i++)
		for (unsigned k = 0; k < OPERANDS; k++) {
			uint64_t bits = random_draw(&random);

			if (i % 3)
				bits = (bits & ~(UINT64_C(0x7ff) << 52)) |
				       (1013 + bits % 61) << 52;
			memcpy(&operands[k][i], &bits, sizeof bits);
			if (!(random_draw(&random) % 16))
				operands[k][i] = corners[random_draw(&random) %
							 ARRAY_SIZE(corners)];
		}
}

static double one_rint(double a, double b)
{
	(void)b;
	return rint(a);
}

static double one_floor(double a, double b)
{
	(void)b;
	return floor(a);
}

static double one_round(double a, double b)
{
	(void)b;
	return round(a);
}

static double one_sqrt(double a, double b)
{
	(void)b;
	return sqrt(a);
}

static double divide(double a, double b)
{
	return a / b;
}

static double add(double a, double b)
{
	return a + b;
}

static double multiply(double a, double b)
{
	return a * b;
}

static const struct {
	const char *kernel;
	unsigned width;
	double (*right)(double a, double b);
} vectors[] = {
    {"rint_double4", 4, one_rint},       {"rint_double8", 8, one_rint},
    {"rint_double16", 16, one_rint},     {"floor_double4", 4, one_floor},
    {"floor_double8", 8, one_floor},     {"round_double8", 8, one_round},
    {"sqrt_double2", 2, one_sqrt},       {"divide_double2", 2, divide},
    {"divide_double4", 4, divide},       {"add_double8", 8, add},
    {"multiply_double16", 16, multiply}, {"fmax_double8", 8, fmax},
};

static bool same(double ours, double theirs)
{
	return !memcmp(&ours, &theirs, sizeof ours) ||
	       (isnan(ours) && isnan(theirs));
}

static bool runs(const struct evg_program *program, const char *name,
		 unsigned width)
{
	const struct evg_kernel *kernel = evg_program_find(program, name);
	const struct elementwise buffers = {
	    .count = COUNT / width,
	    .local_size = LOCAL_SIZE,
	    .operands = operands,
	    .operand_count = OPERANDS,
	    .operand_size = sizeof operands[0],
	    .results = results,
	    .result_size = sizeof results,
	};
	struct error error = {""};

	if (kernel && !run_elementwise(kernel, &buffers, &error))
		return true;
	printf("# %s: %s\n", name, kernel ? error.text : "not there");
	return false;
}

static void test_elements(void)
{
	struct evg_program *program = compile_program("double-vectors.cl", "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	make_operands();
	for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
		unsigned wrong = 0;

		CU_ASSERT_FATAL(
		    runs(program, vectors[i].kernel, vectors[i].width));
		for (size_t k = 0; k < COUNT; k++) {
			double a = operands[0][k], b = operands[1][k];
			double right = vectors[i].right(a, b);

			if (!same(results[k], right) && wrong++ < 4)
				printf("# %s, %a %a: %a here, %a there\n",
				       vectors[i].kernel, a, b, results[k],
				       right);
		}
		CU_ASSERT_EQUAL(wrong, 0);
	}
	evg_program_free(program);
}

int main(void)
{
	CU_TestInfo tests[] = {
	    {"element by element", test_elements},
	    CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
	    {"vectors of doubles", NULL, NULL, NULL, NULL, tests},
	    CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
