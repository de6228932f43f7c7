/* The TLBs of a core: what they know, and in which order they forget it. Who
 * waits for translations is memory.c's. */
#ifndef M2S_X86_TIMING_MEMORY_PAGES_H
#define M2S_X86_TIMING_MEMORY_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/timing/memory/hierarchy.h"

/* Set-associative, the least recently used page goes. */
struct page {
	uint64_t page;       /* + 1; 0: none */
	uint64_t frame;
	bool writable;       /* stores may use the entry */
};

struct pages {
	struct page *page;   /* by set, the most recent first */
	unsigned sets, ways;
	uint64_t mask;       /* sets - 1, if that is a mask; or 0 */
};

void pages_init(struct pages *pages, unsigned entries, unsigned ways);
void pages_free(struct pages *pages);
/* The entry of a page, which becomes the most recent of its set, or NULL. */
const struct page *pages_touch(struct pages *pages, uint64_t page, bool store);
void pages_enter(struct pages *pages, uint64_t page, uint64_t frame,
		 bool writable);
void pages_clear(struct pages *pages);

/* The two levels. Data of 4 KB and 2 MB and code have a first level each, the
 * second is common. */
struct x86_pages {
	struct pages small, large, code, second;
	uint64_t space;      /* which address space, in all page numbers */
	bool second_large;
	bool mixed;          /* small pages' addresses may lie in large ones */
	unsigned second_cycles;
};

enum pages_answer { PAGES_FIRST, PAGES_SECOND, PAGES_WALK };

void x86_pages_init(struct x86_pages *pages,
		    const struct x86_memory_figures *figures);
void x86_pages_free(struct x86_pages *pages);
/* What an access asks: an address in a page of 2^shift bytes (12 or 21), and for
 * what. The answer is the physical address. */
struct x86_pages_question {
	uint64_t address;
	unsigned shift;
	bool code, store;
	uint64_t physical;
};

/* Whether the first level has an address's page: asks nothing else, and the
 * second level tells the first one nothing. */
bool x86_pages_in_first(struct x86_pages *pages,
			struct x86_pages_question *question);
/* Translates an address. What the second level has the first one learns. */
enum pages_answer x86_pages_look_up(struct x86_pages *pages,
				    struct x86_pages_question *question);
/* A walk has found the page. */
void x86_pages_learn(struct x86_pages *pages,
		     const struct x86_pages_question *question, uint64_t frame,
		     bool writable);
/* Goes on in another address space, whose number is below 2^20. Entries of
 * others stay, and are not seen. */
void x86_pages_enter_space(struct x86_pages *pages, uint32_t space);
/* Forgets all translations. */
void x86_pages_clear(struct x86_pages *pages);
/* Forgets those of a range of an address space. Whether there was one. */
bool x86_pages_forget(struct x86_pages *pages, uint32_t space, uint64_t start,
		      uint64_t end);

#endif
