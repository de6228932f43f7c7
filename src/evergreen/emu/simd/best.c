/* Chooses the functions for this host. */
#include <cpuid.h>

#include "evergreen/emu/state.h"

/* Not every compiler knows this one by name. */
static bool has_half_conversions(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}

const struct evg_simd *evg_simd_best(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") &&
	    __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512cd") &&
	    __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		return &evg_simd_v4;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	    has_half_conversions())
		return &evg_simd_v3;
	return &evg_simd_v2;
}
