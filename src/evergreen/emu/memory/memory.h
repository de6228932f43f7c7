/* The interface of device memory for the emulator, beyond emu.h. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_MEMORY_H
#define M2S_EVERGREEN_EMU_MEMORY_MEMORY_H

#include "evergreen/emu/state.h"

/* The host address of device address 0. */
uint8_t *evg_memory_base(struct evg_memory *memory);
/* A number that changes whenever blocks are allocated or released. */
uint64_t evg_memory_generation(const struct evg_memory *memory);

/* See evg_wavefront.find. */
bool evg_memory_find(struct evg_memory *memory, uint32_t address,
		     uint32_t bytes, bool write, struct evg_window *window);

/* Describes an access that evg_memory_find refused: "inside 'buffer 3'
 * [0x10000, 0x20000), which is read-only" or "..., nearest is ...". */
/* Finds the block of an address, or else the nearest one: [*start, *end). False
 * when there is no block. */
bool evg_memory_nearest(const struct evg_memory *memory, uint32_t address,
			uint32_t *start, uint64_t *end);
void evg_memory_describe(const struct evg_memory *memory, uint32_t address,
			 char *text, size_t size);

#endif
