/* Replacement by ages against the definitions, written down in another way: a
 * set is a list of blocks with ages, searched anew for each question. The
 * policies that duel: leaders, and who wins. */
#include "memsys/bench.h"

#include "base/memory.h"

enum { WAYS = 16, EMPTY = -1 };

/* --- The reference -------------------------------------------------------- */

struct reference {
	int ways, block[WAYS], age[WAYS];
};

/* What a policy's name says: H after hits from 3 and 2, M of new blocks, R what
 * is replaced, U how blocks grow older. MRU has one bit. */
struct policy {
	enum cache_policy_id id;
	int top, from3, from2, fresh, r, u;
};

static const struct policy policies[] = {
	{ CACHE_POLICY_MRU, 1, 0, 0, 0, 0, 1 },
	{ CACHE_POLICY_QLRU_H11_M1_R0_U0, 3, 1, 1, 1, 0, 0 },
	{ CACHE_POLICY_QLRU_H11_M1_R1_U2, 3, 1, 1, 1, 1, 2 },
	{ CACHE_POLICY_QLRU_H00_M1_R2_U1, 3, 0, 0, 1, 2, 1 },
};

static int place_of(const struct reference *set, int block)
{
	for (int i = 0; i < set->ways; i++)
		if (set->block[i] == block)
			return i;
	return -1;
}

static int victim_of(const struct policy *policy, const struct reference *set)
{
	if (policy->r == 2)
		for (int i = set->ways - 1; i >= 0; i--)
			if (set->block[i] == EMPTY)
				return i;
	if (place_of(set, EMPTY) >= 0)
		return place_of(set, EMPTY);
	for (int i = 0; i < set->ways; i++)
		if (set->age[i] == policy->top)
			return i;
	CU_ASSERT_EQUAL(policy->r, 1);
	return 0;
}

static bool use(const struct policy *policy, struct reference *set, int block)
{
	int place = place_of(set, block);
	bool hit = place >= 0, more;

	if (hit) {
		int age = set->age[place];

		set->age[place] = age == 3   ? policy->from3
				  : age == 2 ? policy->from2 : 0;
	} else {
		place = victim_of(policy, set);
		set->block[place] = block;
		set->age[place] = policy->fresh;
	}
	do {
		more = true;
		for (int i = 0; i < set->ways; i++)
			if (set->age[i] == policy->top &&
			    (policy->u != 1 || i != place))
				more = false;
		for (int i = 0; more && i < set->ways; i++)
			set->age[i] += policy->u != 1 || i != place;
	} while (more && policy->u != 2 && set->ways > 1);
	return hit;
}

/* --- Comparison ----------------------------------------------------------- */

static struct cache *create(enum cache_policy_id id, uint32_t sets,
			    uint32_t ways)
{
	struct cache_geometry geometry = {
		.sets = sets, .ways = ways, .block_size = 64, .policy = id,
		.interleave = { 1, 1 }, .seed = 3,
	};

	return cache_create(&geometry);
}

/* As modules do: the access for which a block comes uses it, too. */
static bool bring(struct cache *cache, uint64_t address)
{
	int32_t line = cache_find(cache, address);
	bool hit = line >= 0;

	if (!hit) {
		line = cache_victim(cache, address);
		cache_fill(cache, line, address, CACHE_SHARED);
	}
	cache_touch(cache, line);
	return hit;
}

static void compare(const struct policy *policy, int ways)
{
	struct cache *cache = create(policy->id, 4, (uint32_t)ways);
	struct reference sets[4];
	unsigned wrong = 0, hits = 0;

	for (int s = 0; s < 4; s++) {
		sets[s].ways = ways;
		for (int i = 0; i < ways; i++) {
			sets[s].block[i] = EMPTY;
			sets[s].age[i] = policy->top;
		}
	}
	srand((unsigned)ways);
	for (int i = 0; i < 20000; i++) {
		int set = rand() % 4, block = rand() % (ways + ways / 2 + 1);
		uint64_t address = (uint64_t)(block * 4 + set) * 64;
		int place = place_of(&sets[set], block);
		bool hit;

		if (rand() % 50 == 0 && place >= 0) {
			cache_invalidate(cache, cache_find(cache, address));
			sets[set].block[place] = EMPTY;
			continue;
		}
		hit = bring(cache, address);
		hits += hit;
		wrong += hit != use(policy, &sets[set], block);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(hits > 5000 && hits < 19000);
	cache_free(cache);
}

static void test_reference(void)
{
	static const int ways[] = { 2, 3, 4, 8, 12, 16 };

	for (size_t p = 0; p < ARRAY_SIZE(policies); p++)
		for (size_t w = 0; w < ARRAY_SIZE(ways); w++)
			compare(&policies[p], ways[w]);
}

/* A locked line is never the victim. */
static void test_locked(void)
{
	for (size_t p = 0; p < ARRAY_SIZE(policies); p++) {
		struct cache *cache = create(policies[p].id, 1, 4);
		int32_t line;

		for (uint64_t block = 0; block < 4; block++)
			bring(cache, block * 64);
		for (int i = 0; i < 4; i++) {
			line = cache_victim(cache, 1024);
			CU_ASSERT_TRUE(line >= 0 && !cache->locked[line]);
			cache_lock(cache, line);
		}
		CU_ASSERT_EQUAL(cache_victim(cache, 1024), -1);
		cache_free(cache);
	}
}

/* --- Duels ---------------------------------------------------------------- */

enum { SETS = 2048, TURNS = 40 };

/* Goes round in `count` blocks of each set; hits of the last turn. */
static unsigned circle(struct cache *cache, uint64_t count, unsigned turns)
{
	unsigned hits = 0;

	while (turns--) {
		hits = 0;
		for (uint64_t block = 0; block < count * SETS; block++)
			hits += bring(cache, block * 64);
	}
	return hits;
}

static unsigned hits_of(enum cache_policy_id id, uint64_t count)
{
	struct cache *cache = create(id, SETS, 8);
	unsigned hits = circle(cache, count, TURNS);

	cache_free(cache);
	return hits;
}

/* A circle of twice the ways: rules that let most new blocks go first keep a
 * part of it. The leaders find out, and all but those of the other rules follow. */
static void test_duel(void)
{
	static const enum cache_policy_id duels[] = {
		CACHE_POLICY_DUEL_R0_U0, CACHE_POLICY_DUEL_R1_U2,
	};
	static const enum cache_policy_id alone[] = {
		CACHE_POLICY_QLRU_H11_M1_R0_U0, CACHE_POLICY_QLRU_H11_M1_R1_U2,
	};

	CU_ASSERT_EQUAL(hits_of(CACHE_POLICY_LRU, 16), 0);
	for (int i = 0; i < 2; i++) {
		unsigned duel = hits_of(duels[i], 16);
		unsigned first = hits_of(alone[i], 16);

		CU_ASSERT_TRUE(duel > first + SETS * 16 / 5);
		/* what fits stays, with either */
		CU_ASSERT_EQUAL(hits_of(duels[i], 8), SETS * 8);
		CU_ASSERT_EQUAL(hits_of(alone[i], 8), SETS * 8);
	}
}

/* Sets with rules of their own keep them, and there are 64 for each. */
static void test_leaders(void)
{
	struct ages *ages = ages_create(8192, 4, AGES_QLRU_H11_M1_R0_U0,
					AGES_QLRU_H11_MR_R0_U0, 1);
	unsigned counts[2][2] = { { 0 } };

	for (int winner = 0; winner < 2; winner++) {
		/* misses in one's sets make the other win */
		for (int i = 0; i < 2000; i++)
			ages_fill(ages, winner ? 512 : 831, 0);
		for (uint32_t set = 0; set < 8192; set++)
			counts[winner][ages_rules_of(ages, set) ==
				       ages->rules[1]]++;
	}
	CU_ASSERT_EQUAL(counts[0][1], 64);
	CU_ASSERT_EQUAL(counts[0][0], 8192 - 64);
	CU_ASSERT_EQUAL(counts[1][0], 64);
	CU_ASSERT_EQUAL(counts[1][1], 8192 - 64);
	ages_free(ages);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random accesses, as the definitions say", test_reference },
		{ "locked lines stay", test_locked },
		{ "a duel keeps a part of a large circle", test_duel },
		{ "sets that lead", test_leaders },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "ages", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
