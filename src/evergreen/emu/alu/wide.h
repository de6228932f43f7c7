/* Operations that join slots: sums over four slots, and double precision.
 *
 * A double is two dwords. In an operation over a pair of slots (x and y, or z
 * and w) the first slot names the high dwords of the sources and the second
 * slot the low ones. The low dword of the result goes to the first slot and the
 * high one to the second. In an operation over four slots x, y and z name the
 * high dwords and w the low ones. This is Mesa's order, which was tested there
 * on hardware; Multi2Sim has the opposite one.
 *
 * CLAMP of either slot clamps the double. NEG and ABS act on high dwords. */

/* Source `k` of joined slot `slot`, when each slot has `count` sources. */
SIMD vu wide_load(const struct evg_wavefront *wavefront,
		  const struct evg_wide *wide, unsigned index, unsigned i)
{
	struct stream s = stream_open(wavefront, &wide->source[index]);

	return (stream_load(s, i) & splat(wide->source_and[index])) ^
	       splat(wide->source_xor[index]);
}

SIMD void wide_store(struct evg_wavefront *wavefront,
		     const struct evg_uop *uop, unsigned slot, vu value,
		     unsigned i)
{
	const struct evg_wide *wide = uop->extra;

	if (wide->dest[slot] == EVG_NO_ROW)
		return;
	value = output_modified(value, wide->output_modifier[slot],
				wide->clamp[slot], wide->clamp_keeps_nan);
	store_masked(wavefront->registers.base[EVG_BASE_STATE] +
			 wide->dest[slot],
		     i, value, wavefront->masks.lanes[uop->mask],
		     wavefront->mask_rows.row[uop->mask]);
}

/* --- Sums --------------------------------------------------------------- */

typedef vu product_function(vu a, vu b);

/* The four products are added in the order x, y, z, w. */
SIMD void run_dot(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		  product_function *multiply)
{
	const struct evg_wide *wide = uop->extra;
	uint64_t lanes = wavefront->masks.lanes[uop->mask];

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu total = {0};

		if (!vector_lanes(lanes, i))
			continue;
		for (unsigned slot = 0; slot < 4; slot++) {
			vu p = multiply(
				wide_load(wavefront, wide, 2 * slot, i),
				wide_load(wavefront, wide, 2 * slot + 1, i));

			total = slot ? sum(total, p) : p;
		}
		for (unsigned slot = 0; slot < 4; slot++)
			wide_store(wavefront, uop, slot, number(total), i);
	}
}

/* Slot x converts to bits 7:0, w to bits 31:24; to nearest, saturating. */
SIMD void run_pack(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		   int slots)
{
	const struct evg_wide *wide = uop->extra;

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu packed = {0};

		for (int slot = 0; slot < slots; slot++) {
			vu a = wide_load(wavefront, wide, slot, i);

			a = float_to_uint(rounded_to_even(a));
			packed |= uint_min(a, splat(255)) << (8 * slot);
		}
		for (int slot = 0; slot < slots; slot++)
			wide_store(wavefront, uop, slot, packed, i);
	}
}

/* --- Double precision --------------------------------------------------- */

enum { DOUBLE_NAN_HIGH = 0x7ff80000 };

SIMD void join_double(vu low, vu high, vd out[2])
{
	vq l[2], h[2];

	widen_uint(low, l);
	widen_uint(high, h);
	out[0] = (vd)(l[0] | h[0] << 32);
	out[1] = (vd)(l[1] | h[1] << 32);
}

SIMD void split_double(const vd in[2], vu *low, vu *high)
{
	*low = narrow_uint((vq)in[0], (vq)in[1]);
	*high = narrow_uint((vq)in[0] >> 32, (vq)in[1] >> 32);
}

SIMD vd number_double(vd a)
{
	return choose_double(a != a,
			     (vd)splat_quad((uint64_t)DOUBLE_NAN_HIGH << 32),
			     a);
}

/* Words on doubles. Others are choose_double, fused_double, round_*_double and
 * square_root_double of simd.h. */
SIMD vd sum_double(vd a, vd b)
{
	return a + b;
}

SIMD vd product_double(vd a, vd b)
{
	return a * b;
}

SIMD vd quotient_double(vd a, vd b)
{
	return a / b;
}

SIMD vqi double_eq(vd a, vd b)
{
	return a == b;
}

SIMD vqi double_ne(vd a, vd b)
{
	return a != b;
}

SIMD vqi double_gt(vd a, vd b)
{
	return a > b;
}

SIMD vqi double_ge(vd a, vd b)
{
	return a >= b;
}

SIMD vqi double_lt(vd a, vd b)
{
	return a < b;
}

SIMD vqi double_unordered(vd a, vd b)
{
	return (a != a) | (b != b);
}

SIMD vqi double_or(vqi s, vqi t)
{
	return s | t;
}

SIMD vd fract_double(vd a)
{
	vd r = a - round_floor_double(a);

	return choose_double(r < 1.0, r, (a - a) + 0x1.fffffffffffffp-1);
}

/* The place of an operation on doubles in its slots, from its encoding row. */
enum wide_layout {
	LAYOUT_PAIR = EVG_SLOTS_PAIR,
	LAYOUT_FOUR = EVG_SLOTS_FOUR,
	LAYOUT_T = EVG_SLOTS_T,
};

/* Loads source k of `count` as doubles. */
SIMD void load_double(const struct evg_wavefront *wavefront,
		      const struct evg_uop *uop, enum wide_layout layout,
		      unsigned k, unsigned count, unsigned i, vd out[2])
{
	const struct evg_wide *wide = uop->extra;
	unsigned high = k;
	unsigned low = layout == LAYOUT_PAIR   ? count + k
		       : layout == LAYOUT_FOUR ? 3 * count + k
					       : 1;

	join_double(wide_load(wavefront, wide, low, i),
		    wide_load(wavefront, wide, high, i), out);
}

SIMD vd clamp_double(vd a, bool keep_nan)
{
	vqi stays = a > 0.0;

	if (keep_nan)
		stays |= a != a;
	a = choose_double(stays, a, splat_double(0.0));
	return choose_double(a > 1.0, splat_double(1.0), a);
}

SIMD void store_double(struct evg_wavefront *wavefront,
		       const struct evg_uop *uop, enum wide_layout layout,
		       const vd value[2], unsigned i)
{
	const struct evg_wide *wide = uop->extra;
	vd clamped[2];
	vu low, high;

	if (wide->clamp_double) {
		for (int h = 0; h < 2; h++)
			clamped[h] = clamp_double(value[h],
						  wide->clamp_keeps_nan);
		value = clamped;
	}
	split_double(value, &low, &high);
	if (layout == LAYOUT_T) {
		wide_store(wavefront, uop, 0, wide->odd ? high : low, i);
		return;
	}
	wide_store(wavefront, uop, 0, low, i);
	wide_store(wavefront, uop, 1, high, i);
}

/* Sets the host's floating-point control for doubles until control_end. Load
 * operands after the first memory barrier and store results before the
 * second. */
SIMD void control_begin(uint32_t control)
{
	_mm_setcsr(control);
	__asm__ volatile("" ::: "memory");
}

SIMD void control_end(const struct evg_wavefront *wavefront)
{
	__asm__ volatile("" ::: "memory");
	_mm_setcsr(wavefront->float_control.singles);
}

typedef vd double3_function(vd a, vd b, vd c);

/* Sources and results, read from the plan once. For all the compiler knows, the
 * stores in the loop could change the plan. */
struct double_source {
	struct stream low, high;
	vu and_mask, xor_mask; /* modifiers, which act on the high dword */
};

SIMD struct double_source open_double(const struct evg_wavefront *wavefront,
				      const struct evg_wide *wide,
				      enum wide_layout layout, unsigned k,
				      unsigned count)
{
	unsigned low = layout == LAYOUT_PAIR   ? count + k
		       : layout == LAYOUT_FOUR ? 3 * count + k
					       : 1;

	return (struct double_source){
		stream_open(wavefront, &wide->source[low]),
		stream_open(wavefront, &wide->source[k]),
		splat(wide->source_and[k]), splat(wide->source_xor[k])};
}

SIMD uint8_t *open_result(const struct evg_wavefront *wavefront, uint32_t row)
{
	return row == EVG_NO_ROW
		   ? NULL
		   : wavefront->registers.base[EVG_BASE_STATE] + row;
}

SIMD void run_double(struct evg_wavefront *wavefront,
		     const struct evg_uop *uop, double3_function *function,
		     enum wide_layout layout, unsigned count)
{
	const struct evg_wide *wide = uop->extra;
	uint64_t lanes = wavefront->masks.lanes[uop->mask];
	const uint32_t *masks = wavefront->mask_rows.row[uop->mask];
	bool clamp = wide->clamp_double, keep_nan = wide->clamp_keeps_nan;
	bool odd = layout == LAYOUT_T && wide->odd;
	/* What takes four slots gives its double twice. */
	unsigned results = layout == LAYOUT_T	   ? 1
			   : layout == LAYOUT_FOUR ? 4
						   : 2;
	uint8_t *dest[4];
	struct double_source source[3];

	for (unsigned k = 0; k < results; k++)
		dest[k] = open_result(wavefront, wide->dest[k]);
#pragma GCC unroll 3
	for (unsigned k = 0; k < count; k++)
		source[k] = open_double(wavefront, wide, layout, k, count);
	control_begin(wavefront->float_control.doubles);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vd v[3][2], r[2];
		vu half[2];

		if (!vector_lanes(lanes, i))
			continue;
#pragma GCC unroll 3
		for (unsigned k = 0; k < 3; k++)
			if (k < count)
				join_pairs(stream_load(source[k].low, i),
					   (stream_load(source[k].high, i) &
					     source[k].and_mask) ^
						    source[k].xor_mask,
					    v[k]);
			else
				v[k][0] = v[k][1] = splat_double(0.0);
#pragma GCC unroll 2
		for (int h = 0; h < 2; h++) {
			r[h] = function(v[0][h], v[1][h], v[2][h]);
			if (clamp)
				r[h] = clamp_double(r[h], keep_nan);
		}
		split_pairs(r, &half[0], &half[1]);
#pragma GCC unroll 4
		for (unsigned k = 0; k < results; k++)
			if (dest[k])
				store_masked(dest[k], i,
					     half[(k & 1) | odd], lanes,
					     masks);
	}
	control_end(wavefront);
}

/* In the t slot the two sources are the halves of one double. */
#define DOUBLE_SOURCES(id)                                                     \
	(SLOTS_##id == (int)LAYOUT_T ? 1 : SOURCES_##id)

#define DOUBLE(id, nan, result)                                                \
	SIMD vd op_##id(vd a, vd b, vd c)                                      \
	{                                                                      \
		(void)a, (void)b, (void)c;                                     \
		return MAKES_##nan ? number_double(result) : (result);         \
	}                                                                      \
	WIDE(id, run_double, op_##id, (enum wide_layout)SLOTS_##id,            \
	     DOUBLE_SOURCES(id))

typedef vqi double_test(vd a, vd b);

/* A comparison by a pair of slots. */
SIMD void run_double_predicate(struct evg_wavefront *wavefront,
			       const struct evg_uop *uop, double_test *test)
{
	uint64_t lanes = wavefront->masks.lanes[uop->mask];
	uint64_t bits = 0;

	control_begin(wavefront->float_control.doubles);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vd a[2], b[2];
		vq r[2];
		vu result;
		vmask false_lanes;

		if (!vector_lanes(lanes, i))
			continue;
		load_double(wavefront, uop, LAYOUT_PAIR, 0, 2, i, a);
		load_double(wavefront, uop, LAYOUT_PAIR, 1, 2, i, b);
		for (int h = 0; h < 2; h++)
			r[h] = (vq)test(a[h], b[h]);
		result = narrow_uint(r[0], r[1]);
		false_lanes = int_eq(result, splat(0));
		bits |= (uint64_t)vector_lanes(~(uint64_t)mask_bits(false_lanes),
					       0)
			<< (i * VECTOR_LANES);
		result = choose(false_lanes, splat(FLOAT_ONE), splat(0));
		wide_store(wavefront, uop, 0, result, i);
		wide_store(wavefront, uop, 1, result, i);
	}
	wavefront->masks.pending = bits;
	control_end(wavefront);
}

#define DOUBLE_TEST(id, run, condition)                                        \
	SIMD vqi test_##id(vd a, vd b)                                         \
	{                                                                      \
		return condition;                                              \
	}                                                                      \
	WIDE(id, run, test_##id)

/* --- Conversions of doubles ---------------------------------------------- */

/* Converts the single in the first slot. Denormal singles are flushed unless
 * the float mode keeps them. */
SIMD void run_to_double(struct evg_wavefront *wavefront,
			const struct evg_uop *uop, unsigned source)
{
	uint64_t lanes = wavefront->masks.lanes[uop->mask];

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vd d[2];

		if (!vector_lanes(lanes, i))
			continue;
		widen_float(wide_load(wavefront, uop->extra, source, i), d);
		d[0] = number_double(d[0]);
		d[1] = number_double(d[1]);
		store_double(wavefront, uop, LAYOUT_PAIR, d, i);
	}
}

/* Converts a double to a single. The result is flushed, multiplied and clamped
 * as a single, after the control for doubles has ended. */
SIMD void run_to_single(struct evg_wavefront *wavefront,
			const struct evg_uop *uop, unsigned source)
{
	uint32_t denormals = _MM_DENORMALS_ZERO_MASK;
	uint64_t lanes = wavefront->masks.lanes[uop->mask];
	vu result[ROW_VECTORS];

	control_begin((wavefront->float_control.singles & ~denormals) |
		      (wavefront->float_control.doubles & denormals));
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vd d[2];

		if (!vector_lanes(lanes, i))
			continue;
		load_double(wavefront, uop, LAYOUT_PAIR, source, 1, i, d);
		result[i] = number(narrow_float(d[0], d[1]));
	}
	__asm__ volatile("" : "+m"(result)); /* computed before control_end */
	control_end(wavefront);
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		if (!vector_lanes(lanes, i))
			continue;
		wide_store(wavefront, uop, 0, result[i], i);
		wide_store(wavefront, uop, 1, result[i], i);
	}
}
