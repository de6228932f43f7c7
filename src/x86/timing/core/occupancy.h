/* How full the queues of a core are, cycle by cycle: OccupancyStats. */
#ifndef M2S_X86_TIMING_CORE_OCCUPANCY_H
#define M2S_X86_TIMING_CORE_OCCUPANCY_H

#include <stdint.h>

struct x86_core;

enum x86_core_queue {
#define QUEUE(id, name, used, size, doc) X86_CORE_QUEUE_##id,
#include "x86/timing/core/queues.def"
#undef QUEUE
	X86_CORE_QUEUES
};

/* Cycles by how full a queue is: empty, up to an eighth, ... up to all of it. */
enum { X86_CORE_FILLED = 9 };

/* Counted at the end of each cycle that is not one of the operating system or without
 * a thread. With several threads of a core, sizes are what the thread may have in that
 * cycle. */
struct x86_occupancy {
	uint64_t cycles;
	struct x86_queue_counts {
		uint64_t sum;    /* of entries in use, over the cycles */
		uint64_t full;   /* cycles in which no entry was free */
		uint64_t filled[X86_CORE_FILLED];
	} queue[X86_CORE_QUEUES];
};

/* NULL: the figures do not ask for it. */
const struct x86_occupancy *x86_core_occupancy(const struct x86_core *core);
/* The size of a queue; 0: the core has no such limit. */
uint32_t x86_core_queue_size(const struct x86_core *core,
			     enum x86_core_queue queue);

#endif
