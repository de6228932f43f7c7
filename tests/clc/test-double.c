/* Double precision: kernels on the simulated device against the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/emu/emu.h"
#include "unit/harness.h"
#include "unit/random.h"

enum {
	COUNT = 6144,
	RESULTS_MAX = 8,
	OPERANDS = 3,
	LOCAL_SIZE = 64,
};

static const double corners[] = {
	0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 3.0, 0.1, 1e300, 1e-300, INFINITY, NAN,
	0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023,
	0x1p1023, 0x1.fffffffffffffp0, 0x1.fffffffffffffp-1, 0x1.0000000000001p0,
	0x1p52, 0x1p53, 0x1.8p52, 0x1.fffffffffffffp51, 4503599627370495.5,
	0x1p31, 0x1p32, 0x1p63, 0x1p64, 2147483647.5, 4294967295.5, 0x1p-537,
	0x1.6a09e667f3bcdp0, 0x1.fffffffffffffp-512, 0x1p-1021, 123456.789,
	/* Ends of what functions take without scaling it. */
	0x1p62, 0x1.fffffffffffffp-63, 0x1p120, 0x1p126, 0x1.fffffffffffffp125,
	0x1p-126, 0x1.fffffffffffffp-127, 0x1.fffffffffffffp879, 0x1p-880,
	0x1p-1000, 0x1.4p-125, 0x1.8p-127,
};

/* How operands are made. */
enum domain { ANY, LONGS, SINGLES };

static double operands[OPERANDS][COUNT];
static uint64_t random_state;

static uint64_t next_random(void)
{
	return random_draw(&random_state);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static double random_double(enum domain domain)
{
	uint64_t bits = next_random();
	unsigned range = domain == LONGS ? 62 : 120;

	if (domain == ANY && next_random() % 2)
		return double_of(bits);
	if (domain == ANY)
		range = next_random() % 2 ? 20 : 120;
	/* An exponent that is not extreme, and sometimes few bits. */
	bits &= ~(UINT64_C(0x7ff) << 52);
	if (!(next_random() % 4))
		bits &= ~UINT64_C(0) << next_random() % 52;
	bits |= (1023 + next_random() % range - (domain == LONGS ? 0 : range / 2))
		<< 52;
	return double_of(bits);
}

/* A number from 1 to 2, one of four times with a long run of ones. */
static double random_fraction(void)
{
	uint64_t bits = next_random() | (uint64_t)next_random() << 32;

	if (!(next_random() % 4))
		bits |= UINT64_C(0xfffffffffffff) ^ ((1u << next_random() % 31) - 1);
	return double_of((bits & UINT64_C(0xfffffffffffff)) |
			 UINT64_C(0x3ff) << 52);
}

/* A quotient, or a square root, as close to the middle of two numbers as one can
 * be: the middle times a number, or the middle squared, rounded. */
static void make_middle(size_t i)
{
	double y = random_fraction(), t = random_fraction(), middle = 0x1p-53;
	bool is_root = next_random() % 4 == 0;
	double high, low;

	if (is_root)
		y = t;
	high = y * t;
	low = fma(y, t, -high) + middle * (is_root ? 2 * y : y);
	operands[0][i] = nextafter(high + low, next_random() % 2 ? 8 : 0);
	if (next_random() % 2)
		operands[0][i] = high + low;
	operands[1][i] = y;
}

static void make_operands(enum domain domain)
{
	size_t n = ARRAY_SIZE(corners);

	random_state = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < COUNT; i++)
		for (unsigned k = 0; k < OPERANDS; k++)
			operands[k][i] = random_double(domain);
	for (size_t i = 0; domain == ANY && i < n * n; i++) {
		operands[0][i] = i % 2 ? -corners[i / n] : corners[i / n];
		operands[1][i] = i % 3 ? corners[i % n] : -corners[i % n];
		operands[2][i] = i % 5 > 2 ? corners[next_random() % n]
					   : -operands[0][i] * operands[1][i];
	}
	for (size_t i = 2 * n * n; domain == ANY && i < COUNT; i += 2)
		make_middle(i);
	/* Quotients and products close to the middle of two numbers. */
	for (size_t i = n * n; domain == ANY && i < 2 * n * n; i++) {
		operands[0][i] = double_of((bits_of(operands[0][i]) | 0xfff)
					   - next_random() % 8);
		operands[1][i] = double_of(bits_of(0x1.fffffffffffffp0) -
					   next_random() % 64);
	}
}

/* --- What the host says ------------------------------------------------- */

typedef void reference(double a, double b, double c, uint64_t *r);

static void arithmetic(double a, double b, double c, uint64_t *r)
{
	r[0] = bits_of(a + b);
	r[1] = bits_of(a - b);
	r[2] = bits_of(a * b);
	r[3] = bits_of(fma(a, b, c));
	r[4] = bits_of(isnan(a) ? b : isnan(b) ? a : a < b ? a : b);
	r[5] = bits_of(isnan(a) ? b : isnan(b) ? a : a >= b ? a : b);
	r[6] = bits_of(-fma(-a, b, -c));
	r[7] = bits_of(fabs(a) - fabs(b));
}

static void division(double a, double b, double c, uint64_t *r)
{
	(void)c;
	r[0] = bits_of(a / b);
	r[1] = bits_of(sqrt(a));
}

static void rounding(double a, double b, double c, uint64_t *r)
{
	(void)b, (void)c;
	r[0] = bits_of(floor(a));
	r[1] = bits_of(ceil(a));
	r[2] = bits_of(trunc(a));
	r[3] = bits_of(rint(a));
	r[4] = bits_of(round(a));
}

static void comparison(double a, double b, double c, uint64_t *r)
{
	const bool is[] = {
		a < b,    a <= b,    a > b,     a >= b,   a == b,
		a != b,   !(a < b),  !(a <= b), !(a > b), !(a >= b),
		isnan(a), !isnan(a) && !isnan(b), a < b || a > b,
		a > 0.5,  c < -a,
	};

	r[0] = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(is); i++)
		r[0] |= (uint64_t)is[i] << i;
}

static void to_integers(double a, double b, double c, uint64_t *r)
{
	(void)b, (void)c;
	r[0] = (uint64_t)(int32_t)(a * 0x1p-32);
	r[1] = (uint32_t)(fabs(a) * 0x1p-31);
	r[2] = (uint64_t)(int64_t)a;
	r[3] = (uint64_t)fabs(a * 1.5);
	r[4] = (uint64_t)(int16_t)(a * 0x1p-48);
	r[5] = (uint8_t)(fabs(a) * 0x1p-55);
}

static void from_integers(double a, double b, double c, uint64_t *r)
{
	uint64_t n = bits_of(a), m = bits_of(b);

	(void)c;
	r[0] = bits_of((int32_t)n);
	r[1] = bits_of((uint32_t)n);
	r[2] = bits_of((double)(int64_t)n);
	r[3] = bits_of((double)n);
	r[4] = bits_of((int8_t)m);
	r[5] = bits_of((uint16_t)m);
}

static void singles(double a, double b, double c, uint64_t *r)
{
	float single = (float)a;
	uint32_t bits;

	(void)b, (void)c;
	memcpy(&bits, &single, sizeof bits);
	r[0] = bits;
	r[1] = bits_of((double)single + 1.0);
}

static const struct {
	const char *kernel;
	enum domain domain;
	unsigned results;
	bool are_doubles;
	reference *function;
} cases[] = {
	{ "arithmetic", ANY, 8, true, arithmetic },
	{ "division", ANY, 2, true, division },
	{ "rounding", ANY, 5, true, rounding },
	{ "comparison", ANY, 1, false, comparison },
	{ "to_integers", LONGS, 6, false, to_integers },
	{ "from_integers", ANY, 6, true, from_integers },
	{ "singles", SINGLES, 2, false, singles },
};

/* --- What the device says ----------------------------------------------- */

static uint64_t results[COUNT * RESULTS_MAX];

static int run(const struct evg_kernel *kernel, struct error *error)
{
	const struct elementwise buffers = {
		.count = COUNT,
		.local_size = LOCAL_SIZE,
		.operands = operands,
		.operand_count = OPERANDS,
		.operand_size = sizeof operands[0],
		.results = results,
		.result_size = sizeof results,
	};

	return run_elementwise(kernel, &buffers, error);
}

static bool same(uint64_t ours, uint64_t theirs, bool is_double)
{
	return ours == theirs || (is_double && isnan(double_of(ours)) &&
				  isnan(double_of(theirs)));
}

static unsigned compare(size_t index)
{
	unsigned count = cases[index].results, wrong = 0;

	for (size_t i = 0; i < COUNT; i++) {
		double a = operands[0][i], b = operands[1][i];
		double c = operands[2][i];
		uint64_t r[RESULTS_MAX];

		cases[index].function(a, b, c, r);
		for (unsigned k = 0; k < count; k++) {
			uint64_t ours = results[count * i + k];

			if (same(ours, r[k], cases[index].are_doubles))
				continue;
			if (wrong++ < 4)
				printf("# %s, result %u of %a %a %a: "
				       "0x%016llx here, 0x%016llx there\n",
				       cases[index].kernel, k, a, b, c,
				       (unsigned long long)ours,
				       (unsigned long long)r[k]);
		}
	}
	return wrong;
}

/* --- Functions ---------------------------------------------------------- */

/* Errors in units in the last place: OpenCL C 1.2, section 7.4. */
static long double positive_difference(long double a, long double b)
{
	return fdim((double)a, (double)b);
}

/* The host's powl is wrong for infinities. */
static long double power(long double a, long double b)
{
	return isinf(a) || isinf(b) ? pow((double)a, (double)b) : powl(a, b);
}

static long double next_double(long double a, long double b)
{
	return nextafter((double)a, (double)b);
}

static long double reciprocal_root(long double a)
{
	return 1 / sqrtl(a);
}

static const struct {
	const char *kernel;
	long double (*one)(long double);
	long double (*two)(long double, long double);
	double units;
} functions[] = {
	{ "exp", expl, NULL, 3 },	 { "exp2", exp2l, NULL, 3 },
	{ "exp10", exp10l, NULL, 3 },	 { "expm1", expm1l, NULL, 3 },
	{ "log", logl, NULL, 3 },	 { "log2", log2l, NULL, 3 },
	{ "log10", log10l, NULL, 3 },	 { "log1p", log1pl, NULL, 2 },
	{ "rsqrt", reciprocal_root, NULL, 2 },
	{ "cbrt", cbrtl, NULL, 2 },	 { "sinh", sinhl, NULL, 4 },
	{ "cosh", coshl, NULL, 4 },	 { "tanh", tanhl, NULL, 5 },
	{ "asinh", asinhl, NULL, 4 },	 { "acosh", acoshl, NULL, 4 },
	{ "atanh", atanhl, NULL, 5 },	 { "sin", sinl, NULL, 4 },
	{ "cos", cosl, NULL, 4 },	 { "tan", tanl, NULL, 5 },
	{ "asin", asinl, NULL, 4 },	 { "acos", acosl, NULL, 4 },
	{ "erf", erfl, NULL, 16 },	 { "erfc", erfcl, NULL, 16 },
	{ "tgamma", tgammal, NULL, 16 },
	{ "atan", atanl, NULL, 5 },	 { "pow", NULL, power, 16 },
	{ "hypot", NULL, hypotl, 4 },	 { "atan2", NULL, atan2l, 6 },
	{ "fmod", NULL, fmodl, 0 },	 { "remainder", NULL, remainderl, 0 },
	{ "nextafter", NULL, next_double, 0 }, { "fdim", NULL, positive_difference, 0 },
};

/* Numbers as steps on a line. */
static int64_t step_of(uint64_t bits)
{
	int64_t size = (int64_t)(bits & INT64_MAX);

	return bits >> 63 ? -size : size;
}

static double distance(uint64_t ours, double theirs)
{
	uint64_t bits = bits_of(theirs);

	if (isnan(theirs) || isnan(double_of(ours)))
		return isnan(theirs) && isnan(double_of(ours)) ? 0 : INFINITY;
	return (double)fabsl((long double)step_of(ours) -
			     (long double)step_of(bits));
}

static unsigned compare_function(size_t index)
{
	double worst = 0;
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT; i++) {
		double a = operands[0][i], b = operands[1][i];
		double right =
			(double)(functions[index].one
					 ? functions[index].one(a)
					 : functions[index].two(a, b));
		double units = distance(results[i], right);

		worst = fmax(worst, units);
		if (units <= functions[index].units)
			continue;
		if (wrong++ < 4)
			printf("# %s of %a %a: %a here, %a there\n",
			       functions[index].kernel, a, b,
			       double_of(results[i]), right);
	}
	if (getenv("M2S_TEST_VERBOSE"))
		printf("# %s: %g units\n", functions[index].kernel, worst);
	return wrong;
}

/* Runs one kernel of a program on operands of a kind. */
static bool runs(const struct evg_program *program, const char *name,
		 enum domain domain)
{
	const struct evg_kernel *kernel = evg_program_find(program, name);
	struct error error = { "" };

	make_operands(domain);
	if (kernel && !run(kernel, &error))
		return true;
	printf("# %s: %s\n", name, kernel ? error.text : "not there");
	return false;
}

/* Its error has no limit: this is what there is, and the sign of gamma. */
static bool is_lgamma(double x, uint64_t ours)
{
	int sign;
	long double right = lgammal_r(x, &sign);
	double value = double_of(ours & ~UINT64_C(1));

	if (isnan(x))
		return isnan(value);
	if (isinf((double)right))
		return isinf(value) && value > 0;
	return fabsl(value - right) <= 0x1p-46L * fmaxl(fabsl(right), 1) &&
	       (ours & 1) == (sign < 0);
}

static void test_lgamma(void)
{
	struct evg_program *program = compile_program("double-math.cl",
						      "");
	unsigned wrong = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_FATAL(runs(program, "test_lgamma", ANY));
	for (size_t i = 0; i < COUNT; i++) {
		if (is_lgamma(operands[0][i], results[i]))
			continue;
		if (wrong++ < 4)
			printf("# lgamma of %a: %a\n", operands[0][i],
			       double_of(results[i]));
	}
	CU_ASSERT_EQUAL(wrong, 0);
	evg_program_free(program);
}

/* Also of vectors whose length is beyond the largest number. */
static void test_normalize(void)
{
	struct evg_program *program = compile_program("double-math.cl",
						      "");
	unsigned wrong = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_FATAL(runs(program, "test_normalize", ANY));
	for (size_t i = 0; i < COUNT; i++) {
		double a = operands[0][i], b = operands[1][i], right;

		if (!isfinite(a) || !isfinite(b) || (a == 0 && b == 0))
			continue;
		right = (double)(a / hypotl(a, b));
		if (distance(results[i], right) <= 8)
			continue;
		if (wrong++ < 4)
			printf("# normalize of %a, %a: %a here, %a there\n", a,
			       b, double_of(results[i]), right);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	evg_program_free(program);
}

/* Zeros and infinities (OpenCL C 1.2, section 7.5.1, and C99's F.9). */
static void test_zeros(void)
{
	static const struct {
		const char *kernel;
		double x, right;
	} known[] = {
		{ "test_sinpi", 1, 0.0 },	{ "test_sinpi", -1, -0.0 },
		{ "test_sinpi", -0x1p1023, -0.0 },
		{ "test_cospi", 0x1p1023, 1 },	{ "test_tanpi", 0x1p1023, 0.0 },
		{ "test_cospi", 0.5, 0.0 },	{ "test_cospi", -2.5, 0.0 },
		{ "test_tanpi", 1, -0.0 },	{ "test_tanpi", -1, 0.0 },
		{ "test_tanpi", 2, 0.0 },	{ "test_tanpi", -2, -0.0 },
		{ "test_tanpi", 0.5, INFINITY }, { "test_tanpi", 2.5, INFINITY },
		{ "test_tanpi", 1.5, -INFINITY },
		{ "test_tanpi", -0.5, -INFINITY },
		{ "test_asinpi", -0.0, -0.0 },	{ "test_atanpi", -0.0, -0.0 },
		{ "test_atanpi", 0.0, 0.0 },
	};
	struct evg_program *program = compile_program("double-math.cl",
						      "");
	struct error error = { "" };

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct evg_kernel *kernel =
			evg_program_find(program, known[i].kernel);

		operands[0][0] = known[i].x;
		CU_ASSERT_FATAL(kernel && !run(kernel, &error));
		if (results[0] == bits_of(known[i].right))
			continue;
		printf("# %s of %g: %g\n", known[i].kernel, known[i].x,
		       double_of(results[0]));
		CU_FAIL("a zero or an infinity");
	}
	evg_program_free(program);
}

static void test_functions(void)
{
	struct evg_program *program = compile_program("double-math.cl",
						      "");

	CU_ASSERT_PTR_NOT_NULL(program);
	for (size_t i = 0; program && i < ARRAY_SIZE(functions); i++) {
		char *name = xasprintf("test_%s", functions[i].kernel);
		const struct evg_kernel *kernel =
			evg_program_find(program, name);
		struct error error = { "" };

		make_operands(ANY);
		free(name);
		CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
		if (run(kernel, &error)) {
			printf("# %s: %s\n", functions[i].kernel, error.text);
			CU_FAIL("the kernel does not run");
			continue;
		}
		CU_ASSERT_EQUAL(compare_function(i), 0);
	}
	evg_program_free(program);
}

static void test_basics(void)
{
	struct evg_program *program = compile_program("double.cl", "");

	CU_ASSERT_PTR_NOT_NULL(program);
	for (size_t i = 0; program && i < ARRAY_SIZE(cases); i++) {
		const struct evg_kernel *kernel =
			evg_program_find(program, cases[i].kernel);
		struct error error = { "" };

		make_operands(cases[i].domain);
		CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
		if (run(kernel, &error)) {
			printf("# %s: %s\n", cases[i].kernel, error.text);
			CU_FAIL("the kernel does not run");
			continue;
		}
		CU_ASSERT_EQUAL(compare(i), 0);
	}
	evg_program_free(program);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "basic operations", test_basics },
		{ "functions", test_functions },
		{ "zeros and infinities", test_zeros },
		{ "lgamma", test_lgamma },
		{ "normalize", test_normalize },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "double", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
