/* Conversions, each of numbers and of vectors. The kernels are called
 * <to>_<from><suffix>, and ..._3 and ..._16. */
#define NUMBERS(to, from, suffix)                                              \
	__kernel void to##_##from##suffix(__global from *in, __global to *out) \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
                                                                               \
		out[i] = convert_##to##suffix(in[i]);                          \
	}
#define VECTORS(to, from, suffix, n)                                           \
	__kernel void to##_##from##suffix##_##n(__global from *in,             \
						__global to *out)              \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
                                                                               \
		vstore##n(convert_##to##n##suffix(vload##n(i, in)), i, out);   \
	}
#define CONVERT(to, from, suffix)                                              \
	NUMBERS(to, from, suffix)                                              \
	VECTORS(to, from, suffix, 3)                                           \
	VECTORS(to, from, suffix, 16)
#define ROUNDED(to, from, sat)                                                 \
	CONVERT(to, from, sat)                                                 \
	CONVERT(to, from, sat##_rte)                                           \
	CONVERT(to, from, sat##_rtz)                                           \
	CONVERT(to, from, sat##_rtp)                                           \
	CONVERT(to, from, sat##_rtn)
#define EVERY(to, from, sat) ROUNDED(to, from, sat)
EVERY(TO, FROM, SUFFIX)

__kernel void cast(__global FROM *in, __global TO *out)
{
	size_t i = get_global_id(0);

	out[i] = (TO)in[i];
}
