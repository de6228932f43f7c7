/* Stores of singles as halves, up and down (OpenCL C 1.2, section 6.12.7): libclc
 * 16 stores a zero where the direction asks for the least half. */
__attribute__((always_inline)) static ushort __m2s_directed_half(float x,
								 uint away_sign)
{
	const uint infinity = 0x7c00, nan = 0x7e00, largest = 0x7bff;
	uint a = as_uint(x) & 0x7fffffff, sign = as_uint(x) >> 16 & 0x8000;
	bool away = sign == away_sign;
	/* Below the normal halves: by how much the fraction is shifted. */
	uint exponent = max(a >> 23, 1u), shift = min(126 - exponent, 24u);
	uint fraction = a >> 23 ? (a & 0x7fffff) | 0x800000 : a;
	uint bits, rest;

	if (a >= 0x47800000) { /* 2^16 */
		bits = a > 0x7f800000		     ? nan
		       : a == 0x7f800000 || away ? infinity
						     : largest;
		return (ushort)(sign | bits);
	}
	if (a >= 0x38800000) { /* 2^-14 */
		bits = (a - 0x38000000) >> 13;
		rest = a & 0x1fff;
	} else {
		bits = fraction >> shift;
		rest = fraction & ((1u << shift) - 1);
	}
	return (ushort)(sign | (bits + (away && rest)));
}

#define HALF_STORE(space, suffix, away_sign)                                   \
	__attribute__((overloadable)) void vstore_half##suffix(                \
		float x, size_t at, space half *p)                             \
	{                                                                      \
		((space ushort *)p)[at] = __m2s_directed_half(x, away_sign);   \
	}                                                                      \
	HALF_STORES(space, suffix, 2, x, y, )                                  \
	__attribute__((overloadable)) void vstore_half3##suffix(               \
		float3 x, size_t at, space half *p)                            \
	{                                                                      \
		vstore_half2##suffix(x.xy, 0, p + 3 * at);                     \
		vstore_half##suffix(x.z, 3 * at + 2, p);                       \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half3##suffix(              \
		float3 x, size_t at, space half *p)                            \
	{                                                                      \
		vstore_half3##suffix(x, 0, p + 4 * at);                        \
	}                                                                      \
	HALF_STORES(space, suffix, 4, lo, hi, 2)                               \
	HALF_STORES(space, suffix, 8, lo, hi, 4)                               \
	HALF_STORES(space, suffix, 16, lo, hi, 8)
#define HALF_STORES(space, suffix, n, low, high, part)                         \
	__attribute__((overloadable)) void vstore_half##n##suffix(             \
		float##n x, size_t at, space half *p)                          \
	{                                                                      \
		vstore_half##part##suffix(x.low, 2 * at, p);                   \
		vstore_half##part##suffix(x.high, 2 * at + 1, p);              \
	}                                                                      \
	__attribute__((overloadable)) void vstorea_half##n##suffix(            \
		float##n x, size_t at, space half *p)                          \
	{                                                                      \
		vstore_half##n##suffix(x, at, p);                              \
	}
#define HALF_DIRECTIONS(space)                                                 \
	HALF_STORE(space, _rtp, 0)                                             \
	HALF_STORE(space, _rtn, 0x8000)
HALF_DIRECTIONS(__private)
HALF_DIRECTIONS(__local)
HALF_DIRECTIONS(__global)
