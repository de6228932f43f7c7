/* The TLBs of a core: what they know, and in which order they forget it. Who
 * waits for translations is memory.c's. */
#ifndef M2S_X86_TIMING_MEMORY_PAGES_H
#define M2S_X86_TIMING_MEMORY_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/timing/memory/hierarchy.h"

/* Set-associative, the least recently used page goes. */
struct pages {
	uint64_t *page;      /* + 1, by set, the most recent first; 0: none */
	unsigned sets, ways;
};

void pages_init(struct pages *pages, unsigned entries, unsigned ways);
void pages_free(struct pages *pages);
/* Whether a page is known; it becomes the most recent of its set. */
bool pages_touch(struct pages *pages, uint64_t page);
void pages_enter(struct pages *pages, uint64_t page);
void pages_clear(struct pages *pages);

/* The two levels. Data of 4 KB and 2 MB and code have a first level each, the
 * second is common. */
struct x86_pages {
	struct pages small, large, code, second;
	bool second_large;
	unsigned second_cycles;
};

enum pages_answer { PAGES_FIRST, PAGES_SECOND, PAGES_WALK };

void x86_pages_init(struct x86_pages *pages,
		    const struct x86_memory_figures *figures);
void x86_pages_free(struct x86_pages *pages);
/* Whether the first level has an address's page: asks nothing else, and the
 * second level tells the first one nothing. */
bool x86_pages_in_first(struct x86_pages *pages, uint64_t address,
			unsigned shift, bool code);
/* Translates an address that lies in a page of 2^shift bytes (12 or 21). What
 * the second level has the first one learns. */
enum pages_answer x86_pages_look_up(struct x86_pages *pages, uint64_t address,
				    unsigned shift, bool code);
/* A walk has found the page. */
void x86_pages_learn(struct x86_pages *pages, uint64_t address,
		     unsigned shift, bool code);
/* Forgets all translations, as a change of address space does. */
void x86_pages_clear(struct x86_pages *pages);

#endif
