/* fma of floats for the chips without FMA, rounded once as the language wants.
 * Floats below the normal ones are zero on all these chips, so that a result
 * is the least normal number or zero where it would be one of those. */

/* x * 2^-distance; a bit that is lost stays as the lowest one. */
ulong __m2s_shift_sticky(ulong x, int distance)
{
	ulong kept = distance < 64 ? x >> distance : 0;

	return kept | (distance < 64 ? kept << distance != x : x != 0);
}

float __m2s_fma_32(float a, float b, float c)
{
	uint x = as_uint(a), y = as_uint(b), z = as_uint(c);
	int ex = x >> 23 & 255, ey = y >> 23 & 255, ez = z >> 23 & 255;
	uint sign = (x ^ y) & 0x80000000u, digits;
	/* Both with the highest digit at bit 60 or 61; the exponents are those
	 * of bit 0. */
	ulong product = (ulong)((x & 0x7fffff) | 0x800000) *
			((y & 0x7fffff) | 0x800000) << 14;
	ulong added = ez ? (ulong)((z & 0x7fffff) | 0x800000) << 37 : 0;
	int exponent = ex + ey - 300 - 14;
	int distance = ez ? exponent - (ez - 150 - 37) : 0;
	long sum;
	float plain;

	if (distance >= 0) {
		added = __m2s_shift_sticky(added, distance);
	} else {
		product = __m2s_shift_sticky(product, -distance);
		exponent -= distance;
	}
	sum = (long)((sign ^ z) >> 31 ? product - added : product + added);
	sign ^= sum < 0 ? 0x80000000u : 0;
	sum = sum < 0 ? -sum : sum;
	/* The highest digit to bit 62, the number's lowest to bit 39. */
	distance = __builtin_clzl((ulong)sum) - 1;
	exponent += 62 + 127 - distance;
	sum <<= distance;
	digits = (uint)(sum >> 39);
	x = (uint)(((ulong)sum + 0x3ffffffffful + (digits & 1)) >> 39) +
	    ((uint)(exponent - 1) << 23);
	if (exponent <= 0)
		x = exponent == 0 && digits == 0xffffff ? 0x800000 : 0;
	else if (exponent >= 255 || x > 0x7f800000)
		x = 0x7f800000;
	x = sum ? x | sign : 0;
	/* An exact product, or no number. */
	plain = (ez == 255 && ex != 255 && ey != 255 ? 0 : a * b) + c;
	return !ex || !ey || ex == 255 || ey == 255 || ez == 255 ? plain
								  : as_float(x);
}
