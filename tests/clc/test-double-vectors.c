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
	0.0, 1.0, 0.5, 1.5, 2.5, INFINITY, NAN, 1e300, 0x1p-1022, 0x1p-1074,
	0x1p52, 0x1.fffffffffffffp1023, 0x1.fffffffffffffp-1,
	0x1.0000000000001p-1, 4503599627370495.5,
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
	{ "rint_double4", 4, one_rint },
	{ "rint_double8", 8, one_rint },
	{ "rint_double16", 16, one_rint },
	{ "floor_double4", 4, one_floor },
	{ "floor_double8", 8, one_floor },
	{ "round_double8", 8, one_round },
	{ "sqrt_double2", 2, one_sqrt },
	{ "divide_double2", 2, divide },
	{ "divide_double4", 4, divide },
	{ "add_double8", 8, add },
	{ "multiply_double16", 16, multiply },
	{ "fmax_double8", 8, fmax },
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
	struct error error = { "" };

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

/* --- Elements that go elsewhere ----------------------------------------- */

static uint64_t mask_at(size_t index)
{
	uint64_t bits;

	memcpy(&bits, &operands[1][index], sizeof bits);
	return bits;
}

static double shuffled(size_t index)
{
	const double *a = operands[0] + index / 16 * 16;
	uint64_t mask = mask_at(index);

	switch (index % 16) {
	case 12:
	case 13:
		return a[8 + mask % 8];
	case 14:
	case 15:
		return a[mask % 4];
	default:
		return a[index % 16 < 8 ? mask % 16 : mask % 8];
	}
}

/* The second vector has the elements 0, 15, 1, 14, ... of the first. */
static double shuffled_of_two(size_t index)
{
	uint64_t mask = mask_at(index) % 32, second = (mask - 16) / 2;

	if (mask >= 16)
		mask = mask % 2 ? 15 - second : second;
	return operands[0][index / 16 * 16 + mask];
}

static double shuffled_by_constant(size_t index)
{
	static const size_t mask[] = { 3, 3, 0, 1 };

	return operands[0][index / 4 * 4 + mask[index % 4]];
}

static double of_even(size_t index)
{
	return operands[0][index / 2 * 2];
}

static double rest_of_division(size_t index)
{
	return remainder(operands[0][index], operands[1][index]);
}

static double no_number(size_t index)
{
	(void)index;
	return NAN;
}

static const struct {
	const char *kernel;
	unsigned width;
	double (*right)(size_t index);
} moves[] = {
	{ "shuffle_double16", 16, shuffled },
	{ "shuffle2_double16", 16, shuffled_of_two },
	{ "shuffle_constant_double4", 4, shuffled_by_constant },
	{ "strided_double2", 2, of_even },
	{ "remquo_double8", 8, rest_of_division },
	{ "nan_double4", 4, no_number },
};

static void test_moves(void)
{
	struct evg_program *program = compile_program("double-vectors.cl", "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	make_operands();
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		unsigned wrong = 0;

		CU_ASSERT_FATAL(runs(program, moves[i].kernel, moves[i].width));
		for (size_t k = 0; k < COUNT; k++) {
			double right = moves[i].right(k);

			if (!same(results[k], right) && wrong++ < 4)
				printf("# %s, %zu: %a here, %a there\n",
				       moves[i].kernel, k, results[k], right);
		}
		CU_ASSERT_EQUAL(wrong, 0);
	}
	evg_program_free(program);
}

/* --- Halves ------------------------------------------------------------- */

enum { HALF_INFINITY = 0x7c00 };

/* Numbers of the size of halves, often ones between two of them, or next to
 * such. Some have any exponent, and some NaNs show only in the low dword. */
static void make_halves(void)
{
	uint64_t random = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < COUNT; i++) {
		uint64_t bits = random_draw(&random);

		bits &= ~(UINT64_C(0x7ff) << 52);
		if (i % 3)
			bits &= ~UINT64_C(0) << (40 + i % 4);
		bits |= i % 5 == 0;
		bits |= (i % 16 ? 997 + random_draw(&random) % 44
				: random_draw(&random) % 0x800) << 52;
		if (i % 64 == 1)
			bits = bits >> 63 << 63 | UINT64_C(0x7ff) << 52 | i;
		memcpy(&operands[0][i], &bits, sizeof bits);
		if (!(random_draw(&random) % 16))
			operands[0][i] = corners[random_draw(&random) %
						 ARRAY_SIZE(corners)];
	}
}

/* The last one is not finite, but numbers are rounded as if it were. */
static double half_value(unsigned bits)
{
	return bits < 0x400 ? ldexp(bits, -24)
			    : ldexp(1024 + bits % 1024,
				    (int)(bits / 1024) - 25);
}

static unsigned right_half(double x, const char *mode)
{
	unsigned sign = signbit(x) ? 0x8000 : 0, low = 0;
	double a = fabs(x), below, above;
	bool up;

	if (isinf(x))
		return sign | HALF_INFINITY;
	/* The largest half that is not above. */
	for (unsigned bit = 0x4000; bit; bit /= 2)
		if (low + bit < HALF_INFINITY && half_value(low + bit) <= a)
			low += bit;
	below = a - half_value(low);
	above = half_value(low + 1) - a;
	if (!strcmp(mode, "_rtz"))
		up = false;
	else if (!strcmp(mode, "_rtp") || !strcmp(mode, "_rtn"))
		up = below > 0 && (mode[3] == 'n') == (sign != 0);
	else
		up = below > above || (below == above && low % 2);
	return sign | (low + up);
}

static bool is_right_half(unsigned ours, double x, const char *mode)
{
	if (isnan(x))
		return (ours & 0x7fff) > HALF_INFINITY;
	return ours == right_half(x, mode);
}

/* Each half is a double and comes back. */
static void test_passed_halves(const struct evg_program *program)
{
	uint16_t in[COUNT], out[COUNT];
	unsigned wrong = 0;

	for (unsigned i = 0; i < COUNT; i++)
		in[i] = (uint16_t)(i * 16 + i / 256);
	memcpy(operands[0], in, sizeof in);
	CU_ASSERT_FATAL(runs(program, "pass_half", 1));
	memcpy(out, results, sizeof out);
	for (unsigned i = 0; i < COUNT; i++)
		wrong += (in[i] & 0x7fff) > HALF_INFINITY
				 ? (out[i] & 0x7fff) <= HALF_INFINITY
				 : out[i] != in[i];
	CU_ASSERT_EQUAL(wrong, 0);
}

struct half_kernel {
	const char *kernel;
	unsigned width;
	const char *mode;
};

/* Runs a kernel, and compares its halves with the numbers that it stored. */
static void check_halves(const struct evg_program *program,
			 const struct half_kernel *of, const double *numbers)
{
	unsigned wrong = 0;

	CU_ASSERT_FATAL(runs(program, of->kernel, of->width));
	for (size_t k = 0; k < COUNT; k++) {
		uint16_t ours;

		memcpy(&ours, (const char *)results + k * sizeof ours,
		       sizeof ours);
		if (!is_right_half(ours, numbers[k], of->mode) && wrong++ < 4)
			printf("# %s, %a: 0x%04x here, 0x%04x there\n",
			       of->kernel, numbers[k], ours,
			       right_half(numbers[k], of->mode));
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Some of the singles are far below the least half. */
static void test_single_halves(const struct evg_program *program)
{
	static const struct half_kernel kernels[] = {
		{ "store_single", 1, "" },
		{ "store_single_rte", 1, "_rte" },
		{ "store_single_rtz", 1, "_rtz" },
		{ "store_single_rtp", 1, "_rtp" },
		{ "store_single_rtn", 1, "_rtn" },
		{ "store_single4", 4, "" },
		{ "store_single4_rte", 4, "_rte" },
		{ "store_single4_rtz", 4, "_rtz" },
		{ "store_single4_rtp", 4, "_rtp" },
		{ "store_single4_rtn", 4, "_rtn" },
	};
	float singles[COUNT];
	double numbers[COUNT];

	make_halves();
	for (size_t k = 0; k < COUNT; k++) {
		singles[k] = (float)operands[0][k];
		if (k % 16 == 0)
			singles[k] = ldexpf(k & 16 ? 1.5f : -1.5f,
					    -(int)(k / 32 % 126));
		numbers[k] = singles[k];
	}
	memcpy(operands[0], singles, sizeof singles);
	for (size_t i = 0; i < ARRAY_SIZE(kernels); i++)
		check_halves(program, &kernels[i], numbers);
}

static void test_halves(void)
{
	static const struct half_kernel halves[] = {
		{ "store_half", 1, "" },
		{ "store_half_rte", 1, "_rte" },
		{ "store_half_rtz", 1, "_rtz" },
		{ "store_half_rtp", 1, "_rtp" },
		{ "store_half_rtn", 1, "_rtn" },
		{ "store_half4", 4, "" },
		{ "store_half4_rte", 4, "_rte" },
		{ "store_half4_rtz", 4, "_rtz" },
		{ "store_half4_rtp", 4, "_rtp" },
		{ "store_half4_rtn", 4, "_rtn" },
		{ "store_half2", 2, "" },
		{ "store_half8", 8, "" },
		{ "store_half16", 16, "" },
		{ "store_half_elsewhere", 4, "" },
	};
	struct evg_program *program = compile_program("double-half.cl", "");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	make_halves();
	for (size_t i = 0; i < ARRAY_SIZE(halves); i++)
		check_halves(program, &halves[i], operands[0]);
	test_passed_halves(program);
	test_single_halves(program);
	evg_program_free(program);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "element by element", test_elements },
		{ "shuffles, copies, remquo, nan", test_moves },
		{ "halves", test_halves },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "vectors of doubles", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
