/* Operations on the exponents of doubles: LDEXP_64 and FREXP_64. */

SIMD uint64_t double_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

/* 2^e for whole e from -1022 to 1023. */
SIMD vd power_of_two(vd e)
{
	return (vd)((vq)(e + splat_double(0x1p52 + 1023)) << 52);
}

/* a * 2^b for whole b from -2200 to 2200, rounded once and in any float mode as
 * by one operation: all products but the last one are exact. One step does for b
 * from -1022 to 1023, else there are three. A number below 2^-53 is below half
 * of the least denormal by its first step down, whatever is left. */
SIMD vd scale_double(vd a, vd b, unsigned steps)
{
	const vd zero = splat_double(0.0), lowest = splat_double(-1022.0);

	for (unsigned step = 0; step < steps; step++) {
		vd size = (vd)((vq)a & splat_quad(INT64_MAX));
		vd down = choose_double(size < splat_double(0x1p-53), lowest,
					splat_double(-969.0));
		vd part = choose_double(b > 1023.0, splat_double(1023.0), b);
		vd product;

		part = choose_double(b < lowest, down, part);
		product = a * power_of_two(part);
		/* A product by 1 would flush what the last one gave. */
		a = step ? choose_double(b != zero, product, a) : product;
		b = choose_double(part > lowest, b - part, zero);
	}
	return a;
}

/* Whole numbers from -2200 to 2200, which stand for all beyond. */
SIMD void load_exponent(vu a, vd out[2])
{
	const vu limit = splat(2200), offset = splat(1u << 31);

	a = choose(int_gt(a, limit), limit, a);
	a = choose(int_gt(-limit, a), -limit, a);
	join_double(a ^ offset, splat(0x43300000), out);
	out[0] -= splat_double(0x1p52 + 0x1p31);
	out[1] -= splat_double(0x1p52 + 0x1p31);
}

/* The exponent is an integer in the first slot's second source. */
SIMD void run_ldexp(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		    unsigned exponent)
{
	uint64_t lanes = wavefront->masks.lanes[uop->mask];

	control_begin(wavefront->float_control.doubles);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu b = wide_load(wavefront, uop->extra, exponent, i);
		vmask far = uint_gt(b + splat(1022), splat(2045));
		unsigned steps = mask_bits(far) ? 3 : 1;
		vd a[2], e[2];

		if (!vector_lanes(lanes, i))
			continue;
		load_double(wavefront, uop, LAYOUT_PAIR, 0, 2, i, a);
		load_exponent(b, e);
		for (int h = 0; h < 2; h++)
			a[h] = number_double(scale_double(a[h], e[h], steps));
		store_double(wavefront, uop, LAYOUT_PAIR, a, i);
	}
	control_end(wavefront);
}

/* a = f * 2^e with f in [1/2, 1): e in slot y, f's dwords in z and w. */
SIMD void run_frexp(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		    unsigned source)
{
	uint64_t lanes = wavefront->masks.lanes[uop->mask];

	control_begin(wavefront->float_control.doubles);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vd a[2];
		vu exponent = {0}, low = {0}, high = {0};

		if (!vector_lanes(lanes, i))
			continue;
		load_double(wavefront, uop, LAYOUT_FOUR, source, 1, i, a);
		for (unsigned k = 0; k < VECTOR_LANES; k++) {
			double d = a[k / (VECTOR_LANES / 2)]
				    [k % (VECTOR_LANES / 2)];
			int e = 0;
			uint64_t bits;

			bits = double_bits(d);
			if (d == 0) { /* also for a denormal that is flushed */
				bits &= UINT64_C(1) << 63;
			} else if (d - d == 0) {
				d = __builtin_frexp(d, &e);
				bits = double_bits(d);
			}
			exponent[k] = (uint32_t)e;
			low[k] = (uint32_t)bits;
			high[k] = (uint32_t)(bits >> 32);
		}
		wide_store(wavefront, uop, 0, splat(0), i);
		wide_store(wavefront, uop, 1, exponent, i);
		wide_store(wavefront, uop, 2, low, i);
		wide_store(wavefront, uop, 3, high, i);
	}
	control_end(wavefront);
}
