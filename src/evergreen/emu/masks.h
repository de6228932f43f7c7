/* Masks of a wavefront's lanes. */
#ifndef M2S_EVERGREEN_EMU_MASKS_H
#define M2S_EVERGREEN_EMU_MASKS_H

#include <stdalign.h>
#include <stdint.h>

#include "evergreen/emu/emu.h"

enum evg_mask {
	EVG_MASK_ACTIVE,      /* PRED_SEL 0 */
	EVG_MASK_PREDICATE_0, /* PRED_SEL 2: active and predicate 0 */
	EVG_MASK_PREDICATE_1, /* PRED_SEL 3: active and predicate 1 */
	EVG_MASK_COUNT
};

struct evg_masks {
	uint64_t lanes[EVG_MASK_COUNT];
	uint8_t full[EVG_MASK_COUNT]; /* whether the mask has all valid lanes */
	uint64_t valid;               /* lanes that are work-items */
	uint32_t active_count;        /* bits in lanes[EVG_MASK_ACTIVE] */
	uint64_t predicate;
	/* The result of the PRED_SET of the current group. */
	uint64_t pending;
};

/* The masks as rows, for the functions over rows. */
struct evg_mask_rows {
	/* The masks for which the rows were made last, and their numbers of
	 * bits. An empty active mask, under which nothing runs, changes
	 * neither. */
	uint64_t expanded[EVG_MASK_COUNT];
	uint32_t count[EVG_MASK_COUNT];
	/* 0 and ~0. */
	alignas(64) uint32_t row[EVG_MASK_COUNT][EVG_WAVEFRONT_SIZE];
};

#endif
