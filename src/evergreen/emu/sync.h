/* Global wave sync (WAVE_SYNC): counters that wavefronts of a whole launch wait
 * for, as semaphores and barriers. No document for this family describes them;
 * doc/evergreen-isa.md lists what was taken from its successors.
 *
 * The wavefronts of such a kernel run on one host thread. */
#ifndef M2S_EVERGREEN_EMU_SYNC_H
#define M2S_EVERGREEN_EMU_SYNC_H

#include <stdbool.h>
#include <stdint.h>

struct evg_cf_inst;
struct evg_wavefront;

enum { EVG_SYNC_RESOURCES = 32, EVG_SYNC_COUNT_MAX = 1 << 20 };

/* The waiting of a wavefront. */
struct evg_sync_wait {
	bool waits;
	struct evg_wavefront *next; /* in the queue where it waits */
};

/* Wavefronts in the order of their arrival. */
struct evg_sync_queue {
	struct evg_wavefront *first, *last;
	uint32_t count;
};

struct evg_sync_resource {
	int32_t count;
	bool initialised;
	struct evg_sync_queue semaphore, barrier;
};

struct evg_sync {
	struct evg_sync_resource resources[EVG_SYNC_RESOURCES];
	/* Released, but not reported to the runner yet. */
	struct evg_sync_queue released;
	uint32_t waiting;               /* wavefronts, in all */
};

/* Executes WAVE_SYNC; the wavefront may wait afterwards. */
void sync_execute(struct evg_wavefront *wavefront,
		  const struct evg_cf_inst *inst);

#endif
