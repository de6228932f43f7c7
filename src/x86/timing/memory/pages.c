#include "base/optimize.h"

#include "x86/timing/memory/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SMALL = 12, LARGE = 21, FIRST_WAYS = 4 };

void pages_init(struct pages *pages, unsigned entries, unsigned ways)
{
	if (ways > entries)
		ways = entries;
	pages->ways = ways;
	pages->sets = entries / ways;
	pages->mask = pages->sets & (pages->sets - 1) ? 0 : pages->sets - 1;
	pages->page = xcalloc((size_t)pages->sets * ways,
			      sizeof *pages->page);
}

void pages_free(struct pages *pages)
{
	free(pages->page);
}

static struct page *set_of(const struct pages *pages, uint64_t page)
{
	/* A division would take longer than all the rest. */
	uint64_t set = pages->mask ? page & pages->mask : page % pages->sets;

	return &pages->page[set * pages->ways];
}

static void to_front(struct page *set, unsigned way, struct page first)
{
	memmove(set + 1, set, way * sizeof *set);
	set[0] = first;
}

const struct page *pages_touch(struct pages *pages, uint64_t page, bool store)
{
	struct page *set = set_of(pages, page);

	for (unsigned way = 0; way < pages->ways; way++) {
		if (set[way].page != page + 1)
			continue;
		if (store && !set[way].writable)
			return NULL;
		if (way)
			to_front(set, way, set[way]);
		return set;
	}
	return NULL;
}

void pages_enter(struct pages *pages, uint64_t page, uint64_t frame,
		 bool writable)
{
	struct page *set = set_of(pages, page);
	struct page entry = { page + 1, frame, writable };
	unsigned way = 0;

	while (way + 1 < pages->ways && set[way].page != page + 1)
		way++;
	to_front(set, way, entry);
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
	pages->space = 0;
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

/* Bits of a page's number in the TLBs: the page, its space, whether it is large
 * (in the second level only). */
enum { SPACE_BITS = 40, SPACE_MOST = (1 << 20) - 1 };

static uint64_t number_of(const struct x86_pages *pages, uint64_t address,
			  unsigned shift)
{
	return (address >> shift & ((UINT64_C(1) << SPACE_BITS) - 1)) |
	       pages->space;
}

/* A large page's number in the second level, apart from small ones. */
static uint64_t common(uint64_t page, unsigned shift)
{
	return shift == SMALL ? page : page | UINT64_C(1) << 60;
}

static void answer(struct x86_pages_question *question, unsigned shift,
		   uint64_t frame)
{
	question->physical = frame << shift |
			     (question->address &
			      ((UINT64_C(1) << shift) - 1));
}

/* Whether a small page's address may lie in a large page, too. Code's large pages
 * are small ones in the TLBs. */
static bool may_be_large(const struct x86_pages *pages,
			 const struct x86_pages_question *question)
{
	return pages->mixed && !question->code && question->shift == SMALL;
}

static inline bool in_first(struct x86_pages *pages,
			    struct x86_pages_question *question,
			    unsigned shift)
{
	struct pages *level = first_level(pages, shift, question->code);
	uint64_t page = number_of(pages, question->address, shift);
	const struct page *entry = set_of(level, page);

	/* Nearly always the page that the set had last. */
	if (entry->page != page + 1 || (question->store && !entry->writable))
		entry = pages_touch(level, page, question->store);
	if (entry)
		answer(question, shift, entry->frame);
	return entry;
}

bool x86_pages_in_first(struct x86_pages *pages,
			struct x86_pages_question *question)
{
	return in_first(pages, question, question->shift) ||
	       (may_be_large(pages, question) &&
		in_first(pages, question, LARGE));
}

static bool in_second(struct x86_pages *pages,
		      struct x86_pages_question *question, unsigned shift)
{
	uint64_t page = number_of(pages, question->address, shift);
	const struct page *entry;

	if (shift != SMALL && !pages->second_large)
		return false;
	entry = pages_touch(&pages->second, common(page, shift),
			    question->store);
	if (!entry)
		return false;
	pages_enter(first_level(pages, shift, question->code), page,
		    entry->frame, entry->writable);
	answer(question, shift, entry->frame);
	return true;
}

enum pages_answer x86_pages_look_up(struct x86_pages *pages,
				    struct x86_pages_question *question)
{
	if (x86_pages_in_first(pages, question))
		return PAGES_FIRST;
	return in_second(pages, question, question->shift) ||
			       (may_be_large(pages, question) &&
				in_second(pages, question, LARGE))
		       ? PAGES_SECOND
		       : PAGES_WALK;
}

void x86_pages_learn(struct x86_pages *pages,
		     const struct x86_pages_question *question, uint64_t frame,
		     bool writable)
{
	unsigned shift = question->shift;
	uint64_t page = number_of(pages, question->address, shift);

	pages_enter(first_level(pages, shift, question->code), page, frame,
		    writable);
	if (shift == SMALL || pages->second_large)
		pages_enter(&pages->second, common(page, shift), frame,
			    writable);
}

void x86_pages_enter_space(struct x86_pages *pages, uint32_t space)
{
	pages->space = (uint64_t)(space & SPACE_MOST) << SPACE_BITS;
}

static bool forget(struct pages *pages, uint64_t first, uint64_t end)
{
	bool any = false;

	for (size_t i = 0; i < (size_t)pages->sets * pages->ways; i++) {
		struct page *entry = &pages->page[i];

		if (entry->page <= first || entry->page > end)
			continue;
		entry->page = 0;
		any = true;
	}
	return any;
}

bool x86_pages_forget(struct x86_pages *pages, uint32_t space, uint64_t start,
		      uint64_t end)
{
	uint64_t of = (uint64_t)(space & SPACE_MOST) << SPACE_BITS;
	uint64_t first = of | start >> SMALL;
	uint64_t last = of | (end + (1 << SMALL) - 1) >> SMALL;
	bool any = forget(&pages->small, first, last);

	any |= forget(&pages->code, first, last);
	any |= forget(&pages->second, first, last);
	if (!pages->mixed)
		return any;
	first = of | start >> LARGE;
	last = of | (end + (1 << LARGE) - 1) >> LARGE;
	any |= forget(&pages->large, first, last);
	return forget(&pages->second, common(first, LARGE),
		      common(last, LARGE)) || any;
}
