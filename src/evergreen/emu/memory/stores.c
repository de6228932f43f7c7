#include "evergreen/emu/memory/stores.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static __attribute__((noinline)) void grow(struct evg_stores *stores,
					   size_t size)
{
	size_t capacity = stores->capacity ? 2 * stores->capacity : 2048;
	uint8_t *bytes;

	while (capacity < stores->used + size)
		capacity *= 2;
	/* Another thread reads it: on lines of its own. */
	bytes = xmalloc_aligned(capacity);
	if (stores->used)
		memcpy(bytes, stores->bytes, stores->used);
	free(stores->bytes);
	stores->bytes = bytes;
	stores->capacity = capacity;
}

struct evg_stored *evg_stores_add(struct evg_wavefront *wavefront, size_t size)
{
	struct evg_stores *stores = wavefront->deferred.stores;
	struct evg_stored *stored;

	size = sizeof *stored + ((size + 7) & ~(size_t)7);
	if (stores->used + size > stores->capacity)
		grow(stores, size);
	stored = (void *)(stores->bytes + stores->used);
	stores->used += size;
	stored->cycle = wavefront->timing.cycle;
	stored->memory = wavefront->global.base;
	stored->size = (uint32_t)size;
	return stored;
}

void evg_stores_keep(struct evg_wavefront *wavefront,
		     const struct evg_store_plan *store)
{
	const struct evg_stored_wavefront which = { wavefront, store };
	struct evg_stored *stored = evg_stores_add(wavefront, sizeof which);

	stored->kind = EVG_STORED_WAVEFRONT;
	memcpy(stored + 1, &which, sizeof which);
}

static void store_lanes(const struct evg_stored *stored)
{
	const uint32_t *address = (const void *)(stored + 1);
	const uint8_t *data = (const uint8_t *)(address + stored->count);
	uint8_t *memory = stored->memory;
	size_t bytes = stored->bytes;

	for (unsigned i = 0; i < stored->count; i++) {
		uint8_t *place = memory + address[i];

		if (bytes == 4)
			memcpy(place, data, 4);
		else if (bytes == 16)
			memcpy(place, data, 16);
		else
			memcpy(place, data, bytes);
		data += bytes;
	}
}

size_t evg_stores_commit(const struct evg_stores *stores, size_t at)
{
	const struct evg_stored *stored = (const void *)(stores->bytes + at);
	struct evg_stored_wavefront which;

	switch ((enum evg_stored_kind)stored->kind) {
	case EVG_STORED_RUN:
		memcpy(stored->memory + stored->address, stored + 1,
		       (size_t)stored->bytes * stored->count);
		break;
	case EVG_STORED_LANES:
		store_lanes(stored);
		break;
	case EVG_STORED_WAVEFRONT:
		memcpy(&which, stored + 1, sizeof which);
		/* What strays has been told when the store was checked. */
		which.wavefront->global.drops = true;
		which.store->body(which.wavefront, which.store);
		which.wavefront->global.drops = false;
		break;
	}
	return at + stored->size;
}

uint64_t evg_stores_cycle(const struct evg_stores *stores, size_t at)
{
	if (at >= stores->used)
		return UINT64_MAX;
	return ((const struct evg_stored *)(const void *)(stores->bytes +
							  at))->cycle;
}

void evg_stores_free(struct evg_stores *stores)
{
	free(stores->bytes);
	*stores = (struct evg_stores){ 0 };
}
