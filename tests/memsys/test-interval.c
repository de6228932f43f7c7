/* Intervals against an array that says which addresses are taken; and that
 * the tree stays shallow whatever the order of insertions. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/space/interval.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

enum { LIMIT = 400 };

struct model {
	struct intervals set;
	struct interval *owner[LIMIT]; /* NULL: free */
	uint64_t random;
};

static uint64_t draw(struct model *model, uint64_t limit)
{
	return random_draw(&model->random) % limit;
}

static void put(struct model *model, uint64_t start, uint64_t end)
{
	struct interval *node = xcalloc(1, sizeof *node);

	node->start = start;
	node->end = end;
	for (uint64_t at = start; at < end; at++)
		model->owner[at] = node;
	intervals_insert(&model->set, node);
}

static void take(struct model *model, struct interval *node)
{
	for (uint64_t at = node->start; at < node->end; at++)
		model->owner[at] = NULL;
	intervals_remove(&model->set, node);
	free(node);
}

static uint64_t expected_gap(const struct model *model, uint64_t low,
			     uint64_t high, uint64_t size, bool from_top)
{
	uint64_t found = 0;

	for (uint64_t at = low; at + size <= high; at++) {
		bool is_free = true;

		for (uint64_t i = at; i < at + size; i++)
			is_free &= !model->owner[i];
		if (is_free)
			found = at;
		if (is_free && !from_top)
			break;
	}
	return found;
}

static bool agrees(struct model *model)
{
	uint64_t at = draw(model, LIMIT), size = 1 + draw(model, 40);
	uint64_t low = 1 + draw(model, LIMIT - 1);
	uint64_t high = low + draw(model, LIMIT - low + 1);
	uint64_t next = at;

	while (next < LIMIT && !model->owner[next])
		next++;
	return intervals_from(&model->set, at) ==
		       (next < LIMIT ? model->owner[next] : NULL) &&
	       intervals_gap(&model->set, low, high, size, false) ==
		       expected_gap(model, low, high, size, false) &&
	       intervals_gap(&model->set, low, high, size, true) ==
		       expected_gap(model, low, high, size, true);
}

static bool in_order(const struct intervals *set)
{
	const struct interval *node = intervals_first(set);
	size_t count = 0;
	uint64_t end = 0;

	for (; node; node = node->beside[1]) {
		if (node->start < end || node->end <= node->start)
			return false;
		end = node->end;
		count++;
	}
	return count == set->count;
}

static void change(struct model *model)
{
	uint64_t start = draw(model, LIMIT - 30), end = start;
	struct interval *node = model->owner[start];

	if (node && draw(model, 2)) {
		take(model, node);
	} else if (node) {
		/* Only its first address stays. */
		for (uint64_t at = node->start + 1; at < node->end; at++)
			model->owner[at] = NULL;
		interval_set_end(node, node->start + 1);
	} else {
		while (end < start + 30 && !model->owner[end] &&
		       draw(model, 8))
			end++;
		if (end > start)
			put(model, start, end);
	}
}

static void test_random(void)
{
	struct model model = { .random = 1 };
	int wrong = 0;

	for (int i = 0; i < 20000; i++) {
		change(&model);
		wrong += !agrees(&model) || !in_order(&model.set);
	}
	CU_ASSERT_EQUAL(wrong, 0);
	while (model.set.root)
		take(&model, model.set.root);
	CU_ASSERT_EQUAL(model.set.count, 0);
}

static size_t depth(const struct interval *node)
{
	size_t low, high;

	if (!node)
		return 0;
	low = depth(node->child[0]);
	high = depth(node->child[1]);
	return 1 + (low > high ? low : high);
}

/* One after another, upwards and downwards, as mmap() places them. */
static void test_depth(void)
{
	enum { COUNT = 1 << 16 };

	for (int downwards = 0; downwards < 2; downwards++) {
		struct interval *nodes = xcalloc(COUNT, sizeof *nodes);
		struct intervals set = { 0 };

		for (uint64_t i = 0; i < COUNT; i++) {
			uint64_t place = downwards ? COUNT - i : i;

			nodes[i].start = place * 10;
			nodes[i].end = place * 10 + 9;
			intervals_insert(&set, nodes + i);
		}
		CU_ASSERT(depth(set.root) <= 3 * 16);
		free(nodes);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "random changes agree with an array", test_random },
		{ "65,536 intervals in order lie at most 48 deep", test_depth },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "intervals", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
