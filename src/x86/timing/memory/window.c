/* A core that is simulated beside others, window by window. */
#include "x86/timing/memory/internal.h"

void x86_caches_begin_window(struct x86_caches *memory, uint64_t end)
{
	memory->limit = end + 1;
	memory->apart = true;
	x86_core_memory_soon(memory->core);
}

void x86_caches_end_window(struct x86_caches *memory)
{
	event_queue_set_now(memory->events,
			    clock_rate_start(&memory->rate,
					     memory->limit - 1));
	memory->limit = UINT64_MAX;
	memory->apart = false;
	x86_caches_touch(memory);
}
