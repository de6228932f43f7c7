#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Halves, one behind the other. */
#define HALVES(suffix, n, type)                                                \
	kernel void store_half##n##suffix(                                     \
		global const type *p, global const type *q,                    \
		global half *halves)                                           \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		vstore_half##n##suffix(p[i], i, halves);                       \
	}
#define HALVES_OF_MODE(suffix)                                                 \
	HALVES(suffix, , double)                                               \
	HALVES(suffix, 4, double4)
HALVES_OF_MODE()
HALVES_OF_MODE(_rte)
HALVES_OF_MODE(_rtz)
HALVES_OF_MODE(_rtp)
HALVES_OF_MODE(_rtn)
HALVES(, 2, double2)
HALVES(, 8, double8)
HALVES(, 16, double16)

/* By way of local and private memory; vectors of three with a gap. */
kernel void store_half_elsewhere(global const double *p,
				 global const double *q, global ushort *halves)
{
	size_t i = get_global_id(0), k = get_local_id(0);
	local ushort near[4 * 64];
	ushort own[8];
	double3 a = vload3(0, p + 4 * i);

	vstorea_half3(a, k, (local half *)near);
	vstore_half3(a, 1, (private half *)own);
	vstore_half(p[4 * i + 3], 6, (private half *)own);
	halves[4 * i] = near[4 * k];
	halves[4 * i + 1] = near[4 * k + 1];
	halves[4 * i + 2] = own[5];
	halves[4 * i + 3] = own[6];
}

/* The same of singles. */
#define SINGLES(suffix, n)                                                     \
	kernel void store_single##n##suffix(                                   \
		global const float *p, global const float *q,                  \
		global half *halves)                                           \
	{                                                                      \
		size_t i = get_global_id(0);                                   \
		vstore_half##n##suffix(((global const float##n *)p)[i], i,     \
				       halves);                                \
	}
#define SINGLES_OF_MODE(suffix)                                                \
	SINGLES(suffix, )                                                      \
	SINGLES(suffix, 4)
SINGLES_OF_MODE()
SINGLES_OF_MODE(_rte)
SINGLES_OF_MODE(_rtz)
SINGLES_OF_MODE(_rtp)
SINGLES_OF_MODE(_rtn)

/* What LLVM makes of this compares halves. */
kernel void pass_half(global const half *p, global const double *q,
		      global half *halves)
{
	size_t i = get_global_id(0);

	vstore_half(convert_double(vload_half(i, p)), i, halves);
}
