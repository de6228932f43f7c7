/* From a row of alu/operations.def to functions over rows of lanes.
 *
 * The row's expression becomes an inline function from vectors to a vector or
 * to a test. VALUE and PREDICATE make from it the functions that a plan chooses
 * from: with and without operand modifiers, with and without an active mask. In
 * the expression a, b and c are the sources, and i is the number of the vector
 * in its row. */
#ifndef M2S_EVERGREEN_EMU_ALU_TEMPLATE_H
#define M2S_EVERGREEN_EMU_ALU_TEMPLATE_H

#include "evergreen/emu/alu/vector.h"
#include "evergreen/emu/memory/stream.h"

typedef vu value_function(vu a, vu b, vu c, unsigned i);
typedef vmask predicate_function(vu a, vu b);

/* Source `k` of the operation with its modifiers applied; 0 for a source that
 * the operation does not have. */
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

/* `is_number`: the result is a float whose NaNs become FLOAT_NAN. With all
 * lanes active a second pass does so after the whole row has been computed.
 * NaNs are rare, and the next operation can begin with the results so far. */
SIMD void run_value(struct evg_wavefront *wavefront, const struct evg_uop *uop,
		    value_function *function, int sources, bool is_number,
		    bool modified, bool full)
{
	struct stream a = stream_open(wavefront, &uop->source[0]);
	struct stream b = stream_open(wavefront, &uop->source[1]);
	struct stream c = stream_open(wavefront, &uop->source[2]);
	uint8_t *dest = wavefront->registers.base[EVG_BASE_STATE] + uop->dest;
	const struct evg_modifiers *m = uop->extra;
	uint64_t lanes = wavefront->masks.lanes[uop->mask];
	const uint32_t *lane_masks = wavefront->mask_rows.row[uop->mask];
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
			result = number(result);
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
		      number(load(dest + i * VECTOR_BYTES)));
}

SIMD void run_predicate(struct evg_wavefront *wavefront,
			const struct evg_uop *uop,
			predicate_function *function, bool modified)
{
	struct stream a = stream_open(wavefront, &uop->source[0]);
	struct stream b = stream_open(wavefront, &uop->source[1]);
	uint8_t *dest =
	    uop->dest == EVG_NO_ROW
		? NULL
		: wavefront->registers.base[EVG_BASE_STATE] + uop->dest;
	const struct evg_modifiers *m = uop->extra;
	uint64_t lanes = wavefront->masks.lanes[uop->mask];
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
			     wavefront->mask_rows.row[uop->mask]);
	}
	wavefront->masks.pending = bits;
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

/* Facts about operations from their encoding rows. */
enum {
#define ALU(id, text, form, code, sources, takes, slots, ...)                  \
	SOURCES_##id = sources, SLOTS_##id = EVG_SLOTS_##slots,
#include "evergreen/isa/alu.def"
};

#define OPERATION(id, result)                                                  \
	SIMD vu op_##id(vu a, vu b, vu c, unsigned i)                          \
	{                                                                      \
		(void)a, (void)b, (void)c, (void)i;                            \
		return result;                                                 \
	}

/* The column `nan` as a number: whether the result's NaNs become FLOAT_NAN. */
enum { MAKES_NUMBER = 1, MAKES_FLOATS = 0, MAKES_BITS = 0 };

#define VALUE(id, nan, code, result)                                           \
	OPERATION(id, result)                                                  \
	VALUE_BODY(id, SOURCES_##id, MAKES_##nan, false)
#define PREVIOUS(id, nan, code, result)                                        \
	OPERATION(id, result)                                                  \
	VALUE_BODY(id, SOURCES_##id + 1, MAKES_##nan, true)

#define PREDICATE(id, nan, code, condition)                                    \
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

#define SPECIAL(id, sources, does)                                             \
	static const struct evg_alu_body body_##id = {                         \
		.shape = EVG_SHAPE_SPECIAL,                                    \
		.source_count = sources,                                       \
		.action = EVG_SPECIAL_##does,                                  \
	};

#endif
