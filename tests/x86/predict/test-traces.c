/* Traces of branches written and read; traces of the championship. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/predict/program.h"
#include "x86/timing/branches/reader.h"
#include "x86/timing/branches/writer.h"

enum { EVENTS = 100000, THREADS = 5, HINTS = 20 };

static char path[] = "/tmp/m2s-test-traces-XXXXXX";

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

static CU_TestInfo tests[] = {
	{ "a trace reads as it was written", test_round_trip },
	{ "damaged traces are errors", test_damage },
	{ "a trace of the championship", test_championship },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "traces of branches", NULL, NULL, NULL, NULL, tests },
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
