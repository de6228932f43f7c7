/* What a core's memory shares and has counted; its end. */
#include <stdlib.h>

#include "x86/timing/memory/internal.h"

void x86_caches_share(struct x86_caches *memory, const struct x86_caches *first)
{
	x86_pages_free(&memory->pages);
	memory->pages = first->pages;
	memory->shares = true;
}

void x86_caches_free(struct x86_caches *memory)
{
	if (!memory)
		return;
	if (!memory->shares)
		x86_pages_free(&memory->pages);
	free(memory->install.line);
	free(memory);
}

const struct x86_caches_counts *
x86_caches_counts(const struct x86_caches *memory)
{
	return &memory->counts;
}

struct event_queue *x86_caches_events(const struct x86_caches *memory)
{
	return memory->events;
}
