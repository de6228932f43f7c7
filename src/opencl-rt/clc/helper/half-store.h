/* Stores of singles and doubles as halves (OpenCL C 1.2, section 6.12.7): 1 bit
 * for the sign, 5 for the exponent, 10 for the fraction, with numbers below the
 * normal ones. The device's own conversion of singles rounds to nearest. */
enum __m2s_half_mode { TO_ZERO, UPWARDS, DOWNWARDS };

/* The half of a number in a wider format: its sign as 0 or 0x8000, its other
 * bits, how many of them are the fraction, and the bias of its exponent. */
__attribute__((always_inline)) static ushort
__m2s_half_bits(uint sign, uint a, uint width, uint bias,
		enum __m2s_half_mode mode)
{
	const uint infinity = 0x7c00, nan = 0x7e00;
	uint one = 1u << width, from_infinity = (2 * bias + 1) << width;
	bool away = mode == (sign ? DOWNWARDS : UPWARDS);
	/* Numbers below the normal halves have the least normal one's unit. A
	 * number that is all shifted out has no bit for 1, for 0 has none. */
	uint exponent = a >> width, least = bias - 14;
	uint unit = exponent > least ? exponent : least;
	uint far = width - 10 + unit - exponent, shift = far < 31 ? far : 31;
	uint fraction = (a & (one - 1)) | (exponent ? one : 0);
	uint bits = ((unit - least) << 10) + (fraction >> shift);
	uint most = away || a == from_infinity ? infinity : infinity - 1;

	bits += away && fraction << (32 - shift);
	bits = bits < most ? bits : most;
	return (ushort)(sign | (a > from_infinity ? nan : bits));
}

/* A store of one number, x, to element `at` of p, and those of vectors. */
#define HALF_STORE(type, space, suffix, store)                                 \
	__attribute__((overloadable)) void vstore_half##suffix(                \
		type x, size_t at, space half *p)                              \
	{                                                                      \
		store;                                                         \
	}                                                                      \
	HALF_STORES(type, space, suffix, 2, x, y, )                            \
	__attribute__((overloadable)) void vstore_half3##suffix(               \
		type##3 x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half2##suffix(x.xy, 0, p + 3 * at);                     \
		vstore_half##suffix(x.z, 3 * at + 2, p);                       \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half3##suffix(              \
		type##3 x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half3##suffix(x, 0, p + 4 * at);                        \
	}                                                                      \
	HALF_STORES(type, space, suffix, 4, lo, hi, 2)                         \
	HALF_STORES(type, space, suffix, 8, lo, hi, 4)                         \
	HALF_STORES(type, space, suffix, 16, lo, hi, 8)
#define HALF_STORES(type, space, suffix, n, low, high, part)                   \
	__attribute__((overloadable)) void vstore_half##n##suffix(             \
		type##n x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half##part##suffix(x.low, 2 * at, p);                   \
		vstore_half##part##suffix(x.high, 2 * at + 1, p);              \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half##n##suffix(            \
		type##n x, size_t at, space half *p)                           \
	{                                                                      \
		vstore_half##n##suffix(x, at, p);                              \
	}
