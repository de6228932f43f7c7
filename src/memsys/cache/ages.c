#include "memsys/cache/ages.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	LEADERS = 32,     /* a set of so many leads for each of two rules */
	FIRST_PLACE = 8, SECOND_PLACE = 12, /* in units of sets */
	MOST_SETS = 2048, /* in which the leaders lie */
	COUNTER = 1024,
	RARE = 16,
};

enum { OTHERS = true, ALL = false, BY_ONE = true, TO_TOP = false,
       LOWEST = true, OLDEST = false, LAST = true, FIRST = false };

static const struct ages_rules rules[] = {
#define AGES(id, top, h0, h1, h2, h3, rare, often, scope, step, none, empty)   \
	[AGES_##id] = { top,   { h0, h1, h2, h3 }, rare, often,                \
			scope, step, none, empty },
#include "memsys/cache/ages.def"
};

struct ages *ages_create(uint32_t sets, uint32_t ways, enum ages_id first,
			 enum ages_id second, uint64_t seed)
{
	struct ages *ages = xcalloc(1, sizeof *ages);
	size_t count = (size_t)sets * ways;

	ages->rules[0] = &rules[first];
	ages->rules[1] = &rules[second];
	ages->sets = sets;
	ages->ways = ways;
	if (first != second)
		ages->unit = (sets < MOST_SETS ? sets : MOST_SETS) / LEADERS;
	ages->misses = COUNTER / 2 - 1;
	ages->random = seed * 2 + 1;
	ages->age = xmalloc(count);
	memset(ages->age, rules[first].top, count);
	return ages;
}

void ages_free(struct ages *ages)
{
	if (!ages)
		return;
	free(ages->age);
	free(ages);
}

/* The one of the two for which the set leads, or -1. */
static int leads(const struct ages *ages, uint32_t set)
{
	if (!ages->unit)
		return -1;
	switch (set / ages->unit) {
	case FIRST_PLACE:
		return 0;
	case SECOND_PLACE:
		return 1;
	default:
		return -1;
	}
}

const struct ages_rules *ages_rules_of(const struct ages *ages, uint32_t set)
{
	int leader = leads(ages, set);

	return ages->rules[leader >= 0 ? leader
				       : ages->misses >= COUNTER / 2];
}

/* Blocks grow older when none has the top age. `used` was used just now. */
static void grow_older(const struct ages_rules *rules, uint8_t *age,
		       uint32_t ways, uint32_t used)
{
	uint8_t oldest = 0, kept = age[used], more;

	if (rules->others)
		age[used] = 0;
	for (uint32_t way = 0; way < ways; way++)
		oldest = age[way] > oldest ? age[way] : oldest;
	more = (uint8_t)(rules->top - oldest);
	if (more && rules->by_one)
		more = 1;
	if (more)
		for (uint32_t way = 0; way < ways; way++)
			age[way] = (uint8_t)(age[way] + more);
	if (rules->others)
		age[used] = kept;
}

void ages_touch(struct ages *ages, uint32_t set, uint32_t way)
{
	const struct ages_rules *rules = ages_rules_of(ages, set);
	uint8_t *age = ages->age + (size_t)set * ages->ways;

	age[way] = rules->hit[age[way]];
	grow_older(rules, age, ages->ways, way);
}

static bool rarely(struct ages *ages)
{
	ages->random ^= ages->random << 13;
	ages->random ^= ages->random >> 7;
	ages->random ^= ages->random << 17;
	return !(ages->random >> 32 & (RARE - 1));
}

void ages_fill(struct ages *ages, uint32_t set, uint32_t way)
{
	const struct ages_rules *rules = ages_rules_of(ages, set);
	uint8_t *age = ages->age + (size_t)set * ages->ways;
	int leader = leads(ages, set);

	if (leader == 0 && ages->misses < COUNTER - 1)
		ages->misses++;
	else if (leader == 1 && ages->misses)
		ages->misses--;
	age[way] = rules->rare == rules->often || rarely(ages) ? rules->rare
							       : rules->often;
	grow_older(rules, age, ages->ways, way);
}

uint32_t ages_victim(const struct ages *ages, uint32_t set, const bool *locked)
{
	const struct ages_rules *rules = ages_rules_of(ages, set);
	const uint8_t *age = ages->age + (size_t)set * ages->ways;
	uint32_t lowest = UINT32_MAX, oldest = UINT32_MAX;

	for (uint32_t way = 0; way < ages->ways; way++) {
		if (locked[way])
			continue;
		if (lowest == UINT32_MAX)
			lowest = oldest = way;
		else if (age[way] > age[oldest])
			oldest = way;
	}
	return rules->lowest && age[oldest] != rules->top ? lowest : oldest;
}
