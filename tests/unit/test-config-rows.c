/* Every variable of the memory and network configurations has a unit, choices
 * or a form, a text, a range and a default in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/config.h"
#include "base/memory.h"
#include "memsys/cache/cache.h"
#include "memsys/prefetch/prefetcher.h"
#include "unit/harness.h"

struct row {
	const char *group, *name;
	enum config_type type;
	const char *text;
	double minimum, maximum;
	const char *unit, *doc;
};

#define ROW(group, name, type, field, dflt, min, max, unit, doc)               \
	{ group, #name, CONFIG_##type, dflt, min, max, unit, doc },

static const struct row rows[] = {
#define MEMORY_GENERAL(...) ROW("General", __VA_ARGS__)
#define MEMORY_NETWORK(...) ROW("Network", __VA_ARGS__)
#define MEMORY_MODULE(...) ROW("Module", __VA_ARGS__)
#define MEMORY_MODULE_TEXT(...) ROW("Module", __VA_ARGS__)
#define MEMORY_CACHE_TEXT(...) ROW("Module", __VA_ARGS__)
#define MEMORY_MAIN(...) ROW("MainMemory", __VA_ARGS__)
#define MEMORY_MAIN_TEXT(...) ROW("MainMemory", __VA_ARGS__)
#define MEMORY_DRAM(...) ROW("DRAM", __VA_ARGS__)
#define MEMORY_DRAM_TEXT(...) ROW("DRAM", __VA_ARGS__)
#define MEMORY_GEOMETRY(...) ROW("CacheGeometry", __VA_ARGS__)
#define MEMORY_TLB_GEOMETRY(...) ROW("TLBGeometry", __VA_ARGS__)
#define MEMORY_TLB(...) ROW("TLB", __VA_ARGS__)
#define MEMORY_TLB_TEXT(...) ROW("TLB", __VA_ARGS__)
#define MEMORY_ENTRY(...) ROW("Entry", __VA_ARGS__)
#define MEMORY_ENTRY_X86(...) ROW("Entry", __VA_ARGS__)
#define MEMORY_ENTRY_EVERGREEN(...) ROW("Entry", __VA_ARGS__)
#define MEMORY_ENTRY_ONE(...) ROW("Entry", __VA_ARGS__)
#define MEMORY_ENTRY_TWO(...) ROW("Entry", __VA_ARGS__)
#include "memsys/config.def"
#define NETWORK_GENERAL(...) ROW("network General", __VA_ARGS__)
#define NETWORK_DEFAULT(...) ROW("network", __VA_ARGS__)
#define NETWORK_TOPOLOGY(...) ROW("network", __VA_ARGS__)
#define NETWORK_NODE(...) ROW("network Node", __VA_ARGS__)
#define NETWORK_LINK(...) ROW("network Link", __VA_ARGS__)
#include "network/config.def"
};

static bool is_good(const struct row *row)
{
	char *end = NULL;
	double value;

	if (!*row->doc)
		return false;
	switch (row->type) {
	case CONFIG_BOOL:
		return row->text && strstr("tf", row->text);
	case CONFIG_CHOICE:
		return strchr(row->unit, '|') &&
		       (!row->text || strstr(row->unit, row->text));
	case CONFIG_TEXT:
		return strchr(row->unit, '<') && (!row->text || !*row->text);
	default:
		break;
	}
	if (!*row->unit || !(row->minimum < row->maximum))
		return false;
	if (!row->text)
		return true;
	value = row->type == CONFIG_DOUBLE
			? strtod(row->text, &end)
			: (double)strtoull(row->text, &end, 0);
	return end != row->text && !*end && value >= row->minimum &&
	       value <= row->maximum;
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool good = is_good(&rows[i]);

		CU_ASSERT(good);
		if (!good)
			printf("# %s %s\n", rows[i].group, rows[i].name);
	}
}

/* No section has a variable twice. */
static void test_twice(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t j = 0; j < i; j++) {
			bool twice = !strcmp(rows[i].group, rows[j].group) &&
				     !strcasecmp(rows[i].name, rows[j].name);

			CU_ASSERT(!twice);
			if (twice)
				printf("# %s %s\n", rows[i].group,
				       rows[i].name);
		}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "every row has its unit, text, range and default",
		  test_rows },
		{ "no variable is there twice", test_twice },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "configuration rows", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
