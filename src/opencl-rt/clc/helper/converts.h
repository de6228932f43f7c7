/* Functions convert_TYPESUFFIX() of scalars and vectors (OpenCL C 1.2, section
 * 6.2.3) from one of a scalar, whose name may be a cast in parentheses. Those of
 * large vectors are by halves. */
#define OVER __attribute__((overloadable, const))
#define CONVERT(to, from, suffix, function)                                    \
	OVER to convert_##to##suffix(from a) { return function(a); }           \
	OVER to##2 convert_##to##2##suffix(from##2 a)                          \
	{                                                                      \
		return (to##2)(function(a.x), function(a.y));                  \
	}                                                                      \
	OVER to##3 convert_##to##3##suffix(from##3 a)                          \
	{                                                                      \
		return (to##3)(function(a.x), function(a.y), function(a.z));   \
	}                                                                      \
	CONVERT_HALVES(to, from, suffix, 4, 2)                                 \
	CONVERT_HALVES(to, from, suffix, 8, 4)                                 \
	CONVERT_HALVES(to, from, suffix, 16, 8)
#define CONVERT_HALVES(to, from, suffix, n, half)                              \
	OVER to##n convert_##to##n##suffix(from##n a)                          \
	{                                                                      \
		return (to##n)(convert_##to##half##suffix(a.lo),               \
			       convert_##to##half##suffix(a.hi));              \
	}
