/* The branches that x86_run() tells while it runs fast, against those of
 * x86_observe(): whole programs of both ABIs, branch by branch. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/emu/step.h"
#include "x86/linux/linux.h"
#include "x86/timing/branches/observe.h"
#include "x86/timing/branches/reader.h"

enum { MOST = 3000000, LIMIT = 12000000 };

/* What x86_observe() tells. */
static struct {
	struct x86_ring *ring;
	struct branch_event *events;
	size_t count;
	uint64_t instructions;
} told;

static void note(const struct x86_record *record)
{
	static const enum branch_kind kinds[] = {
		[X86_BRANCH_CONDITIONAL] = BRANCH_CONDITIONAL,
		[X86_BRANCH_JUMP] = BRANCH_JUMP,
		[X86_BRANCH_CALL] = BRANCH_CALL,
		[X86_BRANCH_INDIRECT_JUMP] = BRANCH_INDIRECT_JUMP,
		[X86_BRANCH_INDIRECT_CALL] = BRANCH_INDIRECT_CALL,
		[X86_BRANCH_RETURN] = BRANCH_RETURN,
		[X86_BRANCH_FAR] = BRANCH_INDIRECT_JUMP,
	};
	const struct x86_inst *inst = record->inst;
	enum branch_kind kind;

	told.instructions += !record->unfinished;
	if (inst->branch == X86_BRANCH_NONE || told.count == MOST)
		return;
	kind = kinds[inst->branch];
	told.events[told.count++] = (struct branch_event){
		.branch = { inst->address,
			    kind < BRANCH_INDIRECT_JUMP ? inst->target : 0,
			    kind },
		.behind = inst->address + inst->length,
		.next = record->next,
		.instruction = told.instructions,
		.taken = kind != BRANCH_CONDITIONAL || record->taken,
	};
}

static enum x86_stop observe(void *owner, int process, int thread,
			     struct x86_cpu *cpu, uint64_t instructions)
{
	uint64_t before = x86_instructions(cpu), done = 0;
	enum x86_stop stop = X86_STOP_QUANTUM;

	(void)owner, (void)process, (void)thread;
	while (stop == X86_STOP_QUANTUM && done < instructions) {
		stop = x86_observe(cpu, told.ring, instructions - done, 0);
		for (; told.ring->tail != told.ring->head; told.ring->tail++)
			note(&told.ring->record[told.ring->tail &
						told.ring->mask]);
		done = x86_instructions(cpu) - before;
	}
	return stop;
}

static enum x86_stop record(void *owner, int process, int thread,
			    struct x86_cpu *cpu, uint64_t instructions)
{
	return branch_observer_run(owner, (uint32_t)process, (uint32_t)thread,
				   cpu, instructions);
}

static void run(const char *path, struct linux_options *options)
{
	const char *argv[] = { path, "1", NULL }, *envp[] = { NULL };
	int nowhere = open("/dev/null", O_RDWR);
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { nowhere, nowhere, 2 },
	};
	struct linux_result result = { 0 };
	struct linux_system *system;
	struct error error;

	options->pause_at = LIMIT;
	options->quantum = 5000;
	system = linux_create(options, &error);
	if (!system || linux_load(system, &program, &error) < 0 ||
	    linux_run(system, &result, &error))
		CU_FAIL("the program does not run");
	linux_free(system);
	close(nowhere);
}

static bool same(const struct branch_event *one,
		 const struct branch_event *other)
{
	return one->branch.address == other->branch.address &&
	       one->branch.target == other->branch.target &&
	       one->branch.kind == other->branch.kind &&
	       one->behind == other->behind && one->next == other->next &&
	       one->instruction == other->instruction &&
	       one->taken == other->taken;
}

static void compare(const char *name, const char *trace)
{
	static struct branch_event events[4096];
	struct error error = { "" };
	struct branch_reader *reader = branch_reader_open(trace, &error);
	size_t at = 0, kinds[BRANCH_RETURN + 1] = { 0 }, differ = 0;
	long count;

	CU_ASSERT_PTR_NOT_NULL_FATAL(reader);
	while ((count = branch_reader_read(reader, events, 4096, &error)) > 0)
		for (long i = 0; i < count; i++, at++) {
			kinds[events[i].branch.kind]++;
			if (at < told.count &&
			    !same(&events[i], &told.events[at]) && !differ++)
				printf("# branch %zu, at %llx\n", at,
				       (unsigned long long)
					       events[i].branch.address);
		}
	CU_ASSERT_EQUAL(count, 0);
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(at == told.count || told.count == MOST);
	CU_ASSERT_EQUAL(branch_reader_instructions(reader), told.instructions);
	printf("# %s: %zu branches\n", name, at);
	CU_ASSERT(at > 10000 && kinds[BRANCH_CONDITIONAL] &&
		  kinds[BRANCH_CALL] && kinds[BRANCH_RETURN]);
	branch_reader_free(reader);
}

static void check_program(const char *source, const char *options)
{
	const char *top = getenv("top_srcdir"), *compiler = getenv("CC");
	char path[] = "/tmp/m2s-test-log-XXXXXX", command[512];
	char trace[] = "/tmp/m2s-test-log-XXXXXX";
	struct linux_options by_observe = { .run = observe };
	struct linux_options by_log = { .run = record };
	struct branch_observer *observer;
	FILE *stream;

	close(mkstemp(path));
	close(mkstemp(trace));
	snprintf(command, sizeof command,
		 "%s -O1 -D_GNU_SOURCE -static %s -o %s %s/tests/x86/%s.c "
		 "2>/dev/null", compiler ? compiler : "gcc", options, path,
		 top ? top : "..", source);
	if (system(command)) {
		printf("# skipped: %s %s is not compiled here\n", source,
		       options);
		unlink(path);
		unlink(trace);
		return;
	}
	chmod(path, 0755);
	told.count = told.instructions = 0;
	run(path, &by_observe);
	stream = fopen(trace, "wb");
	by_log.run_owner = observer = branch_observer_create(stream);
	run(path, &by_log);
	branch_observer_end(observer);
	branch_observer_free(observer);
	fclose(stream);
	compare(source, trace);
	unlink(path);
	unlink(trace);
}

static const char *const programs[] = {
	"predict/odd-branches", "bench/quicksort", "bench/strings",
	"bench/interpreter", "bench/system-calls",
};

static void check_all(const char *options)
{
	told.ring = x86_ring_create(1024);
	told.events = xcalloc(MOST, sizeof *told.events);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		check_program(programs[i], options);
	free(told.events);
	x86_ring_free(told.ring);
}

static void test_64(void)
{
	check_all("-m64");
}

static void test_32(void)
{
	check_all("-m32");
}

static CU_TestInfo tests[] = {
	{ "64-bit programs", test_64 },
	{ "32-bit programs", test_32 },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 log of branches", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
