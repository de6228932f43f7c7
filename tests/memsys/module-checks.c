#include "memsys/module-checks.h"

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

void check_module_empty(const struct module *module)
{
	uint32_t lines;

	CU_ASSERT_EQUAL(module->mshr_used, 0);
	CU_ASSERT_EQUAL(module->writes_pending, 0);
	CU_ASSERT_PTR_NULL(module->stalled.first);
	CU_ASSERT_PTR_NULL(module->placing);
	CU_ASSERT_PTR_NULL(module->up.waiting.first);
	CU_ASSERT_PTR_NULL(module->down.waiting.first);
	for (uint32_t i = 0; i <= module->table_mask; i++)
		CU_ASSERT_PTR_NULL(module->table[i]);
	for (uint32_t i = 0; i <= module->combine_mask; i++)
		CU_ASSERT_PTR_NULL(module->combines[i]);
	if (!module->cache)
		return;
	lines = module->cache->geometry.sets * module->cache->geometry.ways;
	for (uint32_t i = 0; i < lines; i++)
		CU_ASSERT_FALSE(module->cache->locked[i]);
}
