/* libclc's abs and abs_diff take a signed difference that must not overflow, so
 * that a compiler may believe that no number is the smallest one; their results
 * are unsigned because all numbers have them (OpenCL C 1.2, section 6.12.3). */
#define ABS(type, unsigned_type)                                               \
	__attribute__((overloadable, const)) unsigned_type abs(type a)         \
	{                                                                      \
		return __builtin_astype(__builtin_elementwise_abs(a),          \
					unsigned_type);                        \
	}
#define ABS_DIFF(type, unsigned_type)                                          \
	__attribute__((overloadable, const)) unsigned_type abs_diff(type a,    \
								    type b)    \
	{                                                                      \
		return __builtin_astype(max(a, b), unsigned_type) -            \
		       __builtin_astype(min(a, b), unsigned_type);             \
	}
#define ABSOLUTE(type)                                                         \
	ABS(type, u##type)                                                     \
	ABS_DIFF(type, u##type)
#define ABSOLUTE_VECTORS(type)                                                 \
	ABSOLUTE(type##2)                                                      \
	ABSOLUTE(type##3)                                                      \
	ABSOLUTE(type##4)                                                      \
	ABSOLUTE(type##8)                                                      \
	ABSOLUTE(type##16)

/* A single char or short becomes an int, which is wide enough. */
ABSOLUTE_VECTORS(char)
ABSOLUTE_VECTORS(short)
ABSOLUTE(int)
ABSOLUTE_VECTORS(int)
ABSOLUTE(long)
ABSOLUTE_VECTORS(long)
