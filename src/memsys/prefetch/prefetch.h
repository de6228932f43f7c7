/* The prefetcher of a cache: what its files share. */
#ifndef M2S_MEMSYS_PREFETCH_PREFETCH_H
#define M2S_MEMSYS_PREFETCH_PREFETCH_H

#include "memsys/module.h"
#include "memsys/prefetch/prefetcher.h"

/* A block to be fetched, and whose stream it belongs to: modules below learn
 * from prefetches as well. */
struct prefetch_proposal {
	uint64_t block;
	uint32_t instruction;
};

struct prefetch {
	struct prefetcher *prefetcher[2]; /* NULL: no second one */
	event_action *turn; /* at the end of a cycle; takes blocks from the ring */
	bool scheduled;
	uint32_t head, count;
	struct prefetch_proposal queue[]; /* a ring */
};

/* Gives a cache its prefetcher. At the end of each cycle in which blocks wait to
 * be fetched the event turn(module) happens. */
void prefetch_create(struct module *module, event_action *turn);
/* The next turn, when blocks wait and none is due. */
void prefetch_schedule(struct module *module);
/* Whether a block is in the cache or on its way. */
bool prefetch_is_there(const struct module *module, uint64_t block);

#endif
