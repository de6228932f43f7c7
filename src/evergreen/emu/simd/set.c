/* The set of functions of one host instruction set. */
#include "evergreen/emu/simd/simd.h"
#include "evergreen/emu/simd/level.h"

static uint32_t expand(uint32_t *row, uint64_t lanes)
{
	expand_lanes(row, lanes);
	return (uint32_t)__builtin_popcountll(lanes);
}

static void fill_rows(uint8_t *rows, uint32_t count, uint32_t value,
		      uint32_t bytes)
{
	vu all = splat(value);

	for (; count; count--, rows += EVG_ROW_BYTES)
		for (uint32_t i = 0; i < bytes; i += VECTOR_BYTES)
			store((uint32_t *)(void *)(rows + i), all);
}

static void copy_row(uint8_t *row, const uint32_t *from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += VECTOR_BYTES)
		store((uint32_t *)(void *)(row + i), load(from + i / 4));
}

const struct evg_simd EVG_LEVEL(evg_simd) = {
	.vector_bytes = VECTOR_BYTES,
	.alu = EVG_LEVEL(evg_alu_bodies),
	.lds = EVG_LEVEL(evg_lds_bodies),
	.rat = EVG_LEVEL(evg_rat_bodies),
	.rat_update = EVG_LEVEL(evg_rat_update),
	.gather = EVG_LEVEL(evg_gather),
	.scatter = EVG_LEVEL(evg_scatter),
	.queue_reset = EVG_LEVEL(evg_queue_reset),
	.queue_push = EVG_LEVEL(evg_queue_push),
	.queue_pop = EVG_LEVEL(evg_queue_pop),
	.mask_low = EVG_LEVEL(evg_mask_low),
	.mask_high = EVG_LEVEL(evg_mask_high),
	.fetch_32 = EVG_LEVEL(evg_fetch_32),
	.fetch_64 = EVG_LEVEL(evg_fetch_64),
	.fetch_128 = EVG_LEVEL(evg_fetch_128),
	.fetch_small = EVG_LEVEL(evg_fetch_small),
	.fetch_any = EVG_LEVEL(evg_fetch_any),
	.fetch_rat = EVG_LEVEL(evg_fetch_rat),
	.fetch_bound = EVG_LEVEL(evg_fetch_bound),
	.buffer_info = EVG_LEVEL(evg_buffer_info),
	.texture[EVG_TEXTURE_LOAD] = EVG_LEVEL(evg_texture_load),
	.texture[EVG_TEXTURE_SAMPLE] = EVG_LEVEL(evg_texture_sample),
	.texture[EVG_TEXTURE_GATHER] = EVG_LEVEL(evg_texture_gather),
	.texture[EVG_TEXTURE_INFO] = EVG_LEVEL(evg_texture_info),
	.store_general = EVG_LEVEL(evg_store_general),
	.store_mskor = EVG_LEVEL(evg_store_mskor),
	.scratch_store = EVG_LEVEL(evg_scratch_store),
	.scratch_load = EVG_LEVEL(evg_scratch_load),
	.export_store = EVG_LEVEL(evg_export_store),
	.export_load = EVG_LEVEL(evg_export_load),
	.add_traffic = EVG_LEVEL(evg_add_traffic),
	.expand_lanes = expand,
	.fill_rows = fill_rows,
	.copy_row = copy_row,
};
