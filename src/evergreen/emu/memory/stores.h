/* Stores that have been executed and take effect later (struct evg_stores): a
 * list of consecutive records. Whoever lets them take effect reads the records
 * and no wavefront's state. Plain stores are kept as addresses and data. Others
 * are done by the wavefront. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_STORES_H
#define M2S_EVERGREEN_EMU_MEMORY_STORES_H

#include "evergreen/emu/state.h"

enum evg_stored_kind {
	EVG_STORED_RUN,       /* consecutive elements: the data */
	EVG_STORED_LANES,     /* an address for each element, then the data */
	EVG_STORED_WAVEFRONT, /* struct evg_stored_wavefront */
};

struct evg_stored {
	uint64_t cycle;
	uint8_t *memory;      /* host address of device address 0 */
	uint32_t size;        /* of the record and the data behind it */
	uint8_t kind;         /* enum evg_stored_kind */
	uint8_t bytes;        /* of an element */
	uint16_t count;       /* elements */
	uint32_t address;     /* of EVG_STORED_RUN */
	uint32_t unused;
};

struct evg_stored_wavefront {
	struct evg_wavefront *wavefront;
	const struct evg_store_plan *store;
};

/* Adds a record of the wavefront with `size` bytes behind it. The caller fills
 * in only these bytes and the kind. */
struct evg_stored *evg_stores_add(struct evg_wavefront *wavefront, size_t size);

/* Keeps a store that the wavefront has only checked. */
void evg_stores_keep(struct evg_wavefront *wavefront,
		     const struct evg_store_plan *store);

#endif
