/* Elements in another order (OpenCL C 1.2, section 6.12.12). A mask that is no
 * constant costs n - 1 choices for each element of a vector of n; one that is
 * costs nothing. */
OVER static double __m2s_pick(double2 a, ulong i)
{
	return i & 1 ? a.y : a.x;
}
#define PICK(n)                                                                \
	OVER static double __m2s_pick(double##n a, ulong i)                    \
	{                                                                      \
		double low = __m2s_pick(a.lo, i), high = __m2s_pick(a.hi, i);  \
                                                                               \
		return i & n / 2 ? high : low;                                 \
	}
PICK(4)
PICK(8)
PICK(16)

/* Of two vectors of n, as if they were one. */
#define PICK_OF_TWO(n)                                                         \
	OVER static double __m2s_pick(double##n a, double##n b, ulong i)       \
	{                                                                      \
		double low = __m2s_pick(a, i), high = __m2s_pick(b, i);        \
                                                                               \
		return i & n ? high : low;                                     \
	}
PICK_OF_TWO(2)
PICK_OF_TWO(4)
PICK_OF_TWO(8)
PICK_OF_TWO(16)

#define SHUFFLE(type)                                                          \
	OVER double2 shuffle(type a, ulong2 mask)                              \
	{                                                                      \
		return (double2)(__m2s_pick(a, mask.x),                        \
				 __m2s_pick(a, mask.y));                       \
	}                                                                      \
	OVER double2 shuffle2(type a, type b, ulong2 mask)                     \
	{                                                                      \
		return (double2)(__m2s_pick(a, b, mask.x),                     \
				 __m2s_pick(a, b, mask.y));                    \
	}                                                                      \
	SHUFFLE_HALVES(type, 4)                                                \
	SHUFFLE_HALVES(type, 8)                                                \
	SHUFFLE_HALVES(type, 16)
#define SHUFFLE_HALVES(type, n)                                                \
	OVER double##n shuffle(type a, ulong##n mask)                          \
	{                                                                      \
		return (double##n)(shuffle(a, mask.lo), shuffle(a, mask.hi));  \
	}                                                                      \
	OVER double##n shuffle2(type a, type b, ulong##n mask)                 \
	{                                                                      \
		return (double##n)(shuffle2(a, b, mask.lo),                    \
				   shuffle2(a, b, mask.hi));                   \
	}
SHUFFLE(double2)
SHUFFLE(double4)
SHUFFLE(double8)
SHUFFLE(double16)
