#include "x86/timing/memory/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SMALL = 12, FIRST_WAYS = 4 };

void pages_init(struct pages *pages, unsigned entries, unsigned ways)
{
	if (ways > entries)
		ways = entries;
	pages->ways = ways;
	pages->sets = entries / ways;
	pages->page = xcalloc((size_t)pages->sets * ways,
			      sizeof *pages->page);
}

void pages_free(struct pages *pages)
{
	free(pages->page);
}

static uint64_t *set_of(const struct pages *pages, uint64_t page)
{
	return &pages->page[page % pages->sets * pages->ways];
}

static void to_front(uint64_t *set, unsigned way, uint64_t page)
{
	memmove(set + 1, set, way * sizeof *set);
	set[0] = page + 1;
}

bool pages_touch(struct pages *pages, uint64_t page)
{
	uint64_t *set = set_of(pages, page);

	for (unsigned way = 0; way < pages->ways; way++)
		if (set[way] == page + 1) {
			to_front(set, way, page);
			return true;
		}
	return false;
}

void pages_enter(struct pages *pages, uint64_t page)
{
	if (!pages_touch(pages, page))
		to_front(set_of(pages, page), pages->ways - 1, page);
}

void pages_clear(struct pages *pages)
{
	memset(pages->page, 0,
	       (size_t)pages->sets * pages->ways * sizeof *pages->page);
}

void x86_pages_init(struct x86_pages *pages,
		    const struct x86_memory_figures *figures)
{
	pages_init(&pages->small, figures->tlb_small, FIRST_WAYS);
	pages_init(&pages->large, figures->tlb_large, FIRST_WAYS);
	pages_init(&pages->code, figures->tlb_code, FIRST_WAYS);
	pages_init(&pages->second, figures->tlb_second,
		   figures->tlb_second_ways);
	pages->second_large = figures->tlb_second_large;
	pages->second_cycles = figures->tlb_second_cycles;
}

void x86_pages_free(struct x86_pages *pages)
{
	pages_free(&pages->small);
	pages_free(&pages->large);
	pages_free(&pages->code);
	pages_free(&pages->second);
}

void x86_pages_clear(struct x86_pages *pages)
{
	pages_clear(&pages->small);
	pages_clear(&pages->large);
	pages_clear(&pages->code);
	pages_clear(&pages->second);
}

static struct pages *first_level(struct x86_pages *pages, unsigned shift,
				 bool code)
{
	if (code)
		return &pages->code;
	return shift == SMALL ? &pages->small : &pages->large;
}

/* A large page's number in the second level, apart from small ones. */
static uint64_t common(uint64_t page, unsigned shift)
{
	return shift == SMALL ? page : page | UINT64_C(1) << 60;
}

bool x86_pages_in_first(struct x86_pages *pages, uint64_t address,
			unsigned shift, bool code)
{
	return pages_touch(first_level(pages, shift, code), address >> shift);
}

enum pages_answer x86_pages_look_up(struct x86_pages *pages, uint64_t address,
				    unsigned shift, bool code)
{
	struct pages *first = first_level(pages, shift, code);
	uint64_t page = address >> shift;

	if (pages_touch(first, page))
		return PAGES_FIRST;
	if ((shift != SMALL && !pages->second_large) ||
	    !pages_touch(&pages->second, common(page, shift)))
		return PAGES_WALK;
	pages_enter(first, page);
	return PAGES_SECOND;
}

void x86_pages_learn(struct x86_pages *pages, uint64_t address,
		     unsigned shift, bool code)
{
	uint64_t page = address >> shift;

	pages_enter(first_level(pages, shift, code), page);
	if (shift == SMALL || pages->second_large)
		pages_enter(&pages->second, common(page, shift));
}
