/* The functions over rows, one set per host instruction set. */
#ifndef M2S_EVERGREEN_EMU_SIMD_FUNCTIONS_H
#define M2S_EVERGREEN_EMU_SIMD_FUNCTIONS_H

#include "evergreen/emu/plan/types.h"

struct evg_traffic;

enum evg_texture_action {
	EVG_TEXTURE_NONE, /* no fetch of compute kernels */
	EVG_TEXTURE_LOAD,
	EVG_TEXTURE_SAMPLE,
	EVG_TEXTURE_GATHER,
	EVG_TEXTURE_INFO,
	EVG_TEXTURE_COUNT
};

struct evg_simd {
	unsigned vector_bytes;
	/* By operation; NULL for operations that no compute kernel may hold. */
	const struct evg_alu_body *const *alu;
	evg_body *const *lds;
	evg_store_body *const *rat;
	/* Does a RAT's atomic operation on one dword. Returns the old value. */
	uint32_t (*rat_update)(enum evg_rat_op op, uint32_t *place, uint32_t x,
			       uint32_t w);
	evg_body *gather, *scatter;                     /* evg_relative */
	evg_body *queue_reset, *queue_push, *queue_pop; /* evg_queue */
	evg_body *mask_low, *mask_high; /* MASK_LO, MASK_HI selectors */
	evg_fetch_body *fetch_32, *fetch_64, *fetch_128, *fetch_small,
	    *fetch_any, *fetch_rat, *fetch_bound, *buffer_info;
	evg_fetch_body *texture[EVG_TEXTURE_COUNT];
	evg_store_body *store_general;
	evg_store_body *store_mskor; /* MSKOR without a result */
	evg_fetch_body *scratch_load, *export_load;
	evg_store_body *scratch_store, *export_store;
	/* Of simd/traffic.c. */
	void (*add_traffic)(struct evg_traffic *traffic, uint32_t line,
			    const struct evg_step *step);
	/* Expands 64 bits to a row of 0 and ~0. Returns the number of set
	 * bits. */
	uint32_t (*expand_lanes)(uint32_t *row, uint64_t lanes);
	/* Set the first `bytes`, a multiple of 64, of `count` rows behind each
	 * other, or of one. */
	void (*fill_rows)(uint8_t *rows, uint32_t count, uint32_t value,
			  uint32_t bytes);
	void (*copy_row)(uint8_t *row, const uint32_t *from, uint32_t bytes);
};

extern const struct evg_simd evg_simd_v2, evg_simd_v3, evg_simd_v4;

/* The best set that this host can run. */
const struct evg_simd *evg_simd_best(void);

#endif
