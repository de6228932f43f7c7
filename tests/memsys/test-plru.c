/* Tree-PLRU against the definition written down in another way: a tree of
 * nodes that each remember which half was used last. */
#include "memsys/bench.h"

#include "base/memory.h"

/* --- The reference: ranges [first, first + count) ------------------------- */

enum { NODES = 4096 };

struct reference {
	uint32_t ways;
	bool upper_last[NODES]; /* by first + count / 2: one node each */
};

static void reference_touch(struct reference *reference, uint32_t first,
			    uint32_t count, uint32_t way)
{
	uint32_t middle = first + count / 2;

	if (count == 1)
		return;
	reference->upper_last[middle] = way >= middle;
	if (way >= middle)
		reference_touch(reference, middle, count / 2, way);
	else
		reference_touch(reference, first, count / 2, way);
}

static uint32_t unlocked(const bool *locked, uint32_t first, uint32_t count)
{
	uint32_t sum = 0;

	while (count--)
		sum += !locked[first + count];
	return sum;
}

static uint32_t reference_victim(const struct reference *reference,
				 const bool *locked, uint32_t first,
				 uint32_t count)
{
	uint32_t half = count / 2;
	bool upper;

	if (count == 1)
		return first;
	/* Fresh trees begin with the lower halves, as if the upper ones had
	 * been used. */
	upper = !reference->upper_last[first + half];
	if (!unlocked(locked, upper ? first + half : first, half))
		upper = !upper;
	return reference_victim(reference, locked, upper ? first + half : first,
				half);
}

static void compare(uint32_t ways, uint32_t sets)
{
	struct plru *plru = plru_create(sets, ways);
	struct reference *references = xcalloc(sets, sizeof *references);
	bool *locked = xcalloc((size_t)sets * ways, sizeof *locked);
	unsigned wrong = 0;

	srand(ways);
	for (uint32_t set = 0; set < sets; set++) {
		for (uint32_t i = 0; i < NODES; i++)
			references[set].upper_last[i] = true;
	}
	for (int i = 0; i < 4000; i++) {
		uint32_t set = (uint32_t)rand() % sets;
		uint32_t way = (uint32_t)rand() % ways;
		bool *set_locked = locked + set * ways;

		switch (rand() % 4) {
		case 0:
			set_locked[way] = !set_locked[way];
			break;
		case 1:
			plru_touch(plru, set, way);
			reference_touch(&references[set], 0, ways, way);
			break;
		default:
			if (!unlocked(set_locked, 0, ways))
				break;
			way = plru_victim(plru, set, set_locked);
			wrong += way != reference_victim(&references[set],
							 set_locked, 0, ways);
			wrong += set_locked[way];
			/* What a cache does with it. */
			plru_touch(plru, set, way);
			reference_touch(&references[set], 0, ways, way);
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	plru_free(plru);
	free(references);
	free(locked);
}

static void test_reference(void)
{
	for (uint32_t ways = 1; ways <= 256; ways *= 2)
		compare(ways, 5);
	compare(4096, 1);
}

/* Four ways by hand: uses of 0, 2, 1 leave the root pointing up (1 was last),
 * and the upper half to 3. */
static void test_by_hand(void)
{
	static const bool locked[4];
	struct plru *plru = plru_create(1, 4);

	plru_touch(plru, 0, 0);
	plru_touch(plru, 0, 2);
	plru_touch(plru, 0, 1);
	CU_ASSERT_EQUAL(plru_victim(plru, 0, locked), 3);
	/* True LRU would choose 0 next; the tree does, too, here. */
	plru_touch(plru, 0, 3);
	CU_ASSERT_EQUAL(plru_victim(plru, 0, locked), 0);
	/* And here it does not: 1 was used before 2 and 3, but with 0. */
	plru_touch(plru, 0, 0);
	plru_touch(plru, 0, 2);
	CU_ASSERT_EQUAL(plru_victim(plru, 0, locked), 1);
	plru_touch(plru, 0, 0);
	CU_ASSERT_EQUAL(plru_victim(plru, 0, locked), 3);
	plru_free(plru);
}

/* As the policy of a cache: 0 128 256 384 share set 0 of four ways. */
static void test_cache(void)
{
	struct cache_geometry geometry = {
		.sets = 2, .ways = 4, .block_size = 64,
		.policy = CACHE_POLICY_PLRU, .interleave = { 1, 1 },
	};
	struct cache *cache = cache_create(&geometry);

	for (uint64_t block = 0; block < 512; block += 64)
		cache_bring(cache, block);
	cache_bring(cache, 0);
	cache_bring(cache, 512);
	/* The tree points away from 0, then from 256's sibling. */
	CU_ASSERT_TRUE(cache_find(cache, 0) >= 0);
	CU_ASSERT_TRUE(cache_find(cache, 256) < 0);
	/* An empty line comes first, whatever the tree says. */
	cache_invalidate(cache, cache_find(cache, 0));
	cache_bring(cache, 640);
	CU_ASSERT_TRUE(cache_find(cache, 128) >= 0);
	CU_ASSERT_TRUE(cache_find(cache, 384) >= 0);
	CU_ASSERT_TRUE(cache_find(cache, 512) >= 0);
	/* The other set is another tree. */
	CU_ASSERT_TRUE(cache_find(cache, 64) >= 0);
	cache_bring(cache, 64 + 512);
	CU_ASSERT_TRUE(cache_find(cache, 64) < 0);
	cache_free(cache);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random uses, victims and locks of 1 to 4096 ways",
		  test_reference },
		{ "four ways by hand", test_by_hand },
		{ "a cache with the policy", test_cache },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "plru", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
