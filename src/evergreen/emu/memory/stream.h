/* Sources of uops, read vector by vector. Included by files of one host
 * instruction set. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_STREAM_H
#define M2S_EVERGREEN_EMU_MEMORY_STREAM_H

#include "evergreen/emu/simd/simd.h"
#include "evergreen/emu/state.h"

/* A source of a uop: its first vector, and the distance of its vectors. */
struct stream {
	const uint8_t *place;
	size_t stride;
};

SIMD struct stream stream_open(const struct evg_wavefront *wavefront,
			       const struct evg_operand *operand)
{
	return (struct stream){wavefront->registers.base[operand->base] +
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

#endif
