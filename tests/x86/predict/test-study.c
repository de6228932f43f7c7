/* Traces of branches written and read, and studies of many predictors: the
 * batch engine against each predictor by itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/predict/program.h"
#include "x86/timing/branches/writer.h"
#include "x86/timing/study/output.h"

enum { EVENTS = 100000, THREADS = 5, HINTS = 20,
       SIMPLE_KINDS = DIRECTION_tournament - DIRECTION_taken + 1 };

static char path[] = "/tmp/m2s-test-study-XXXXXX";

/* --- Traces --------------------------------------------------------------- */

static bool same_event(const struct branch_event *one,
		       const struct branch_event *other)
{
	return one->branch.address == other->branch.address &&
	       one->branch.target == other->branch.target &&
	       one->branch.kind == other->branch.kind &&
	       one->behind == other->behind && one->next == other->next &&
	       one->instruction == other->instruction &&
	       one->process == other->process &&
	       one->thread == other->thread && one->taken == other->taken;
}

/* Threads of two processes take turns; at times one is moved elsewhere. */
struct world {
	struct program programs[THREADS];
	uint64_t instructions[THREADS];
	uint64_t seed;
	uint32_t present;
	/* Shared by branches, so that many do not fit. */
	struct branch_hint hints[HINTS];
};

static void world_turn(struct world *world, struct branch_writer *writer,
		       bool first)
{
	uint64_t draw = random_draw(&world->seed);
	uint32_t at = (uint32_t)draw % THREADS;
	struct program *program = &world->programs[at];

	world->present = at;
	if (!first && draw >> 8 & 7) {
		branch_writer_switch(writer, 1 + at / 2, at);
		return;
	}
	program->seed = random_draw(&world->seed);
	program->at = (uint32_t)(draw >> 16) % PROGRAM_BRANCHES;
	branch_writer_enter(writer, 1 + at / 2, at, program_entry(program->at),
			    draw >> 40);
	world->instructions[at] += draw >> 40;
}

static struct branch_event world_step(struct world *world,
				      struct branch_writer *writer)
{
	uint32_t at = world->present;
	struct program *program = &world->programs[at];
	uint64_t from = program->at;
	struct program_step made = program_next(program);
	struct branch_step step = {
		.branch = made.branch,
		.length = 2,
		.taken = made.outcome.taken,
		.next = made.outcome.next,
		.instructions = 1 + from % 4,
	};
	struct branch_event event = {
		.branch = made.branch,
		.behind = made.branch.address + 2,
		.next = made.outcome.next,
		.process = 1 + at / 2,
		.thread = at,
		.taken = made.outcome.taken,
	};

	/* The program's flow enters branches 6 bytes before. */
	if (!event.taken)
		step.next = event.next = event.behind;
	event.instruction = world->instructions[at] += step.instructions;
	branch_writer_add(writer, &step, &world->hints[from % HINTS]);
	if (!event.taken) {
		branch_writer_enter(writer, event.process, at,
				    program_entry(program->at), 0);
	}
	return event;
}

static struct branch_event *write_trace(size_t count)
{
	struct branch_event *events = xcalloc(count, sizeof *events);
	struct world *world = xcalloc(1, sizeof *world);
	FILE *stream = fopen(path, "wb");
	struct branch_writer *writer = branch_writer_create(stream);
	bool known[THREADS] = { false };

	world->seed = 12;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || random_draw(&world->seed) % 50 == 0) {
			world_turn(world, writer, i == 0);
			if (!known[world->present])
				branch_writer_enter(
					writer, 1 + world->present / 2,
					world->present,
					program_entry(world->programs
						      [world->present].at),
					0);
			known[world->present] = true;
		}
		events[i] = world_step(world, writer);
	}
	branch_writer_end(writer, 123456789);
	branch_writer_free(writer);
	fclose(stream);
	free(world);
	return events;
}

static void test_round_trip(void)
{
	struct branch_event *events = write_trace(EVENTS), read[1000];
	struct error error = { "" };
	struct branch_reader *reader = branch_reader_open(path, &error);
	size_t at = 0, differ = 0;
	long count;

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	while ((count = branch_reader_read(reader, read, ARRAY_SIZE(read),
					   &error)) > 0)
		for (long i = 0; i < count && at < EVENTS; i++)
			differ += !same_event(&read[i], &events[at++]);
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT_EQUAL(at, EVENTS);
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT_EQUAL(branch_reader_instructions(reader), 123456789);
	branch_reader_free(reader);
	free(events);
}

/* Cut off anywhere, or with a byte changed: an error, or, of a change, at least
 * an end. */
static void test_damage(void)
{
	struct branch_event *events = write_trace(2000), read[100];
	FILE *stream = fopen(path, "rb");
	char *bytes = xmalloc(1 << 20);
	size_t size = fread(bytes, 1, 1 << 20, stream), silent = 0;
	uint64_t seed = 3;

	fclose(stream);
	for (int round = 0; round < 300; round++) {
		bool cut = round % 2;
		size_t place = random_draw(&seed) % size;
		struct error error = { "" };
		struct branch_reader *reader;
		long count = -1;

		stream = fopen(path, "wb");
		bytes[place] ^= 16;
		fwrite(bytes, 1, cut ? place : size, stream);
		bytes[place] ^= 16;
		fclose(stream);
		reader = branch_reader_open(path, &error);
		while (reader && (count = branch_reader_read(
					  reader, read, ARRAY_SIZE(read),
					  &error)) > 0)
			;
		/* A byte of gzip's header may say anything. */
		silent += count >= 0 && place > 10;
		CU_ASSERT(count >= 0 || strstr(error.text, path));
		branch_reader_free(reader);
	}
	CU_ASSERT_EQUAL(silent, 0);
	free(bytes);
	free(events);
}

/* One instruction of a trace of the championship: its fixed part, and what
 * follows as the class has it. */
static void put_instruction(gzFile file, uint64_t address, uint8_t class,
			    const void *middle, unsigned middle_size,
			    const uint8_t *outputs, uint8_t output_count)
{
	static const uint8_t inputs[] = { 2, 0, 33 }, value[16] = { 1 };

	gzwrite(file, &address, 8);
	gzwrite(file, &class, 1);
	if (middle_size)
		gzwrite(file, middle, middle_size);
	gzwrite(file, inputs, sizeof inputs);
	gzwrite(file, &output_count, 1);
	if (output_count)
		gzwrite(file, outputs, output_count);
	for (int i = 0; i < output_count; i++)
		gzwrite(file, value, outputs[i] >= 32 && outputs[i] < 64 ? 16
									 : 8);
}

static void put_jump(gzFile file, uint64_t address, uint8_t class, bool taken,
		     uint64_t target)
{
	uint8_t middle[9] = { taken };

	memcpy(middle + 1, &target, 8);
	put_instruction(file, address, class, middle, taken ? 9 : 1, NULL, 0);
}

/* All classes, registers of all sizes; little-endian hosts, as the trace. */
static void test_championship(void)
{
	static const uint8_t load[10] = { 1 }, store[11] = { 2 };
	static const uint8_t outputs[] = { 0, 32, 63, 64, 65 };
	static const struct branch_event expected[] = {
		{ { 0x40, 0, BRANCH_CONDITIONAL }, 0x44, 0x44, 4, 0, 0, false },
		{ { 0x44, 0x40, BRANCH_JUMP }, 0x48, 0x40, 5, 0, 0, true },
		{ { 0x40, 0x80, BRANCH_CONDITIONAL }, 0x44, 0x80, 6, 0, 0,
		  true },
		{ { 0x80, 0x90, BRANCH_CALL }, 0x84, 0x90, 7, 0, 0, true },
		{ { 0x90, 0, BRANCH_INDIRECT_CALL }, 0x94, 0xa0, 8, 0, 0,
		  true },
		{ { 0xa0, 0, BRANCH_RETURN }, 0xa4, 0x94, 9, 0, 0, true },
		{ { 0x94, 0, BRANCH_INDIRECT_JUMP }, 0x98, 0x40, 10, 0, 0,
		  true },
		{ { 0x40, 0x80, BRANCH_CONDITIONAL }, 0x44, 0x44, 11, 0, 0,
		  false },
	};
	static const uint8_t classes[] = { 3, 4, 3, 9, 10, 11, 5, 3 };
	struct branch_event events[20];
	struct error error = { "" };
	struct branch_reader *reader;
	gzFile file = gzopen(path, "wb");
	long count;

	put_instruction(file, 0x34, 0, NULL, 0, outputs, sizeof outputs);
	put_instruction(file, 0x38, 1, load, sizeof load, outputs, 2);
	put_instruction(file, 0x3c, 2, store, sizeof store, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		put_jump(file, expected[i].branch.address, classes[i],
			 expected[i].taken, expected[i].next);
	put_instruction(file, 0x44, 6, NULL, 0, outputs, 1);
	gzclose(file);
	reader = branch_reader_open(path, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	count = branch_reader_read(reader, events, ARRAY_SIZE(events), &error);
	CU_ASSERT_EQUAL_FATAL(count, (long)ARRAY_SIZE(expected));
	for (long i = 0; i < count; i++)
		CU_ASSERT(same_event(&events[i], &expected[i]));
	CU_ASSERT_EQUAL(branch_reader_read(reader, events, 1, &error), 0);
	CU_ASSERT_EQUAL(branch_reader_instructions(reader), 12);
	branch_reader_free(reader);
}

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
	{ "a trace reads as it was written", test_round_trip },
	{ "damaged traces are errors", test_damage },
	{ "a trace of the championship", test_championship },
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
	int file = mkstemp(path), status;

	if (file < 0)
		return 1;
	close(file);
	status = harness_run(suites);
	unlink(path);
	return status;
}
