/* The same loop with a function's full and its native form, and with neither:
 * what is left after subtracting that is the function. */
#define LOOP(name, call)                                                       \
	kernel void name(global float *data, uint rounds)                      \
	{                                                                      \
		uint id = get_global_id(0);                                    \
		float x = data[id], y = data[id] + 1.5f, sum = 0.0f;           \
									       \
		for (uint i = 0; i < rounds; i++) {                            \
			sum += call;                                           \
			x += 0.25f;                                            \
		}                                                              \
		data[id] = sum;                                                \
	}
#define BOTH(function)                                                         \
	LOOP(full_##function, function(x))                                     \
	LOOP(native_##function##_, native_##function(x))

LOOP(nothing, x * y)
BOTH(sin)
BOTH(cos)
BOTH(tan)
BOTH(exp)
BOTH(exp2)
BOTH(exp10)
BOTH(log)
BOTH(log2)
BOTH(log10)
BOTH(sqrt)
BOTH(rsqrt)
LOOP(full_powr, powr(x, y))
LOOP(native_powr_, native_powr(x, y))
LOOP(full_divide, x / y)
LOOP(native_divide_, native_divide(x, y))
