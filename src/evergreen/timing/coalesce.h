/* The blocks that the lanes of an instruction touch. */
#ifndef M2S_EVERGREEN_TIMING_COALESCE_H
#define M2S_EVERGREEN_TIMING_COALESCE_H

#include <stdbool.h>
#include <stdint.h>

#include "evergreen/emu/emu.h"

struct coalesce_block {
	uint32_t address, end; /* bytes touched */
	uint32_t elements;     /* lanes that touch them */
};

/* A filter takes eight texels of up to 16 bytes, a block has at least 4. */
enum { COALESCE_MAX = 8 * 4 * EVG_WAVEFRONT_SIZE };

/* Whether all lanes take part, and each follows the one before it without a
 * gap. */
bool coalesce_is_run(uint64_t mask, const uint32_t *address, uint32_t bytes);

/* Adds the blocks of `size` bytes, a power of two, in which the lanes of `mask`
 * touch `bytes` bytes from their addresses on. They come behind the `count`
 * blocks that there are, in the order of the lanes that touch them first; a
 * block that is there already gets the lanes. With `whole` the blocks that are
 * found may be given as a whole, whatever is touched of them. Returns the new
 * count, at most COALESCE_MAX. */
unsigned coalesce_blocks(uint64_t mask, const uint32_t *address,
			 uint32_t bytes, uint32_t size,
			 bool whole, struct coalesce_block *blocks,
			 unsigned count);

#endif
