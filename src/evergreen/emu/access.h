/* The addresses of the active lanes of one memory instruction, checked before
 * anything is read or written. */
#ifndef M2S_EVERGREEN_EMU_ACCESS_H
#define M2S_EVERGREEN_EMU_ACCESS_H

#include "evergreen/emu/simd/simd.h"
#include "evergreen/emu/state.h"

struct access {
	uint64_t lanes;   /* the active lanes; not 0 */
	/* All lanes are active and access consecutive memory: see
	 * access_find_run. */
	bool is_run;
	/* Inactive lanes repeat the address of the first active one, so that
	 * their elements may be read, but not written. */
	alignas(64) uint32_t address[EVG_WAVEFRONT_SIZE];
};

SIMD uint32_t *state_row(const struct evg_wavefront *wavefront, uint32_t row)
{
	return (uint32_t *)(void *)(wavefront->registers.base[EVG_BASE_STATE] +
				    row);
}

SIMD unsigned first_lane(uint64_t lanes)
{
	return (unsigned)__builtin_ctzll(lanes);
}

/* Runs the body for each set bit of `lanes`. */
#define FOR_LANES(lane, lanes)                                                 \
	for (uint64_t lane##_rest = (lanes), lane;                             \
	     lane##_rest && ((lane = first_lane(lane##_rest)), true);          \
	     lane##_rest &= lane##_rest - 1)

/* Sets the addresses (row << shift) + offset of `lanes`. */
SIMD void access_open(struct access *access, struct evg_wavefront *wavefront,
		      const uint8_t *row, size_t stride, unsigned shift,
		      uint32_t offset, uint64_t lanes, const uint32_t *masks)
{
	access->lanes = lanes;
	access->is_run = false;
	(void)wavefront;
	if (lanes == ~UINT64_C(0)) {
		FOR_VECTORS(i)
			store(access->address + i * VECTOR_LANES,
			      (load(row + i * stride) << shift) + offset);
	} else {
		unsigned lane = first_lane(lanes);
		uint32_t first = stride ? ((const uint32_t *)(const void *)
						   row)[lane]
					: *(const uint32_t *)(const void *)row;
		vu rest = splat((first << shift) + offset);

		FOR_VECTORS(i) {
			vu here = (load(row + i * stride) << shift) + offset;
			vu mask = load(masks + i * VECTOR_LANES);

			store(access->address + i * VECTOR_LANES,
			      (here & mask) | (rest & ~mask));
		}
	}
}

/* Sets is_run for accesses of `bytes` bytes per lane. Accesses that wrap around
 * at the end of the address space are no run. */
SIMD void access_find_run(struct access *access, uint32_t bytes)
{
	const uint32_t *address = access->address;
	vu expected = lane_numbers() * bytes + address[0], differ = splat(0);

	if (access->lanes != ~UINT64_C(0) ||
	    address[0] + 63 * bytes != address[63] ||
	    address[0] > UINT32_MAX - 64 * bytes)
		return;
	FOR_VECTORS(i) {
		differ |= load(address + i * VECTOR_LANES) ^ expected;
		expected += VECTOR_LANES * bytes;
	}
	access->is_run = !mask_bits(int_ne(differ, splat(0)));
}

/* Whether every address lies in [start, start + span]. */
SIMD bool access_within(const struct access *access, uint32_t start,
			uint32_t span)
{
	vu outside = splat(0);

	FOR_VECTORS(i) {
		vu here = load(access->address + i * VECTOR_LANES) - start;

		outside |= here - uint_min(here, splat(span));
	}
	return !mask_bits(int_ne(outside, splat(0)));
}

SIMD void access_range(const struct access *access, uint32_t *lowest,
		       uint32_t *highest)
{
	vu low = load(access->address), high = low;

	for (unsigned i = 1; i < ROW_VECTORS; i++) {
		vu here = load(access->address + i * VECTOR_LANES);

		low = uint_min(low, here);
		high = uint_max(high, here);
	}
	*lowest = reduce_min(low);
	*highest = reduce_max(high);
}

/* Whether every address is a multiple of `bytes`, a power of two. */
SIMD bool access_aligned(const struct access *access, uint32_t bytes)
{
	vu all = load(access->address);

	for (unsigned i = 1; i < ROW_VECTORS; i++)
		all |= load(access->address + i * VECTOR_LANES);
	return !mask_bits(int_ne(all & (bytes - 1), splat(0)));
}

SIMD void fault_set(struct evg_wavefront *wavefront, enum evg_fault_kind kind,
		    unsigned lane, uint32_t address, uint32_t bytes,
		    unsigned group)
{
	struct evg_fault *fault = &wavefront->fault;

	if (fault->kind)
		return;
	fault->kind = kind;
	fault->lane = (uint8_t)lane;
	fault->group = (uint16_t)group;
	fault->address = address;
	fault->bytes = bytes;
}

SIMD void fault_constant(struct evg_wavefront *wavefront, uint8_t bank,
			 unsigned lane, uint32_t address, uint32_t bytes,
			 unsigned group)
{
	if (!wavefront->fault.kind)
		wavefront->fault.bank = bank;
	fault_set(wavefront, EVG_FAULT_CONSTANT, lane, address, bytes, group);
}

#endif
