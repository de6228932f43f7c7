#include "x86/timing/core/occupancy.h"

#include "x86/timing/core/state.h"

const struct x86_occupancy *x86_core_occupancy(const struct x86_core *core)
{
	return core->occupancy;
}

uint32_t x86_core_queue_size(const struct x86_core *core,
			     enum x86_core_queue queue)
{
	switch (queue) {
#define QUEUE(id, name, used, size, doc) \
	case X86_CORE_QUEUE_##id: \
		return size;
#include "x86/timing/core/queues.def"
#undef QUEUE
	default:
		return 0;
	}
}

static void add(struct x86_queue_counts *counts, uint64_t used, uint32_t size,
		uint64_t cycles)
{
	/* Rounded up, so that one entry is more than none. */
	uint64_t filled = (used * (X86_CORE_FILLED - 1) + size - 1) / size;

	/* A share may have become smaller while it was in use. */
	if (filled >= X86_CORE_FILLED)
		filled = X86_CORE_FILLED - 1;
	counts->sum += used * cycles;
	counts->full += used >= size ? cycles : 0;
	counts->filled[filled] += cycles;
}

void core_occupancy_count(const struct x86_core *core, uint64_t cycles)
{
	struct x86_occupancy *all = core->occupancy;

	all->cycles += cycles;
#define QUEUE(id, name, used, size, doc) \
	if (size) \
		add(&all->queue[X86_CORE_QUEUE_##id], used, size, cycles);
#include "x86/timing/core/queues.def"
#undef QUEUE
}
