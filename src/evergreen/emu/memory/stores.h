/* Stores that have been executed and are to take effect later (struct
 * evg_stores): a list of records one behind the other, so that who does them
 * reads what they are made of and no wavefront's state. Plain stores are kept
 * as addresses and data; of others, the wavefront does them. */
#ifndef M2S_EVERGREEN_EMU_MEMORY_STORES_H
#define M2S_EVERGREEN_EMU_MEMORY_STORES_H

#include "evergreen/emu/state.h"

enum evg_stored_kind {
	EVG_STORED_RUN,       /* elements one behind the other: the data */
	EVG_STORED_LANES,     /* an address for each, then the data */
	EVG_STORED_WAVEFRONT, /* struct evg_stored_wavefront */
};

struct evg_stored {
	uint64_t cycle;
	uint8_t *memory;      /* host address of device address 0 */
	uint32_t size;        /* of the record, with what follows */
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

/* A new record of the wavefront's, with `size` bytes behind it, in which only
 * these and the kind are to be filled. */
struct evg_stored *evg_stores_add(struct evg_wavefront *wavefront, size_t size);

/* What the wavefront has only checked. */
void evg_stores_keep(struct evg_wavefront *wavefront,
		     const struct evg_store_plan *store);

#endif
