/* native_divide(a, b) = a * RECIP_IEEE(b). A plain division takes care of
 * large divisors (float.c); one of 1 needs no care. */
#define NATIVE_DIVIDE(type)                                                    \
	__attribute__((overloadable, const)) type native_divide(type a,        \
								type b)        \
	{                                                                      \
		return a * (1.0f / b);                                         \
	}

NATIVE_DIVIDE(float)
NATIVE_DIVIDE(float2)
NATIVE_DIVIDE(float3)
NATIVE_DIVIDE(float4)
NATIVE_DIVIDE(float8)
NATIVE_DIVIDE(float16)
