/* Names of functions that are compiled once per host instruction set:
 * EVG_SIMD_LEVEL is v2, v3 or v4, given on the compiler's command line. */
#ifndef M2S_EVERGREEN_EMU_SIMD_LEVEL_H
#define M2S_EVERGREEN_EMU_SIMD_LEVEL_H

#include "evergreen/emu/state.h"

#ifndef EVG_SIMD_LEVEL
#error "EVG_SIMD_LEVEL must be v2, v3 or v4"
#endif

#define EVG_LEVEL_PASTE(name, level) name##_##level
#define EVG_LEVEL_EXPAND(name, level) EVG_LEVEL_PASTE(name, level)
#define EVG_LEVEL(name) EVG_LEVEL_EXPAND(name, EVG_SIMD_LEVEL)

extern const struct evg_alu_body *const
	EVG_LEVEL(evg_alu_bodies)[EVG_ALU_COUNT];
extern evg_body *const EVG_LEVEL(evg_lds_bodies)[EVG_LDS_COUNT];
extern evg_store_body *const EVG_LEVEL(evg_rat_bodies)[EVG_RAT_COUNT];

evg_body EVG_LEVEL(evg_gather), EVG_LEVEL(evg_scatter);
evg_body EVG_LEVEL(evg_queue_reset), EVG_LEVEL(evg_queue_push),
	EVG_LEVEL(evg_queue_pop);
evg_body EVG_LEVEL(evg_mask_low), EVG_LEVEL(evg_mask_high);
evg_fetch_body EVG_LEVEL(evg_fetch_32), EVG_LEVEL(evg_fetch_64),
	EVG_LEVEL(evg_fetch_128), EVG_LEVEL(evg_fetch_small),
	EVG_LEVEL(evg_fetch_any), EVG_LEVEL(evg_fetch_rat),
	EVG_LEVEL(evg_fetch_bound), EVG_LEVEL(evg_buffer_info);
evg_fetch_body EVG_LEVEL(evg_texture_load), EVG_LEVEL(evg_texture_sample),
	EVG_LEVEL(evg_texture_gather), EVG_LEVEL(evg_texture_info);
evg_store_body EVG_LEVEL(evg_store_raw), EVG_LEVEL(evg_store_mskor),
	EVG_LEVEL(evg_store_general), EVG_LEVEL(evg_scratch_store),
	EVG_LEVEL(evg_export_store);
evg_fetch_body EVG_LEVEL(evg_scratch_load), EVG_LEVEL(evg_export_load);
/* evg_traffic_count of a step that has accesses. */
void EVG_LEVEL(evg_add_traffic)(struct evg_traffic *traffic, uint32_t line,
				const struct evg_step *step);
/* Does a RAT's atomic operation on one dword. Returns the old value. */
uint32_t EVG_LEVEL(evg_rat_update)(enum evg_rat_op op, uint32_t *place,
				   uint32_t x, uint32_t w);

#endif
