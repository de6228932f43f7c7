#include "memsys/counts.h"

#include "unit/harness.h"

void check_module_counts(const struct module *module)
{
	const struct class_count *all = &module->count.class[CLASS_ALL];
	struct class_count sum = { 0 };

	for (int i = CLASS_READ; i < CLASS_COUNT; i++) {
		const struct class_count *part = &module->count.class[i];

		CU_ASSERT_EQUAL(part->hits + part->misses, part->accesses);
		CU_ASSERT_EQUAL(part->blocking + part->non_blocking,
				part->accesses);
		sum.accesses += part->accesses;
		sum.hits += part->hits;
		sum.misses += part->misses;
		sum.retries += part->retries;
		sum.blocking += part->blocking;
		sum.coalesced += part->coalesced;
	}
	CU_ASSERT_EQUAL(sum.accesses, all->accesses);
	CU_ASSERT_EQUAL(sum.hits, all->hits);
	CU_ASSERT_EQUAL(sum.misses, all->misses);
	CU_ASSERT_EQUAL(sum.retries, all->retries);
	CU_ASSERT_EQUAL(sum.blocking, all->blocking);
	CU_ASSERT_EQUAL(sum.coalesced, all->coalesced);
}
