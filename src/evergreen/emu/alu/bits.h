/* Operations on bits and bytes that only the functions over vectors have. */

SIMD vu popcount(vu a)
{
	a -= a >> 1 & 0x55555555;
	a = (a & 0x33333333) + (a >> 2 & 0x33333333);
	a = (a + (a >> 4)) & 0x0f0f0f0f;
	a += a >> 8;
	return (a + (a >> 16)) & 0x3f;
}

/* The number of leading zeros; 32 for 0. */
SIMD vu leading_zeros(vu a)
{
#if VECTOR_BYTES == 64
	return (vu)_mm512_lzcnt_epi32((__m512i)a);
#else
	a |= a >> 1;
	a |= a >> 2;
	a |= a >> 4;
	a |= a >> 8;
	a |= a >> 16;
	return splat(32) - popcount(a);
#endif
}

/* The position of the first set bit from the top; ~0 when no bit is set. */
SIMD vu first_bit_high(vu a)
{
	return mask_lanes(int_eq(a, splat(0))) | leading_zeros(a);
}

SIMD vu first_bit_low(vu a)
{
	return mask_lanes(int_eq(a, splat(0))) | popcount((a & -a) - 1);
}

SIMD vu bits_reversed(vu a)
{
	a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
	a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
	a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
	a = (a >> 8 & 0x00ff00ff) | (a & 0x00ff00ff) << 8;
	return a >> 16 | a << 16;
}

/* (a + b + bit 0 of c) / 2 of each byte. */
SIMD vu byte_means(vu a, vu b, vu c)
{
	vu even = splat(0x00ff00ff), one = c & 0x00010001;
	vu low = ((a & even) + (b & even) + one) >> 1 & even;
	vu odd = c >> 8 & 0x00010001;
	vu high = ((a >> 8 & even) + (b >> 8 & even) + odd) >> 1 & even;

	return low | high << 8;
}

SIMD vu byte_differences(vu a, vu b)
{
	vu sum = splat(0);

	for (int k = 0; k < 32; k += 8) {
		vi difference = (vi)(a >> k & 0xff) - (vi)(b >> k & 0xff);
		vi sign = difference >> 31;

		sum += (vu)((difference ^ sign) - sign);
	}
	return sum;
}

/* Set bits of `a` below this lane, among the lanes of one half. */
SIMD vu lanes_below(vu a, unsigned i, unsigned first)
{
	vi lane = (vi)(lane_numbers() + splat(i * VECTOR_LANES - first));
	vu below = (splat(1) << (vu)(lane & 31)) - 1;

	below = choose(int_gt((vu)lane, splat(31)), splat(0xffffffff), below);
	below = choose(int_gt(splat(0), (vu)lane), splat(0), below);
	return popcount(a & below);
}
