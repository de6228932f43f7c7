/* A row is 64 lanes of 32 bits. A wavefront's rows lie in one block: GPRs (four
 * rows each, x y z w), then AR, the LDS output queues, and rows for results
 * that go to no register (PV and PS). Constants lie in the pool of the
 * ND-range, one host vector each, read with stride 0. */
#ifndef M2S_EVERGREEN_EMU_ROWS_H
#define M2S_EVERGREEN_EMU_ROWS_H

#include <stdint.h>

#include "evergreen/emu/emu.h"

enum {
	EVG_ROW_BYTES = 4 * EVG_WAVEFRONT_SIZE,
	EVG_CONSTANT_BYTES = 64, /* one pool entry: the widest host vector */
};

#define EVG_NO_ROW 0xffffffffu

enum evg_base { EVG_BASE_STATE, EVG_BASE_POOL, EVG_BASE_COUNT };

/* A row of the state or a constant of the pool. `stride` masks the host
 * vector's size: 0xff for a row, 0 for a constant. */
struct evg_operand {
	uint32_t offset;
	uint8_t base, stride;
};

/* A wavefront's registers. */
struct evg_registers {
	uint8_t *base[EVG_BASE_COUNT];
	uint32_t *shared; /* those of the compute unit */
};

#endif
