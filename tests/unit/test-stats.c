#include "stats/stats.h"
#include "unit/harness.h"

#include <stdlib.h>
#include <string.h>

struct machine {
	uint64_t hits, accesses, slots[3];
};

static double half(void *owner)
{
	return (double)((struct machine *)owner)->hits / 2;
}

static struct stats *sample(struct machine *machine)
{
	struct stats *stats = stats_create();
	struct stats_section *section = stats_section(stats, "m", "Cache 1");

	stats_counter(section, "Hits", &machine->hits, "", "answered here");
	stats_counter(section, "Accesses", &machine->accesses, "", "all");
	stats_ratio(section, "HitRatio", &machine->hits, &machine->accesses,
		    "", "hits over accesses");
	stats_vector(section, "Slots", machine->slots, 3, "", "slots");
	stats_derived(section, "Half", half, machine, "", "half of the hits");
	section = stats_section(stats, "m", "Text");
	stats_text(section, "Name", "a \"b\", <c>", "text");
	stats_u64(stats_section(stats, "other", "X"), "Y", 1, "", "elsewhere");
	return stats;
}

static char *written(const struct stats *stats, enum stats_format format,
		     const char *partial)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	CU_ASSERT_EQUAL(stats_write(stats, "m", format, partial, stream,
					   NULL), 0);
	fclose(stream);
	return text;
}

static void check(enum stats_format format, const char *partial,
		  const char *expected)
{
	struct machine machine = { 3, 4, { 1, 2, 3 } };
	struct stats *stats = sample(&machine);
	char *text = written(stats, format, partial);

	CU_ASSERT_STRING_EQUAL(text, expected);
	if (strcmp(text, expected))
		printf("# found:\n%s", text);
	free(text);
	stats_free(stats);
}

static void test_ini(void)
{
	check(STATS_INI, "stopped",
	      "; INCOMPLETE: stopped\n\n[ Cache 1 ]\n\nHits = 3\nAccesses = 4\n"
	      "HitRatio = 0.75\nSlots = 1 2 3\nHalf = 1.5\n\n[ Text ]\n\n"
	      "Name = a \"b\", <c>\n\n");
}

static void test_csv(void)
{
	check(STATS_CSV, NULL,
	      "section,name,value,unit,incomplete\nCache 1,Hits,3,,\n"
	      "Cache 1,Accesses,4,,\nCache 1,HitRatio,0.75,,\n"
	      "Cache 1,Slots,1 2 3,,\nCache 1,Half,1.5,,\n"
	      "Text,Name,\"a \"\"b\"\", <c>\",,\n");
	check(STATS_CSV, "stopped",
	      "section,name,value,unit,incomplete\nCache 1,Hits,3,,stopped\n"
	      "Cache 1,Accesses,4,,stopped\nCache 1,HitRatio,0.75,,stopped\n"
	      "Cache 1,Slots,1 2 3,,stopped\nCache 1,Half,1.5,,stopped\n"
	      "Text,Name,\"a \"\"b\"\", <c>\",,stopped\n");
}

static void test_json(void)
{
	check(STATS_JSON, "x",
	      "{\n  \"incomplete\": \"x\",\n  \"Cache 1\": {\n    \"Hits\": 3,\n"
	      "    \"Accesses\": 4,\n    \"HitRatio\": 0.75,\n"
	      "    \"Slots\": [1, 2, 3],\n    \"Half\": 1.5\n  },\n"
	      "  \"Text\": {\n    \"Name\": \"a \\\"b\\\", <c>\"\n  }\n}\n");
}

static void test_xml(void)
{
	check(STATS_XML, NULL,
	      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<report name=\"m\">\n <section name=\"Cache 1\">\n"
	      "  <stat name=\"Hits\" value=\"3\"/>\n"
	      "  <stat name=\"Accesses\" value=\"4\"/>\n"
	      "  <stat name=\"HitRatio\" value=\"0.75\"/>\n"
	      "  <stat name=\"Slots\" value=\"1 2 3\"/>\n"
	      "  <stat name=\"Half\" value=\"1.5\"/>\n </section>\n"
	      " <section name=\"Text\">\n"
	      "  <stat name=\"Name\" value=\"a &quot;b&quot;, &lt;c&gt;\"/>\n"
	      " </section>\n</report>\n");
}

static void test_freeze(void)
{
	struct machine machine = { 3, 4, { 1, 2, 3 } };
	struct stats *stats = sample(&machine);
	double value = 0;

	stats_freeze(stats, "m");
	memset(&machine, 0, sizeof machine);
	CU_ASSERT_TRUE(stats_lookup(stats, "m", "Cache 1", "Slots", &value));
	CU_ASSERT_EQUAL(value, 6);
	CU_ASSERT_TRUE(stats_lookup(stats, "m", "Cache 1", "HitRatio",
				    &value));
	CU_ASSERT_EQUAL(value, 0.75);
	CU_ASSERT_FALSE(stats_lookup(stats, "m", "Cache 2", "Hits", &value));
	stats_free(stats);
}

static void test_full(void)
{
	struct machine machine = { 0 };
	struct stats *stats = sample(&machine);
	struct error error = { "" };
	FILE *full = fopen("/dev/full", "w");

	CU_ASSERT_EQUAL(stats_write(stats, "m", STATS_CSV, NULL, full, &error),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "No space left"));
	fclose(full);
	stats_free(stats);
}

/* A table's rows make members, entries, units and texts. */
struct row_count {
#define STATS_MEMBERS
#include "unit/sample.stat.def"
};

static double utilization(void *owner)
{
	return (double)((struct row_count *)owner)->busy / 8;
}

static void test_rows(void)
{
	struct row_count rows = { .hits = 3, .accesses = 4,
				  .slots = { 1, 2, 3 }, .busy = 2 };
	const struct row_count *count = &rows;
	struct row_count *owner = &rows;
	struct stats *stats = stats_create();
	struct stats_section *section = stats_section(stats, "m", "Cache 1");
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

#define STATS_REGISTRATION
#define STATS_NAME(name) "of." name
#include "unit/sample.stat.def"
	CU_ASSERT_EQUAL(stats_write(stats, "m", STATS_CSV, NULL, stream, NULL),
			0);
	stats_describe(stats, stream);
	fclose(stream);
	CU_ASSERT_STRING_EQUAL(text,
		"section,name,value,unit,incomplete\n"
		"Cache 1,of.Ways,8,ways,\nCache 1,of.Sets,16,sets,\n"
		"Cache 1,of.Policy,LRU,,\n"
		"Cache 1,of.Hits,3,accesses,\n"
		"Cache 1,of.Accesses,4,accesses,\n"
		"Cache 1,of.Tries,4,accesses,\nCache 1,of.HitRatio,0.75,hits/access,\n"
		"Cache 1,of.Slots,1 2 3,slots,\n"
		"Cache 1,of.Utilization,0.25,fraction,\n"
		"m\tCache N\tof.Ways\tways\tof the cache\n"
		"m\tCache N\tof.Sets\tsets\tof the cache\n"
		"m\tCache N\tof.Policy\t\treplacement policy\n"
		"m\tCache N\tof.Hits\taccesses\tanswered here\n"
		"m\tCache N\tof.Accesses\taccesses\tall\n"
		"m\tCache N\tof.Tries\taccesses\tthe same as Accesses\n"
		"m\tCache N\tof.HitRatio\thits/access\thits over accesses\n"
		"m\tCache N\tof.Slots\tslots\tby kind\n"
		"m\tCache N\tof.Utilization\tfraction\tshare of the time\n");
	free(text);
	stats_free(stats);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "ini", test_ini },	   { "csv", test_csv },
		{ "json", test_json },	   { "xml", test_xml },
		{ "freeze", test_freeze }, { "a full device", test_full },
		{ "rows of a table", test_rows },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "stats", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
