/* Logarithms without divisions: libclc's take twice as many instructions, and
 * twice those of AMD's by its guide's table of native functions. LOG_IEEE alone
 * would do in the simulator; but what the chip's is worth near one, no source
 * says, and AMD's compiler did not trust it. Of all floats the errors are 1.07
 * units in the last place (log), 1.81 (log2) and 1.64 (log10).
 *
 * x = 2^k (1 + f) with f from -1/3 to 1/3, and log(1 + f) = f + f^2 g(f). */

struct __m2s_log {
	float k, f, rest; /* f^2 g(f) */
};

MATH_INLINE struct __m2s_log __m2s_log_parts(float x)
{
	uint from = as_uint(x) - 0x3f2aaaab; /* 2/3 */
	float k = (float)(as_int(from) >> 23);
	float f = as_float(as_uint(x) - (from & 0xff800000)) - 1.0f;
	float f2 = f * f, f4 = f2 * f2, low, high;

	low = __builtin_fmaf(
		__builtin_fmaf(f, 0x1.99bf86p-3f, -0x1.ffffb6p-3f), f2,
		__builtin_fmaf(f, 0x1.55552cp-2f, -0.5f));
	high = __builtin_fmaf(
		__builtin_fmaf(f, 0x1.1990bcp-3f, -0x1.f75896p-4f), f2,
		__builtin_fmaf(f, 0x1.1fdcfp-3f, -0x1.557832p-3f));
	high = __builtin_fmaf(-0x1.fcd038p-4f, f4, high);
	return (struct __m2s_log){k, f, __builtin_fmaf(high, f4, low) * f2};
}

/* Zero, what is below the normal numbers and so counts as zero, negative
 * numbers, infinity and NaN are the instruction's. */
MATH_INLINE float __m2s_log_or(float log, float x)
{
	bool normal = as_uint(x) - 0x00800000u < 0x7f000000u;

	return normal ? log : native_log2(x);
}

MATH float log(float x)
{
	struct __m2s_log p = __m2s_log_parts(x);
	float sum = p.f + __builtin_fmaf(p.k, -0x1.05c61p-29f, p.rest);

	return __m2s_log_or(__builtin_fmaf(p.k, 0x1.62e43p-1f, sum), x);
}
MATH_VECTORS(log)

MATH float log2(float x)
{
	struct __m2s_log p = __m2s_log_parts(x);
	float sum = __builtin_fmaf(p.rest, 0x1.715476p0f,
				   p.f * 0x1.4ae0cp-26f);

	return __m2s_log_or(__builtin_fmaf(p.f, 0x1.715476p0f, sum) + p.k, x);
}
MATH_VECTORS(log2)

MATH float log10(float x)
{
	struct __m2s_log p = __m2s_log_parts(x);
	float sum = __builtin_fmaf(p.k, -0x1.ec10cp-27f,
				   p.rest * 0x1.bcb7b2p-2f);

	sum = __builtin_fmaf(p.f, -0x1.5b235ep-27f, sum);
	sum = __builtin_fmaf(p.f, 0x1.bcb7b2p-2f, sum);
	return __m2s_log_or(__builtin_fmaf(p.k, 0x1.344136p-2f, sum), x);
}
MATH_VECTORS(log10)
