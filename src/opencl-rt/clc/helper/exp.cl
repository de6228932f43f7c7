/* Exponential functions and native_tan with the instructions that the hardware
 * has for them. AMD's guide gives exp2 3.4 times the time of native_exp2, that
 * is a few groups around EXP_IEEE: libclc's polynomials take 23.
 *
 * EXP_IEEE is good to the last place for any operand; the product with log2(e)
 * or log2(10) is not, so that its fraction is calculated in two parts. Results
 * below the normal numbers are 0, as of all instructions. */

MATH float exp2(float x)
{
	return native_exp2(x);
}
MATH_VECTORS(exp2)

/* 2^(x * (high + low)) for x that is not beyond +-`limit`, where the result is
 * infinite or 0 in any case. */
MATH_INLINE float __m2s_exp(float x, float limit, float high, float low)
{
	float whole, part;

	x = x > limit ? limit : x;
	x = x < -limit ? -limit : x;
	whole = __builtin_floorf(x * high);
	part = __builtin_fmaf(x, high, -whole);
	part = __builtin_fmaf(x, low, part);
	return native_exp2(part) * native_exp2(whole);
}

MATH float exp(float x)
{
	return __m2s_exp(x, 128.0f, 0x1.715476p0f, 0x1.4ae0cp-26f);
}
MATH_VECTORS(exp)

MATH float exp10(float x)
{
	return __m2s_exp(x, 64.0f, 0x1.a934fp1f, 0x1.2f346ep-24f);
}
MATH_VECTORS(exp10)

MATH float native_tan(float x)
{
	return native_divide(native_sin(x), native_cos(x));
}
MATH_VECTORS(native_tan)
