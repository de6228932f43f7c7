/* Clusters of intervals, the file of phases, and the parts that a plan of phases
 * simulates. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "m2s/sampling/clusters.h"
#include "m2s/sampling/phases.h"
#include "m2s/sampling/plan.h"
#include "unit/harness.h"
#include "unit/random.h"

enum { COUNT = 120, GROUPS = 4, MOST = 30 };

/* Vectors of a group lie near one point; `noise` is how far they are from it. */
static void make_groups(struct vector *list, double noise)
{
	uint64_t state = 7;

	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t point = i * i % GROUPS * 1000;

		for (unsigned k = 0; k < VECTOR_COMPONENTS; k++)
			list[i].component[k] =
				(double)(random_draw(&point) % 1000) / 1000 +
				noise * (double)(random_draw(&state) % 1000) /
					1000;
	}
}

/* Groups of make_groups(), of which only 0 and 1 have members. */
static void test_groups(void)
{
	static struct vector list[COUNT];
	struct clusters clusters;

	for (unsigned step = 0; step < 3; step++) {
		make_groups(list, step * 0.02);
		clusters_find(&clusters, list, COUNT, MOST);
		CU_ASSERT_EQUAL_FATAL(clusters.count, 2);
		CU_ASSERT_EQUAL(clusters.size[0], COUNT / 2);
		CU_ASSERT_EQUAL(clusters.size[1], COUNT / 2);
		for (unsigned i = 0; i < COUNT; i++)
			CU_ASSERT_EQUAL(clusters.of[i], i * i % GROUPS !=
				clusters.nearest[0] * clusters.nearest[0] %
					GROUPS);
		CU_ASSERT(clusters.nearest[0] < clusters.nearest[1]);
		clusters_clear(&clusters);
	}
}

static void test_equal(void)
{
	static struct vector list[COUNT];
	struct clusters clusters;

	for (unsigned count = 1; count <= COUNT; count += COUNT - 1) {
		clusters_find(&clusters, list, count, MOST);
		CU_ASSERT_EQUAL(clusters.count, 1);
		CU_ASSERT_EQUAL(clusters.nearest[0], 0);
		CU_ASSERT_EQUAL(clusters.size[0], count);
		clusters_clear(&clusters);
	}
}

/* The interval that stands for a cluster is the one in its middle. */
static void test_nearest(void)
{
	static struct vector list[5];
	static const double at[] = { 0.1, 0, -0.1, 0.002, 0.003 };
	struct clusters clusters;

	for (unsigned i = 0; i < 5; i++)
		list[i].component[3] = at[i];
	clusters_find(&clusters, list, 5, 1);
	CU_ASSERT_EQUAL(clusters.count, 1);
	CU_ASSERT_EQUAL(clusters.nearest[0], 1);
	clusters_clear(&clusters);
}

/* Reads `text` as a file of phases. */
static struct sampling_phases *read_text(const char *text, struct error *error)
{
	char path[] = "/tmp/m2s-phases-XXXXXX";
	int file = mkstemp(path);
	struct sampling_phases *phases;

	CU_ASSERT_EQUAL(write(file, text, strlen(text)), (ssize_t)strlen(text));
	close(file);
	phases = sampling_phases_read(path, error);
	unlink(path);
	return phases;
}

static void test_read(void)
{
	static const char *const wrong[] = {
		"",
		"m2s-phases 2\nlength 5\nphase 0 1\n",
		"m2s-phases 1\nlength 5\n",
		"m2s-phases 1\nphase 0 1\n",
		"m2s-phases 1\nlength 0\nphase 0 1\n",
		"m2s-phases 1\nlength 5\nphase 0 0\n",
		"m2s-phases 1\nlength 5\nphase 0 1 2\n",
		"m2s-phases 1\nlength 5\nphase 0 1\nphase 4 1\n",
		"m2s-phases 1\nlength 5\nphase -1 1\n",
		"m2s-phases 1\nlength 5\nphase 0 99999999999999999999\n",
		"m2s-phases 1\nlength 5\nphase 0 1\nlength 6\n",
		"m2s-phases 1\nlength 5\nphase 0 1\nnonsense\n",
	};
	struct error error;
	struct sampling_phases *phases = read_text(
		"m2s-phases 1\n# a word\n\nlength 50\ninstructions 410\n"
		"phase 0 3\nphase 50 1\ninterval 0 0\n", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(phases);
	CU_ASSERT_EQUAL(phases->length, 50);
	CU_ASSERT_EQUAL(phases->found_in, 410);
	CU_ASSERT_EQUAL_FATAL(phases->count, 2);
	CU_ASSERT_EQUAL(phases->row[1].start, 50);
	CU_ASSERT_EQUAL(phases->row[0].weight, 0.75);
	/* Only what has been measured counts. */
	CU_ASSERT_EQUAL(sampling_phases_covered(phases), 0);
	CU_ASSERT_EQUAL(sampling_phases_cpi(phases), 0);
	phases->row[0].measured = 1;
	phases->row[0].cpi = 2;
	CU_ASSERT_EQUAL(sampling_phases_cpi(phases), 2);
	phases->row[1].measured = 1;
	phases->row[1].cpi = 4;
	phases->instructions = 400;
	phases->kernel = 10;
	CU_ASSERT_EQUAL(sampling_phases_covered(phases), 1);
	CU_ASSERT_EQUAL(sampling_phases_cycles(phases), 1010);
	sampling_phases_free(phases);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		phases = read_text(wrong[i], &error);
		CU_ASSERT_PTR_NULL(phases);
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "--x86-find-phases"));
		sampling_phases_free(phases);
	}
}

/* Follows a plan to its last step: "KIND INSTRUCTIONS " for each. */
static void follow(const struct sampling_plan *plan, char *text, size_t size)
{
	static const char kinds[] = "swd";
	uint64_t done = 0;

	*text = 0;
	for (;;) {
		struct sampling_step step = sampling_step(plan, done, false, 0);
		size_t at = strlen(text);

		if (step.instructions == UINT64_MAX) {
			snprintf(text + at, size - at, "%c", kinds[step.phase]);
			return;
		}
		snprintf(text + at, size - at, "%c%d ", kinds[step.phase],
			 (int)step.instructions);
		done += step.instructions;
	}
}

static void test_plan(void)
{
	static struct sampling_phase_row rows[] = {
		{ .start = 1000 }, { .start = 100000 }, { .start = 110500 },
		{ .start = 200000 },
	};
	struct sampling_phases phases = { .length = 10000, .count = 4,
					  .row = rows };
	struct sampling_plan plan = { .lead = 2000, .warm = UINT64_MAX,
				      .phases = &phases };
	char text[200];

	/* 2,000 before an interval and 512 behind it; the third begins where the
	 * second has not ended. */
	follow(&plan, text, sizeof text);
	CU_ASSERT_STRING_EQUAL(text, "d11512 w86488 d23012 w76988 d12512 w");
	plan.warm = 10000;
	follow(&plan, text, sizeof text);
	CU_ASSERT_STRING_EQUAL(text, "d11512 s76488 w10000 d23012 s66988 "
				     "w10000 d12512 s");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "groups", test_groups },
		{ "equal intervals", test_equal },
		{ "nearest to the centre", test_nearest },
		{ "file", test_read },
		{ "plan", test_plan },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = {
		{ "phases", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
