/* What the emulator needs of device memory beyond emu.h. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_MEMORY_H
#define M2S_EVERGREEN_EMU_MEMORY_MEMORY_H

#include "evergreen/emu/state.h"

/* Host address of device address 0. */
uint8_t *evg_memory_base(struct evg_memory *memory);
/* Changes whenever blocks are allocated or released. */
uint64_t evg_memory_generation(const struct evg_memory *memory);

/* See evg_wavefront.find. */
bool evg_memory_find(struct evg_memory *memory, uint32_t address,
		     uint32_t bytes, bool write, struct evg_window *window);

/* "inside 'buffer 3' [0x10000, 0x20000), which is read-only" or "..., nearest
 * is ..." for an access that evg_memory_find refused. */
/* [*start, *end) of the block that an address is in, or else the nearest. False
 * when there is none. */
bool evg_memory_nearest(const struct evg_memory *memory, uint32_t address,
			uint32_t *start, uint64_t *end);
void evg_memory_describe(const struct evg_memory *memory, uint32_t address,
			 char *text, size_t size);

#endif
