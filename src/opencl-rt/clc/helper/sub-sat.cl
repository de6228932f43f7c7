/* libclc's differences of signed numbers go to the wrong end when 0 is what the
 * smallest number is taken from (OpenCL C 1.2, section 6.12.3). */
#define SUB_SAT(type)                                                          \
	__attribute__((overloadable, const)) type sub_sat(type a, type b)      \
	{                                                                      \
		return __builtin_elementwise_sub_sat(a, b);                    \
	}
#define SUB_SAT_ALL(type)                                                      \
	SUB_SAT(type)                                                          \
	SUB_SAT(type##2)                                                       \
	SUB_SAT(type##3)                                                       \
	SUB_SAT(type##4)                                                       \
	SUB_SAT(type##8)                                                       \
	SUB_SAT(type##16)

SUB_SAT_ALL(int)
SUB_SAT_ALL(long)
