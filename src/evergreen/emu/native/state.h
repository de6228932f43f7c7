/* The state of native code in a wavefront. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_STATE_H
#define M2S_EVERGREEN_EMU_NATIVE_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "evergreen/emu/rows.h"

struct evg_native_state {
	bool interpreted;     /* native code is not used */
	uint64_t chain_limit; /* of count.instructions, see chain.h */
	/* In chains: whether active lanes are in one host vector, enum
	 * evg_vector. If so: the vector's first lane, its place in the first
	 * row, and the wavefront's address, moved so that masks.lanes[0] or,
	 * with AVX2, mask_rows.row[0] begins with the vector's lanes. */
	uint8_t vector;
	uint64_t first;
	uint8_t *state, *lanes;
	/* While rows are in registers (native/region.h): the lanes that were
	 * active at the region's entry, and a requested mask with lanes outside
	 * it. */
	uint64_t entered, wanted;
	/* Packed lanes: a mask of them, the active lanes of the vector, and the
	 * vector's rows, whose other lanes are never observed. */
	uint64_t packed, packed_mask;
	uint8_t *packed_rows; /* of the work-group; NULL: not yet asked for */
};

/* native.entered and native.packed_mask as rows, with AVX2. */
struct evg_native_rows {
	alignas(64) uint32_t entered[EVG_CONSTANT_BYTES / 4];
	alignas(64) uint32_t packed[EVG_CONSTANT_BYTES / 4];
};

#endif
