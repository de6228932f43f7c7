/* What native code keeps in a wavefront. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_STATE_H
#define M2S_EVERGREEN_EMU_NATIVE_STATE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>

#include "evergreen/emu/rows.h"

struct evg_native_state {
	bool interpreted;     /* native code is not used */
	uint64_t chain_limit; /* of count.instructions, see chain.h */
	/* In chains: whether active lanes can be in one host vector, enum
	 * evg_vector. Then its first lane, its place in the first row, and the
	 * wavefront's address, moved so that masks.lanes[0] or, with AVX2,
	 * mask_rows.row[0] begins with its lanes. */
	uint8_t vector;
	uint64_t first;
	uint8_t *state, *lanes;
	/* While its rows are in registers (native/region.h): its active lanes
	 * when that began, and an active mask with lanes outside it. */
	uint64_t entered, wanted;
	/* Packed lanes: which those are, the active ones of the vector, and
	 * its rows, whose other lanes nobody sees. */
	uint64_t packed, packed_mask;
	uint8_t *packed_rows;
};

/* With AVX2: native.entered and native.packed_mask as rows. */
struct evg_native_rows {
	alignas(64) uint32_t entered[EVG_CONSTANT_BYTES / 4];
	alignas(64) uint32_t packed[EVG_CONSTANT_BYTES / 4];
};

#endif
