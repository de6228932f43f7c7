/* How one ALU operation on a vector becomes functions over rows.
 *
 * An operation is an inline function from vectors to a vector (or to a mask,
 * for PRED_SET*). VALUE1..3 and PREDICATE make of it the four functions that
 * a plan chooses from: with and without operand modifiers, with and without
 * an active mask. Inside an operation a, b, c are the sources and i is the
 * number of the vector in its row. */
#ifndef M2S_EVERGREEN_EMU_ALU_TEMPLATE_H
#define M2S_EVERGREEN_EMU_ALU_TEMPLATE_H

#include "evergreen/emu/simd.h"
#include "evergreen/emu/state.h"

#define F(x) ((vf)(x))

enum {
	FLOAT_ONE = 0x3f800000,
	FLOAT_BELOW_ONE = 0x3f7fffff,
	FLOAT_MAX = 0x7f7fffff,
	FLOAT_INFINITY = 0x7f800000,
	FLOAT_NAN = 0x7fc00000, /* the only NaN that arithmetic makes */
};

/* Results that are not a number get one fixed encoding: which of two NaN
 * operands survives an x86 operation depends on how the compiler ordered
 * them. */
SIMD vu number(vf value)
{
	vu bits = (vu)value;

	return choose(float_unordered(bits, bits), splat(FLOAT_NAN), bits);
}

SIMD vu output_modified(vu value, uint8_t output_modifier, bool clamp,
			bool clamp_keeps_nan)
{
	static const float scale[4] = {1.0f, 2.0f, 4.0f, 0.5f};

	if (output_modifier)
		value = number(F(value) * splat_float(scale[output_modifier]));
	if (clamp) {
		vmask stays = float_gt(value, splat(0));

		if (clamp_keeps_nan)
			stays = mask_or(stays, float_unordered(value, value));
		value = choose(stays, value, splat(0));
		value = choose(float_gt(value, splat(FLOAT_ONE)),
			       splat(FLOAT_ONE), value);
	}
	return value;
}

/* A source of a uop: where it begins and how far apart its vectors are. */
struct stream {
	const uint8_t *place;
	size_t stride;
};

SIMD struct stream stream_open(const struct evg_wavefront *wavefront,
			       const struct evg_operand *operand)
{
	return (struct stream){wavefront->base[operand->base] +
				       operand->offset,
			       operand->stride & VECTOR_BYTES};
}

SIMD vu stream_load(struct stream stream, unsigned i)
{
	return load(stream.place + i * stream.stride);
}

SIMD uint32_t source_lane(struct stream stream, unsigned lane)
{
	const uint32_t *row = (const uint32_t *)(const void *)stream.place;

	return stream.stride ? row[lane] : row[0];
}

typedef vu value_function(vu a, vu b, vu c, unsigned i);
typedef vmask predicate_function(vu a, vu b);

/* Source `k` of the operation, modified; nothing when there is no such. */
SIMD vu operand(struct stream stream, const struct evg_modifiers *modifiers,
		int k, int sources, bool modified, unsigned i)
{
	vu value;

	if (k >= sources)
		return splat(0);
	value = stream_load(stream, i);
	if (modified)
		value = (value & splat(modifiers->source_and[k])) ^
			splat(modifiers->source_xor[k]);
	return value;
}

/* `number`: the result is a float whose NaNs are to be made FLOAT_NAN. With
 * all lanes active that is left until they are all there: there is seldom one
 * to be found, and the next operation can begin with the results so far. */
SIMD void run_value(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		    value_function *function, int sources, bool is_number,
		    bool modified, bool full)
{
	struct stream a = stream_open(wavefront, &uop->source[0]);
	struct stream b = stream_open(wavefront, &uop->source[1]);
	struct stream c = stream_open(wavefront, &uop->source[2]);
	uint8_t *dest = wavefront->base[EVG_BASE_STATE] + uop->dest;
	const struct evg_modifiers *m = uop->extra;
	uint64_t lanes = wavefront->mask[uop->mask];
	const uint32_t *lane_masks = wavefront->mask_row[uop->mask];
	bool late = is_number && full && !modified;
	vmask strange = {0};

#pragma GCC unroll 8
	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vu result;

		if (!full && !vector_lanes(lanes, i))
			continue;
		result = function(operand(a, m, 0, sources, modified, i),
				  operand(b, m, 1, sources, modified, i),
				  operand(c, m, 2, sources, modified, i), i);
		if (late)
			strange = mask_or(strange,
					  float_unordered(result, result));
		else if (is_number)
			result = number((vf)result);
		if (modified)
			result = output_modified(result, m->output_modifier,
						 m->clamp, m->clamp_keeps_nan);
		if (full)
			store(dest + i * VECTOR_BYTES, result);
		else
			store_masked(dest, i, result, lanes, lane_masks);
	}
	if (!late || !mask_bits(strange))
		return;
	for (unsigned i = 0; i < ROW_VECTORS; i++)
		store(dest + i * VECTOR_BYTES,
		      number((vf)load(dest + i * VECTOR_BYTES)));
}

SIMD void run_predicate(struct evg_wavefront *wavefront,
			const struct evg_uop *uop,
			predicate_function *function, bool modified)
{
	struct stream a = stream_open(wavefront, &uop->source[0]);
	struct stream b = stream_open(wavefront, &uop->source[1]);
	uint8_t *dest = uop->dest == EVG_NO_ROW
				? NULL
				: wavefront->base[EVG_BASE_STATE] + uop->dest;
	const struct evg_modifiers *m = uop->extra;
	uint64_t lanes = wavefront->mask[uop->mask];
	uint64_t bits = 0;

	for (unsigned i = 0; i < ROW_VECTORS; i++) {
		vmask true_lanes =
			function(operand(a, m, 0, 2, modified, i),
				 operand(b, m, 1, 2, modified, i));
		vu result;

		bits |= (uint64_t)mask_bits(true_lanes) << (i * VECTOR_LANES);
		if (!dest)
			continue;
		result = choose(true_lanes, splat(0), splat(FLOAT_ONE));
		if (modified)
			result = output_modified(result, m->output_modifier,
						 m->clamp, m->clamp_keeps_nan);
		store_masked(dest, i, result, lanes,
			     wavefront->mask_row[uop->mask]);
	}
	wavefront->pending = bits;
}

#define BODY_FUNCTION(id, suffix, run, ...)                                    \
	static void id##_##suffix(struct evg_wavefront *wavefront,             \
				  const struct evg_uop *uop)                   \
	{                                                                      \
		run(wavefront, uop, __VA_ARGS__);                              \
	}

#define VALUE_BODY(id, sources, is_number, is_previous)                        \
	BODY_FUNCTION(id, masked, run_value, op_##id, sources, is_number,      \
		      false, false)                                            \
	BODY_FUNCTION(id, full, run_value, op_##id, sources, is_number, false, \
		      true)                                                    \
	BODY_FUNCTION(id, modified, run_value, op_##id, sources, is_number,    \
		      true, false)                                             \
	BODY_FUNCTION(id, modified_full, run_value, op_##id, sources,          \
		      is_number, true, true)                                   \
	static const struct evg_alu_body body_##id = {                         \
		.shape = EVG_SHAPE_VALUE,                                      \
		.previous = is_previous,                                       \
		.body = {{id##_masked, id##_full},                             \
			 {id##_modified, id##_modified_full}},                 \
	};

#define OPERATION(id, ...)                                                     \
	SIMD vu op_##id(vu a, vu b, vu c, unsigned i)                          \
	{                                                                      \
		(void)a, (void)b, (void)c, (void)i;                            \
		__VA_ARGS__                                                    \
	}

/* VALUE<sources>(id, statements that return the result) */
#define VALUE1(id, ...)                                                        \
	OPERATION(id, __VA_ARGS__) VALUE_BODY(id, 1, false, false)
#define VALUE2(id, ...)                                                        \
	OPERATION(id, __VA_ARGS__) VALUE_BODY(id, 2, false, false)
#define VALUE3(id, ...)                                                        \
	OPERATION(id, __VA_ARGS__) VALUE_BODY(id, 3, false, false)
/* NUMBER<sources>(id, float expression): its NaNs become FLOAT_NAN. */
#define NUMBER1(id, ...)                                                       \
	OPERATION(id, return (vu)(__VA_ARGS__);) VALUE_BODY(id, 1, true, false)
#define NUMBER2(id, ...)                                                       \
	OPERATION(id, return (vu)(__VA_ARGS__);) VALUE_BODY(id, 2, true, false)
#define NUMBER3(id, ...)                                                       \
	OPERATION(id, return (vu)(__VA_ARGS__);) VALUE_BODY(id, 3, true, false)
/* The last source is the result of the next lower slot of the group. */
#define PREVIOUS2(id, ...)                                                     \
	OPERATION(id, __VA_ARGS__) VALUE_BODY(id, 2, false, true)
#define PREVIOUS3(id, ...)                                                     \
	OPERATION(id, __VA_ARGS__) VALUE_BODY(id, 3, false, true)

#define PREDICATE(id, condition)                                               \
	SIMD vmask test_##id(vu a, vu b)                                       \
	{                                                                      \
		return condition;                                              \
	}                                                                      \
	BODY_FUNCTION(id, plain, run_predicate, test_##id, false)              \
	BODY_FUNCTION(id, modified, run_predicate, test_##id, true)            \
	static const struct evg_alu_body body_##id = {                         \
		.shape = EVG_SHAPE_PREDICATE,                                  \
		.body = {{id##_plain, id##_plain},                             \
			 {id##_modified, id##_modified}},                      \
	};

#define WIDE(id, run, ...)                                                     \
	BODY_FUNCTION(id, wide, run, __VA_ARGS__)                              \
	static const struct evg_alu_body body_##id = {                         \
		.shape = EVG_SHAPE_WIDE,                                       \
		.body = {{id##_wide, id##_wide}, {id##_wide, id##_wide}},      \
	};

#define SPECIAL(id)                                                            \
	static const struct evg_alu_body body_##id = {                         \
		.shape = EVG_SHAPE_SPECIAL,                                    \
	};

#endif
