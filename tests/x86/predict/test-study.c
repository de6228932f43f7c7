/* Studies of many predictors: the batch engine against each predictor by
 * itself; files of predictors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/predict/program.h"
#include "x86/timing/study/output.h"

enum { SIMPLE_KINDS = DIRECTION_tournament - DIRECTION_taken + 1 };

/* --- Studies -------------------------------------------------------------- */

static struct branch_event *random_events(uint64_t seed, size_t count)
{
	struct branch_event *events = xcalloc(count, sizeof *events);
	struct program program = { .seed = seed };

	for (size_t i = 0; i < count; i++) {
		struct program_step step = program_next(&program);

		events[i] = (struct branch_event){
			.branch = step.branch,
			.behind = step.behind,
			.next = step.outcome.next,
			.taken = step.outcome.taken,
		};
	}
	return events;
}

static void choose_config(struct predict_config *config, uint64_t *seed,
			  int kind)
{
	uint64_t draw = random_draw(seed), more = random_draw(seed);

	predict_config_defaults(config);
	config->kind = kind;
	config->bimodal_size = 2u << draw % 10;
	config->choice_size = 2u << (draw >> 8) % 8;
	config->two_level_first = 1u << (draw >> 16) % 6;
	config->two_level_second = 1u << (draw >> 20) % 6;
	config->two_level_history = 1 + (draw >> 24) % 12;
	config->gshare_history = 1 + (draw >> 28) % 12;
	config->gshare_size = 2u << (config->gshare_history + (draw >> 32) % 3);
	config->btb_sets = 1u << (draw >> 36) % 6;
	config->btb_ways = 1 + (draw >> 40) % 4;
	config->btb2_sets = draw >> 44 & 1 ? 32 : 0;
	config->btb_miss = draw >> 45 & 1;
	config->ras_size = 1 + (draw >> 46) % 12;
	config->indirect = (int)(more % TARGET_COUNT);
	config->indirect_sets = 1u << (more >> 8) % 6;
	config->train = more >> 16 & 1;
	CU_ASSERT_EQUAL_FATAL(predict_config_check(config, NULL), 0);
}

static struct study_list random_list(uint64_t seed, size_t count)
{
	struct study_list list = {
		.list = xcalloc(count, sizeof *list.list),
		.count = count,
	};

	for (size_t i = 0; i < count; i++) {
		list.list[i].name = xasprintf("%zu", i);
		/* Groups that are alike, too, of each simple kind. */
		if (i > 20 && i % 5)
			list.list[i].config =
				list.list[DIRECTION_taken +
					  i % SIMPLE_KINDS].config;
		else
			choose_config(&list.list[i].config, &seed,
				      (int)(i % DIRECTION_COUNT));
	}
	return list;
}

static size_t differing(const struct study_list *one,
			const struct study_list *other)
{
	size_t differ = 0;

	for (size_t i = 0; i < one->count; i++)
		differ += memcmp(one->list[i].counts, other->list[i].counts,
				 sizeof one->list[i].counts) != 0;
	return differ;
}

static void test_batch(void)
{
	enum { PREDICTORS = 261 };

	static const size_t counts[] = { 3000, 32768, 36000 };

	for (uint64_t round = 0; round < ARRAY_SIZE(counts); round++) {
		size_t count = counts[round];
		struct branch_event *events = random_events(round + 1, count);
		struct study_list batch = random_list(round, PREDICTORS);
		struct study_list single = random_list(round, PREDICTORS);
		static uint64_t agreements[2][PREDICTORS * PREDICTORS];
		struct study_options options = {
			.threads = 1 + (unsigned)round,
			.agreements = agreements[0],
		};
		struct study_totals totals, others;
		struct error error;
		uint64_t wrong = 0;

		CU_ASSERT_EQUAL(study_run_events(&batch, events, count,
						 &options, &totals, &error),
				0);
		options.single = true;
		options.agreements = agreements[1];
		CU_ASSERT_EQUAL(study_run_events(&single, events, count,
						 &options, &others, &error),
				0);
		CU_ASSERT_EQUAL(totals.branches, count);
		CU_ASSERT_EQUAL(totals.conditional, others.conditional);
		CU_ASSERT_EQUAL(differing(&batch, &single), 0);
		CU_ASSERT_EQUAL(memcmp(agreements[0], agreements[1],
				       sizeof agreements[0]),
				0);
		CU_ASSERT_EQUAL(agreements[0][5 * PREDICTORS + 5],
				totals.conditional);
		options = (struct study_options){ .threads = 2, .apart = true };
		CU_ASSERT_EQUAL(study_run_events(&batch, events, count,
						 &options, &totals, &error),
				0);
		CU_ASSERT_EQUAL(differing(&batch, &single), 0);
		for (size_t i = 0; i < PREDICTORS; i++)
			wrong += study_sum(&batch.list[i]).wrong;
		CU_ASSERT(wrong > 0 && wrong < PREDICTORS * count);
		study_list_clear(&batch);
		study_list_clear(&single);
		free(events);
	}
}

/* More lanes than a vector has, which threads share. */
static void test_lanes(void)
{
	enum { LANES = 300, COUNT = 5000 };

	struct branch_event *events = random_events(9, COUNT);
	struct study_list all = { .list = xcalloc(LANES, sizeof *all.list),
				  .count = LANES };

	for (int kind = DIRECTION_taken; kind <= DIRECTION_tournament; kind++) {
		struct study_options options = { .threads = 3, .apart = true };
		struct study_totals totals;
		struct error error;
		struct predict_counts first;
		uint64_t seed = (uint64_t)kind;
		struct predict_config config;

		choose_config(&config, &seed, kind);
		for (size_t i = 0; i < LANES; i++)
			all.list[i].config = config;
		CU_ASSERT_EQUAL(study_run_events(&all, events, COUNT, &options,
						 &totals, &error),
				0);
		first = study_sum(&all.list[0]);
		for (size_t i = 1; i < LANES; i++)
			CU_ASSERT(!memcmp(all.list[i].counts,
					  all.list[0].counts,
					  sizeof all.list[0].counts));
		all.count = 1;
		options = (struct study_options){ .threads = 1,
						  .single = true };
		CU_ASSERT_EQUAL(study_run_events(&all, events, COUNT, &options,
						 &totals, &error),
				0);
		CU_ASSERT_EQUAL(study_sum(&all.list[0]).wrong, first.wrong);
		all.count = LANES;
	}
	free(all.list);
	free(events);
}

/* --- Files of predictors -------------------------------------------------- */

static int parse(struct study_list *list, const char *text,
		 struct error *error)
{
	struct ini *ini = ini_parse("p.ini", text, strlen(text), error);
	int status = ini ? study_list_parse(list, ini, error) : -1;

	if (ini)
		ini_free(ini);
	return status;
}

static void expect_error(const char *text, const char *message)
{
	struct study_list list = { 0 };
	struct error error = { "" };

	CU_ASSERT_EQUAL(parse(&list, text, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, message));
	if (!strstr(error.text, message))
		printf("# %s\n", error.text);
	study_list_clear(&list);
}

static void test_files(void)
{
	struct study_list list = { 0 };
	struct error error = { "" };

	CU_ASSERT_EQUAL(parse(&list,
			      "[ one ]\nKind = Tage\n"
			      "[ many ]\nKind = Bimodal, Gshare\n"
			      "Bimod.Size = 256..65536 x2\n"
			      "Gshare.HistorySize = 2..6 +2\n",
			      &error),
			0);
	CU_ASSERT_EQUAL_FATAL(list.count, 1 + 2 * 9 * 3);
	CU_ASSERT_STRING_EQUAL(list.list[0].name, "one");
	CU_ASSERT_STRING_EQUAL(list.list[1].name,
			       "many Kind=Bimodal,Bimod.Size=256,"
			       "Gshare.HistorySize=2");
	CU_ASSERT_EQUAL(list.list[54].config.kind, DIRECTION_gshare);
	CU_ASSERT_EQUAL(list.list[54].config.bimodal_size, 65536);
	CU_ASSERT_EQUAL(list.list[54].config.gshare_history, 6);
	CU_ASSERT(list.list[1].storage_bits < list.list[27].storage_bits);
	study_list_clear(&list);
	expect_error("", "found none");
	expect_error("[ a ]\n\nKind = Oracle\n", "p.ini:3: ");
	expect_error("[ a ]\nBimod.Size = 256..512\n", "p.ini:2: ");
	expect_error("[ a ]\nBimod.Size = 256..512 x1\n", "never ends");
	expect_error("[ a ]\nBimod.Size = 512..256 x2\n", "never begins");
	expect_error("[ a ]\nRAS.Size = 1..4096 +1\nBTB.Assoc = 1..64 +1\n",
		     "more than 65536");
	expect_error("[ a ]\nRAS.Size = 0..4000000000 +1\n", "more than 4096");
	expect_error("[ a ]\nRAS.Size = 1,,2\n", "empty value");
	expect_error("[ a ]\nBimod.Size = 256..1000 +1\n", "Bimod.Size");
	expect_error("[ a ]\nRAS.Sise = 2\n", "RAS.Size");
	expect_error("[ a ]\n[ a ]\n", "p.ini:2");
	expect_error("[ a ]\nRAS.Size = 2, 2\n", "two predictors are called");
}

/* Absurd sizes are refused before memory is taken. */
static void test_absurd(void)
{
	struct study_list list = { 0 };
	struct study_options options = { .threads = 1 };
	struct study_totals totals;
	struct error error = { "" };

	CU_ASSERT_EQUAL(parse(&list, "[ a ]\nBTB.Sets = 65536\n"
			      "BTB.Assoc = 64\nRAS.Size = 1..1000 +1\n",
			      &error),
			0);
	CU_ASSERT_EQUAL(study_run_events(&list, NULL, 0, &options, &totals,
					 &error),
			-1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "MB of memory"));
	study_list_clear(&list);
}

static CU_TestInfo tests[] = {
	{ "batch against single", test_batch },
	{ "many lanes, several threads", test_lanes },
	{ "files of predictors", test_files },
	{ "absurd sizes", test_absurd },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "predictor studies", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
