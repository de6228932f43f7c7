/* Built-in functions of single precision: their errors on the simulated device,
 * in units in the last place, against the limits of OpenCL C 1.2, section 7.4.
 * Numbers below the normal ones may be flushed to zero (section 7.5.3), those
 * that go in and those that come out. */
#include <float.h>
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
	COUNT = 4096,
	OPERANDS = 3,
	LOCAL_SIZE = 64,
};

static const float corners[] = {
	0.0f, 1.0f, 2.0f, 0.5f, 1.5f, 2.5f, 3.0f, 0.1f, 10.0f, 100.0f, 1e30f,
	1e-30f, INFINITY, NAN, 0x1p-126f, 0x1p-149f, 0x1.fffffcp-127f,
	0x1.fffffep127f, 0x1p127f, 0x1.fffffep0f, 0x1.fffffep-1f,
	0x1.000002p0f, 0x1p23f, 0x1p24f, 0x1.8p22f, 8388607.5f, 0x1p31f,
	0x1.921fb6p0f, 0x1.921fb6p1f, 0x1.921fb6p22f, 0x1.6a09e6p0f, 88.7f,
	87.3f, 0x1p-63f, 0x1p64f, 0x1p-12f, 123456.789f,
};

/* Which random operands a function gets; corners come always. */
enum domain {
	ANY,   /* all exponents, and often moderate ones */
	SMALL, /* -100 to 100 */
	UNIT,  /* -1 to 1 */
	NEAR,  /* around 1, and SMALL */
	POWER, /* pairs whose power is a number */
};

static float operands[OPERANDS][COUNT], results[COUNT];
static uint64_t random_state;

static uint64_t next_random(void)
{
	return random_draw(&random_state);
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Operands that are integers are the same bits. */
static int int_of(float value)
{
	int bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float between(double low, double high)
{
	double part = (double)(next_random() >> 11) * 0x1p-53;

	return (float)(low + (high - low) * part);
}

static float random_float(enum domain domain)
{
	uint32_t bits = (uint32_t)(next_random() >> 20);
	unsigned kind = next_random() % 4;

	if (domain == UNIT && kind)
		return between(-1, 1);
	if (domain == NEAR && kind == 1)
		return between(0.9, 1.1);
	if (domain != ANY && domain != POWER && kind)
		return between(-100, 100);
	if (kind == 3)
		return float_of(bits);
	bits &= 0x807fffff;
	return float_of(bits | (uint32_t)(117 + next_random() % 20) << 23);
}

static void make_operands(enum domain domain)
{
	size_t n = ARRAY_SIZE(corners);

	random_state = 0x9e3779b97f4a7c15u;
	for (size_t i = 0; i < COUNT; i++)
		for (unsigned k = 0; k < OPERANDS; k++)
			operands[k][i] = random_float(domain);
	for (size_t i = 0; domain == POWER && i < COUNT; i += 2) {
		if (i % 4)
			operands[0][i] = between(0.5, 2);
		operands[1][i] = between(-130, 130) /
				 log2f(fabsf(operands[0][i]));
	}
	for (size_t i = 0; i < n * n; i++) {
		operands[0][i] = i % 2 ? -corners[i / n] : corners[i / n];
		operands[1][i] = i % 3 ? corners[i % n] : -corners[i % n];
		operands[2][i] = i % 5 > 2 ? corners[next_random() % n]
					   : -operands[0][i] * operands[1][i];
	}
}

/* --- What the host says ------------------------------------------------- */

typedef long double wide;

static const wide pi = 3.14159265358979323846264338327950288L;

static wide divide(wide a, wide b) { return a / b; }
static wide reciprocal(wide a) { return 1 / a; }
static wide reciprocal_root(wide a) { return 1 / sqrtl(a); }
static wide to_degrees(wide a) { return a * (180 / pi); }
static wide to_radians(wide a) { return a * (pi / 180); }
static wide next_float(wide a, wide b) { return nextafterf((float)a, (float)b); }
static wide asin_pi(wide a) { return asinl(a) / pi; }
static wide acos_pi(wide a) { return acosl(a) / pi; }
static wide atan_pi(wide a) { return atanl(a) / pi; }
static wide atan2_pi(wide a, wide b) { return atan2l(a, b) / pi; }

static wide sin_pi(wide a)
{
	wide rest = fmodl(fabsl(a), 2), value;

	value = rest <= 0.25L ? sinl(pi * rest)
	      : rest <= 0.75L ? cosl(pi * (rest - 0.5L))
	      : rest <= 1.25L ? sinl(pi * (1 - rest))
	      : rest <= 1.75L ? -cosl(pi * (rest - 1.5L))
			      : sinl(pi * (rest - 2));
	return copysignl(1, a) * value;
}

static wide cos_pi(wide a)
{
	return sin_pi(0.5L - fmodl(fabsl(a), 2)) + 0.0L; /* no -0 */
}

/* At n + 1/2: infinity with the sign of (-1)^n. */
static wide tan_pi(wide a)
{
	wide cosine = cos_pi(a);

	return cosine == 0 ? sin_pi(a) * (wide)INFINITY : sin_pi(a) / cosine;
}

/* The host's powl is wrong for infinities. */
static wide power(wide a, wide b)
{
	return isinf(a) || isinf(b) ? pow((double)a, (double)b) : powl(a, b);
}

static wide power_int(wide a, wide b)
{
	return power(a, truncl(fmaxl(fminl(b, 9999), -9999)));
}

static wide power_positive(wide a, wide b)
{
	if (!(a >= 0) || isnan(b) || (a == 0 && b == 0) ||
	    (isinf(a) && b == 0) || (a == 1 && isinf(b)))
		return NAN;
	return power(a, b);
}

static int root_number(wide b)
{
	return int_of((float)b) >> 27;
}

static wide root(wide a, wide b)
{
	int n = root_number(b);

	if (!n || (a < 0 && !(n & 1)))
		return NAN;
	if (!(n & 1))
		a = fabsl(a);
	if (a == 0 || isinf(a))
		return n > 0 ? a : 1 / a;
	return copysignl(powl(fabsl(a), 1.0L / n), a);
}

static wide scaled(wide a, wide b)
{
	return ldexpl(a, int_of((float)b) >> 23);
}

static wide larger(wide a, wide b)
{
	return fabsl(a) > fabsl(b) ? a : fabsl(b) > fabsl(a) ? b : fmaxl(a, b);
}

static wide smaller(wide a, wide b)
{
	return fabsl(a) < fabsl(b) ? a : fabsl(b) < fabsl(a) ? b : fminl(a, b);
}

static wide fused(wide a, wide b, wide c)
{
	return fmal(a, b, c);
}

static wide fraction(wide a)
{
	return isnan(a) ? a : isinf(a) ? 0
				       : fminl(a - floorl(a), 0x1.fffffep-1L);
}

static wide whole_part(wide a)
{
	return truncl(a);
}

static wide part_after_point(wide a)
{
	return isinf(a) ? copysignl(0, a) : copysignl(a - truncl(a), a);
}

static wide mantissa(wide a)
{
	int exponent;

	return frexpl(a, &exponent);
}

static wide exponent_of(wide a)
{
	int exponent = 0;

	frexpl(a, &exponent);
	return isfinite(a) ? exponent : 0;
}

static wide integer_logarithm(wide a)
{
	return a == 0	     ? (wide)INT32_MIN
	       : isfinite(a) ? logbl(a)
			     : (wide)(float)INT32_MAX;
}

static wide logarithm_of_gamma(wide a)
{
	return a <= 0 && a == floorl(a) ? INFINITY : lgammal(a);
}

/* At 0 and below there are poles, where a NaN is right. */
static wide gamma_function(wide a)
{
	return a < 0 && a == floorl(a) ? NAN : tgammal(a);
}

static wide quotient_bits(wide a, wide b)
{
	int quotient = 0;

	remquof((float)a, (float)b, &quotient);
	return isfinite(a) && b != 0 && !isnan(b) && !isnan(a)
		       ? (quotient < 0 ? -(-quotient & 7) : quotient & 7)
		       : 0;
}

/* --- The functions ------------------------------------------------------ */

/* `code` makes r from a, b and c, and so does `vector` with the form of the
 * function for vectors. `units` is the specification's limit; `measured`, if
 * not 0, is what a function needs that misses it. */
static const struct function {
	const char *name, *code, *vector; /* NULL: no test of vectors */
	wide (*one)(wide);
	wide (*two)(wide, wide);
	wide (*three)(wide, wide, wide);
	double units, measured;
	enum domain domain;
} functions[] = {
#define ONE(name, reference, units, measured, domain)                          \
	{ #name, "r = " #name "(a);",                                          \
	  "r = " #name "((float3)(c, a, b)).y;", reference, NULL, NULL, units, \
	  measured, domain }
#define TWO(name, reference, units, measured, domain)                          \
	{ #name, "r = " #name "(a, b);",                                       \
	  "r = " #name "((float3)(c, b, a), (float3)(a, c, b)).z;", NULL,      \
	  reference, NULL, units, measured, domain }
#define CODE(name, code, reference, units, measured, domain)                   \
	{ name, code, NULL, reference, NULL, NULL, units, measured, domain }
#define CODE_2(name, code, reference, units, measured, domain)                 \
	{ name, code, NULL, NULL, reference, NULL, units, measured, domain }
	CODE_2("divide", "r = a / b;", divide, 2.5, 0, ANY),
	CODE("reciprocal", "r = 1.0f / a;", reciprocal, 2.5, 0, ANY),
	ONE(sqrt, sqrtl, 3, 0, ANY),
	ONE(rsqrt, reciprocal_root, 2, 0, ANY),
	ONE(cbrt, cbrtl, 2, 0, ANY),
	ONE(exp, expl, 3, 0, SMALL),
	ONE(exp2, exp2l, 3, 0, SMALL),
	ONE(exp10, exp10l, 3, 0, SMALL),
	ONE(expm1, expm1l, 3, 0, SMALL),
	ONE(log, logl, 3, 0, NEAR),
	ONE(log2, log2l, 3, 0, NEAR),
	ONE(log10, log10l, 3, 0, NEAR),
	ONE(log1p, log1pl, 2, 0, UNIT),
	TWO(pow, power, 16, 0, POWER),
	TWO(powr, power_positive, 16, 0, POWER),
	CODE_2("pown", "r = pown(a, (int)fmax(fmin(b, 9999.0f), -9999.0f));",
	       power_int, 16, 0, POWER),
	CODE_2("rootn", "r = rootn(a, as_int(b) >> 27);", root, 16, 0, ANY),
	ONE(sin, sinl, 4, 0, ANY),
	ONE(cos, cosl, 4, 0, ANY),
	ONE(tan, tanl, 5, 0, ANY),
	CODE("sincos sine", "float w; r = sincos(a, &w);", sinl, 4, 0, ANY),
	CODE("sincos cosine", "sincos(a, &r);", cosl, 4, 0, ANY),
	ONE(asin, asinl, 4, 0, UNIT),
	ONE(acos, acosl, 4, 0, UNIT),
	ONE(atan, atanl, 5, 0, ANY),
	TWO(atan2, atan2l, 6, 0, ANY),
	ONE(sinh, sinhl, 4, 0, SMALL),
	ONE(cosh, coshl, 4, 0, SMALL),
	ONE(tanh, tanhl, 5, 0, ANY),
	ONE(asinh, asinhl, 4, 0, ANY),
	ONE(acosh, acoshl, 4, 0, NEAR),
	ONE(atanh, atanhl, 5, 0, UNIT),
	ONE(sinpi, sin_pi, 4, 0, ANY),
	ONE(cospi, cos_pi, 4, 0, ANY),
	ONE(tanpi, tan_pi, 6, 0, ANY),
	ONE(asinpi, asin_pi, 5, 0, UNIT),
	ONE(acospi, acos_pi, 5, 0, UNIT),
	ONE(atanpi, atan_pi, 5, 0, ANY),
	TWO(atan2pi, atan2_pi, 6, 0, ANY),
	ONE(erf, erfl, 16, 0, SMALL),
	ONE(erfc, erfcl, 16, 0, SMALL),
	ONE(tgamma, gamma_function, 16, 0, SMALL),
	ONE(lgamma, logarithm_of_gamma, INFINITY, 0, SMALL),
	TWO(hypot, hypotl, 4, 0, ANY),
	TWO(fmod, fmodl, 0, 0, ANY),
	TWO(remainder, remainderl, 0, 0, ANY),
	CODE_2("remquo", "int q; r = remquo(a, b, &q);", remainderl, 0, 0, ANY),
	CODE_2("remquo quotient",
	       "int q; remquo(a, b, &q); q = q < 0 ? -(-q & 7) : q & 7; r = q;",
	       quotient_bits, 0, 0, ANY),
	CODE("frexp", "int e; r = frexp(a, &e);", mantissa, 0, 0, ANY),
	CODE("frexp exponent", "int e = 0; frexp(a, &e); r = isfinite(a) ? e : 0;",
	     exponent_of, 0, 0, ANY),
	CODE_2("ldexp", "r = ldexp(a, as_int(b) >> 23);", scaled, 0.5, 0, ANY),
	CODE("modf", "float w; r = modf(a, &w);", part_after_point, 0, 0, ANY),
	CODE("modf integer", "modf(a, &r);", whole_part, 0, 0, ANY),
	CODE("fract", "float w; r = fract(a, &w);", fraction, 0.5, 0, ANY),
	CODE("fract integer", "fract(a, &r);", floorl, 0, 0, ANY),
	CODE("ilogb", "r = ilogb(a);", integer_logarithm, 0, 0, ANY),
	ONE(logb, logbl, 0, 0, ANY),
	TWO(nextafter, next_float, 0, 0, ANY),
	TWO(fmin, fminl, 0, 0, ANY),
	TWO(fmax, fmaxl, 0, 0, ANY),
	TWO(copysign, copysignl, 0, 0, ANY),
	ONE(fabs, fabsl, 0, 0, ANY),
	TWO(maxmag, larger, 0, 0, ANY),
	TWO(minmag, smaller, 0, 0, ANY),
	TWO(fdim, fdiml, 0.5, 0, ANY),
	{ "fma", "r = fma(a, b, c);",
	  "r = fma((float3)(c, b, a), (float3)(a, c, b), (float3)(b, a, c)).z;",
	  NULL, NULL, fused, 0.5, 0, ANY },
	ONE(degrees, to_degrees, 2, 0, ANY),
	ONE(radians, to_radians, 2, 0, ANY),
	ONE(floor, floorl, 0, 0, ANY),
	ONE(ceil, ceill, 0, 0, ANY),
	ONE(trunc, truncl, 0, 0, ANY),
	ONE(rint, rintl, 0, 0, ANY),
	ONE(round, roundl, 0, 0, ANY),
	ONE(half_exp, expl, 8192, 0, SMALL),
	ONE(half_log, logl, 8192, 0, NEAR),
	ONE(half_exp2, exp2l, 8192, 0, SMALL),
	ONE(half_exp10, exp10l, 8192, 0, SMALL),
	ONE(half_log2, log2l, 8192, 0, NEAR),
	ONE(half_log10, log10l, 8192, 0, NEAR),
	TWO(half_powr, power_positive, 8192, 0, POWER),
	ONE(half_sin, sinl, 8192, 0, SMALL),
	ONE(half_cos, cosl, 8192, 0, SMALL),
	ONE(half_tan, tanl, 8192, 0, SMALL),
	ONE(half_sqrt, sqrtl, 8192, 0, ANY),
	ONE(half_rsqrt, reciprocal_root, 8192, 0, ANY),
	ONE(half_recip, reciprocal, 8192, 0, ANY),
	TWO(half_divide, divide, 8192, 0, ANY),
	/* The specification leaves these to the device; a limit here says that
	 * the device's are as good as half_. */
	ONE(native_sqrt, sqrtl, 8192, 0, ANY),
	ONE(native_rsqrt, reciprocal_root, 8192, 0, ANY),
	ONE(native_recip, reciprocal, 8192, 0, ANY),
	ONE(native_exp, expl, 8192, 0, SMALL),
	ONE(native_log, logl, 8192, 0, SMALL),
	ONE(native_exp2, exp2l, 8192, 0, SMALL),
	ONE(native_exp10, exp10l, 8192, 0, SMALL),
	ONE(native_log2, log2l, 8192, 0, SMALL),
	ONE(native_log10, log10l, 8192, 0, SMALL),
	TWO(native_powr, power_positive, INFINITY, 0, POWER),
	TWO(native_divide, divide, INFINITY, 0, ANY),
	ONE(native_tan, tanl, INFINITY, 0, UNIT),
	ONE(native_sin, sinl, INFINITY, 0, UNIT),
	ONE(native_cos, cosl, INFINITY, 0, UNIT),
};

/* The specification or C leaves the sign of some of their zeros open. */
static const char *const any_zero[] = {
	"powr", "half_powr", "native_powr", "remainder", "nextafter", "fmin", "fmax", "maxmag", "minmag", "fdim",
};

/* --- What the device says ----------------------------------------------- */

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

/* One kernel for each function. */
static char *program_text(size_t first, size_t count, bool vectors)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	for (size_t i = first; i < first + count; i++)
		fprintf(stream,
			"kernel void test_%zu(global const float *x, global "
			"const float *y, global const float *z, global float "
			"*out)\n{\n\tsize_t i = get_global_id(0);\n"
			"\tfloat a = x[i], b = y[i], c = z[i], r;\n\t%s\n"
			"\tout[i] = r;\n}\n", i,
			vectors && functions[i].vector ? functions[i].vector
						       : functions[i].code);
	fclose(stream);
	return text;
}

/* --- Comparing ---------------------------------------------------------- */

static wide call(const struct function *function, const float *x)
{
	if (function->one)
		return function->one(x[0]);
	if (function->two)
		return function->two(x[0], x[1]);
	return function->three(x[0], x[1], x[2]);
}

static bool has_any_zero(const struct function *function)
{
	for (size_t i = 0; i < ARRAY_SIZE(any_zero); i++)
		if (!strcmp(any_zero[i], function->name))
			return true;
	return false;
}

static bool is_wrong_zero(float ours, wide right)
{
	return ours == 0 && right == 0 && !signbit(ours) != !signbit(right);
}

/* The error of `ours` in units in the last place of `right`. */
static double error_of(float ours, wide right)
{
	wide value = ours, size = fabsl(right);
	int exponent;

	if (isnan(ours) || isnan(right))
		return isnan(ours) && isnan(right) ? 0 : INFINITY;
	if (ours == (float)right)
		return size < FLT_MIN || isinf(ours)
			       ? 0
			       : (double)(fabsl(value - right) /
					  scalbnl(1, ilogbl(right) - 23));
	if (size < FLT_MIN && (ours == 0 || fabsf(ours) == FLT_MIN))
		return 0;
	if (isinf(ours))
		value = copysignl(0x1p128L, value);
	if (size > 0x1p128L)
		right = copysignl(0x1p128L, right);
	exponent = right == 0 ? -126 : ilogbl(right);
	return (double)(fabsl(value - right) /
			scalbnl(1, (exponent < -126 ? -126 : exponent) - 23));
}

/* The least error for the operands as they are and with any of those below
 * the normal numbers flushed. */
static double least_error(const struct function *function, size_t i)
{
	bool zeros = has_any_zero(function);
	double least = INFINITY;

	for (unsigned flushed = 0; flushed < 1 << OPERANDS; flushed++) {
		bool skip = false;
		float x[OPERANDS];
		wide right;

		for (unsigned k = 0; k < OPERANDS; k++) {
			x[k] = operands[k][i];
			if (!(flushed >> k & 1))
				continue;
			skip |= fpclassify(x[k]) != FP_SUBNORMAL;
			x[k] = copysignf(0, x[k]);
		}
		right = skip ? 0 : call(function, x);
		if (!skip && (zeros || !is_wrong_zero(results[i], right)))
			least = fmin(least, error_of(results[i], right));
	}
	return least;
}

static bool is_verbose(void)
{
	return getenv("M2S_TEST_VERBOSE");
}

static unsigned compare(const struct function *function)
{
	double limit = fmax(function->units, function->measured), worst = 0;
	unsigned wrong = 0;

	for (size_t i = 0; i < COUNT; i++) {
		double units = least_error(function, i);
		float x[OPERANDS] = { operands[0][i], operands[1][i],
				      operands[2][i] };

		worst = fmax(worst, units);
		if (units <= limit)
			continue;
		if (wrong++ < 4)
			printf("# %s of %a %a %a: %a here, %La there\n",
			       function->name, (double)x[0], (double)x[1],
			       (double)x[2], (double)results[i],
			       call(function, x));
	}
	if (is_verbose())
		printf("# | %s | %g | %g | %u\n", function->name,
		       function->units, worst, wrong);
	return wrong;
}

static struct evg_program *compile_part(size_t first, size_t count,
					bool vectors)
{
	char *text = program_text(first, count, vectors);
	struct clc_result result = compile_text(text, "");
	struct evg_program *program = NULL;
	struct error error = { "" };

	free(text);
	if (result.status == CLC_DONE)
		program = evg_program_read("accuracy", result.binary,
					   result.binary_size, &error);
	if (!program)
		printf("# %s: %s%s\n", functions[first].name,
		       result.log ? result.log : "", error.text);
	CU_ASSERT_PTR_NOT_NULL(program);
	clc_result_free(&result);
	return program;
}

static const struct evg_kernel *kernel_of(const struct evg_program *program,
					  size_t function)
{
	char *name = xasprintf("test_%zu", function);
	const struct evg_kernel *kernel = evg_program_find(program, name);

	free(name);
	CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
	return kernel;
}

static void test_part(size_t first, size_t count, bool vectors)
{
	struct evg_program *program = compile_part(first, count, vectors);
	struct error error = { "" };

	for (size_t i = first; program && i < first + count; i++) {
		const struct evg_kernel *kernel = kernel_of(program, i);

		make_operands(functions[i].domain);
		if (run(kernel, &error)) {
			printf("# %s: %s\n", functions[i].name, error.text);
			CU_FAIL("the kernel does not run");
			continue;
		}
		CU_ASSERT_EQUAL(compare(&functions[i]), 0);
	}
	evg_program_free(program);
}

/* With M2S_TEST_SINGLY each function is compiled alone, to see which of them
 * do not compile; otherwise all at once, which is faster. */
static void test_all(bool vectors)
{
	size_t part = getenv("M2S_TEST_SINGLY") ? 1 : ARRAY_SIZE(functions);

	for (size_t i = 0; i < ARRAY_SIZE(functions); i += part)
		test_part(i, part, vectors);
}

static void test_scalars(void)
{
	test_all(false);
}

static void test_vectors(void)
{
	test_all(true);
}

/* Numbers `step` apart in their order, from that of `bits` on. */
static void test_range(const struct evg_program *program, size_t function,
		       uint32_t bits, uint32_t step, unsigned rounds)
{
	const struct evg_kernel *kernel = kernel_of(program, function);
	struct error error = { "" };

	for (unsigned i = 0; i < rounds; i++) {
		for (size_t k = 0; k < COUNT; k++, bits += step)
			operands[0][k] = float_of(bits);
		CU_ASSERT_EQUAL_FATAL(run(kernel, &error), 0);
		CU_ASSERT_EQUAL(compare(&functions[function]), 0);
	}
}

/* Functions of one operand that are our own: numbers of all sizes, and all
 * 65,536 at either side of one. */
static void test_many(void)
{
	static const char *const own[] = { "log", "log2", "log10" };

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
		for (size_t k = 0; k < ARRAY_SIZE(own); k++) {
			struct evg_program *program;

			if (strcmp(functions[i].name, own[k]))
				continue;
			program = compile_part(i, 1, false);
			CU_ASSERT_PTR_NOT_NULL_FATAL(program);
			test_range(program, i, 1, 0x7fffffff / (64 * COUNT),
				   64);
			test_range(program, i, 0x3f800000 - 16 * COUNT, 1, 32);
			evg_program_free(program);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "numbers", test_scalars },
		{ "vectors", test_vectors },
		{ "many numbers", test_many },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "accuracy", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
