/* Threads offered to cores (x86/linux/cores.h). One core that gives turns as
 * linux_run() does comes to the same in everything. With several cores, calls
 * that take time and stores that are held back the programs' output is the
 * same. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/harness.h"
#include "x86/emu/step.h"
#include "x86/linux/cores.h"
#include "x86/small-elf.h"

enum { CORES = 4, QUANTUM = 5000, OUTPUT = 8192 };

/* ---- A model of time ---- */

static struct model {
	struct linux_system *system;
	int64_t time;    /* ns */
	bool counts;     /* time is the instructions executed, and jumps */
	unsigned random;
	unsigned wants, calls, moves; /* seen */
	uint64_t stamps;
} model;

static unsigned next_random(void)
{
	model.random = model.random * 1664525 + 1013904223;
	return model.random >> 16;
}

static int64_t now(void *owner)
{
	struct model *m = owner;

	return m->counts && m->system
		       ? m->time + (int64_t)linux_instructions(m->system)
		       : m->time;
}

static uint64_t time_stamp(void *owner, const struct x86_cpu *cpu)
{
	struct model *m = owner;

	(void)cpu;
	m->stamps++;
	return (uint64_t)m->time * 3;
}

/* As linux_run() does it. */
static void run_in_turns(void)
{
	struct linux_system *system = model.system;

	while (!linux_is_over(system)) {
		struct context *thread = NULL, *next;
		bool ran = false;

		while ((next = linux_next(system, thread))) {
			uint64_t left = QUANTUM;
			enum linux_fate fate = linux_start(system, next);

			thread = next;
			ran = true;
			while (fate == LINUX_GOES_ON) {
				struct x86_cpu *cpu = linux_cpu(thread);
				uint64_t before = x86_instructions(cpu);
				enum x86_stop stop;

				if (!left) {
					fate = linux_stop(system, thread,
							  X86_STOP_QUANTUM);
					break;
				}
				stop = x86_run(cpu, left);
				left -= x86_instructions(cpu) - before;
				if (stop == X86_STOP_QUANTUM)
					continue;
				fate = linux_stop(system, thread, stop);
				if (fate == LINUX_CALLS)
					fate = linux_complete(system, thread);
			}
			if (linux_is_over(system))
				return;
		}
		if (!ran) {
			int64_t until = linux_idle(system);

			if (until > now(&model))
				model.time += until - now(&model);
		}
	}
}

struct core {
	struct context *thread;
	bool calls;
	int64_t done; /* when its call is */
	struct x86_ring *ring;
};

/* Some instructions on a core, with wrong paths now and then. */
static void run_core(struct core *core)
{
	struct x86_cpu *cpu = linux_cpu(core->thread);
	uint64_t end = x86_instructions(cpu) + 1 + next_random() % 400;
	enum x86_stop stop = X86_STOP_QUANTUM;
	enum linux_fate fate;

	x86_stores_hold(cpu, true);
	while (stop == X86_STOP_QUANTUM && x86_instructions(cpu) < end) {
		stop = x86_observe(cpu, core->ring,
				   end - x86_instructions(cpu), 0);
		core->ring->tail = core->ring->head;
		if (stop == X86_STOP_QUANTUM && next_random() % 4 == 0) {
			unsigned level = x86_speculate_begin(
				cpu, cpu->rip + next_random() % 16);

			x86_observe(cpu, core->ring, 20, 0);
			core->ring->tail = core->ring->head;
			x86_speculate_end(cpu, level);
		}
		x86_stores_publish(cpu, next_random() % 50);
	}
	if (stop == X86_STOP_QUANTUM && next_random() % 10)
		return; /* it keeps the core */
	model.moves += stop == X86_STOP_QUANTUM;
	fate = linux_stop(model.system, core->thread, stop);
	core->calls = fate == LINUX_CALLS;
	core->done = model.time + next_random() % 20000;
	model.calls += core->calls;
	if (fate > LINUX_CALLS)
		core->thread = NULL;
}

static void run_on_cores(void)
{
	struct linux_system *system = model.system;
	struct core core[CORES] = { 0 };

	for (int i = 0; i < CORES; i++)
		core[i].ring = x86_ring_create(1024);
	while (!linux_is_over(system)) {
		bool busy = false;

		for (int i = 0; i < CORES; i++) {
			struct core *c = &core[i];

			if (!c->thread) {
				struct context *next = linux_next(system,
								  NULL);

				for (unsigned n = next_random() % 3; n && next;
				     n--) {
					struct context *other =
						linux_next(system, next);

					next = other ? other : next;
				}
				c->calls = false;
				if (next && linux_start(system, next) ==
						    LINUX_GOES_ON)
					c->thread = next;
				busy |= next != NULL;
			}
			if (!c->thread)
				continue;
			busy = true;
			if (linux_wants(system, c->thread) &&
			    !c->calls) {
				model.wants++;
				linux_stop(system, c->thread,
					   X86_STOP_QUANTUM);
				c->thread = NULL;
			} else if (!c->calls) {
				run_core(c);
			} else if (c->done <= model.time) {
				enum linux_fate fate = linux_complete(
					system, c->thread);

				c->calls = false;
				if (fate != LINUX_GOES_ON)
					c->thread = NULL;
			}
			if (linux_is_over(system))
				break;
		}
		model.time += 100;
		if (!busy && !linux_is_over(system)) {
			int64_t until = linux_idle(system);

			model.time = until > model.time ? until : model.time;
		}
	}
	for (int i = 0; i < CORES; i++)
		x86_ring_free(core[i].ring);
}

/* ---- Programs ---- */

enum way { WHOLE, TURNS, ON_CORES };

struct outcome {
	struct linux_result result;
	int status;
	char output[OUTPUT];
	struct error error;
};

static struct outcome run(const char *path, enum way way, unsigned seed)
{
	const char *argv[] = { path, NULL }, *envp[] = { NULL };
	char output[] = "/tmp/m2s-test-cores-XXXXXX";
	int file = mkstemp(output);
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { open("/dev/null", O_RDONLY), file, 2 },
	};
	struct linux_options options = {
		.clock = way == WHOLE ? LINUX_CLOCK_SIMULATED
				      : LINUX_CLOCK_MODEL,
		.quantum = QUANTUM, .now = now, .now_owner = &model,
		.time_stamp = way == ON_CORES ? time_stamp : NULL,
	};
	struct outcome outcome = { .status = -2 };

	model = (struct model){ .random = seed, .counts = way == TURNS };
	model.system = linux_create(&options, &outcome.error);
	if (!model.system ||
	    linux_load(model.system, &program, &outcome.error) < 0) {
		CU_FAIL("the program is not loaded");
	} else if (way == WHOLE) {
		outcome.status = linux_run(model.system, &outcome.result,
					   &outcome.error);
	} else if (!linux_open(model.system, &outcome.error)) {
		if (way == TURNS)
			run_in_turns();
		else
			run_on_cores();
		outcome.status = linux_close(model.system, &outcome.result);
	}
	linux_free(model.system);
	model.system = NULL;
	if (pread(file, outcome.output, OUTPUT - 1, 0) < 0)
		CU_FAIL("no output");
	close(file);
	close(program.standard[0]);
	unlink(output);
	return outcome;
}

static bool compile(const char *source, const char *options, char *path)
{
	const char *top = getenv("top_srcdir"), *compiler = getenv("CC");
	char command[512];

	close(mkstemp(path));
	snprintf(command, sizeof command,
		 "%s -O2 -w -D_GNU_SOURCE -pthread -static %s -o %s "
		 "%s/tests/x86/programs/%s.c -lm -lrt 2>/dev/null",
		 compiler ? compiler : "gcc", options, path, top ? top : "..",
		 source);
	if (system(command) == 0)
		return chmod(path, 0755) == 0;
	printf("# skipped: %s %s is not compiled here\n", source, options);
	unlink(path);
	return false;
}

static const char *const programs[] = {
	"hello", "threads", "cores", "signals", "contexts",
};
static const char *const abis[] = { "-m64", "-m32" };
enum {
	PROGRAMS = sizeof programs / sizeof programs[0],
	RUNS = 2 * PROGRAMS,
};

/* Ends of processes are of the same kind. */
static void check_same(const char *name, const struct outcome *a,
		       const struct outcome *b)
{
	bool same = a->status == b->status &&
		    a->result.end == b->result.end &&
		    a->result.exit_status == b->result.exit_status &&
		    a->result.signal == b->result.signal &&
		    !strcmp(a->output, b->output);

	CU_ASSERT(same);
	if (!same)
		printf("# %s: status %d, end %d, exit %d, signal %d, or other "
		       "output: %s\n%s\n",
		       name, b->status, b->result.end, b->result.exit_status,
		       b->result.signal, b->status ? b->error.text : "",
		       b->output);
}

static void test_turns(void)
{
	for (unsigned i = 0; i < RUNS; i++) {
		char path[] = "/tmp/m2s-test-cores-XXXXXX";
		const char *name = programs[i / 2];
		struct outcome whole, turns;

		if (!compile(name, abis[i % 2], path))
			continue;
		whole = run(path, WHOLE, 0);
		turns = run(path, TURNS, 0);
		CU_ASSERT_EQUAL(whole.status, 0);
		CU_ASSERT(strlen(whole.output) > 5);
		check_same(name, &whole, &turns);
		CU_ASSERT_EQUAL(whole.result.instructions,
				turns.result.instructions);
		printf("# %s %s: %llu and %llu instructions\n", name,
		       abis[i % 2],
		       (unsigned long long)whole.result.instructions,
		       (unsigned long long)turns.result.instructions);
		unlink(path);
	}
}

static void test_cores(void)
{
	unsigned wants = 0, calls = 0, moves = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		char path[] = "/tmp/m2s-test-cores-XXXXXX";
		const char *name = programs[i / 2];
		struct outcome whole, cores;

		if (!compile(name, abis[i % 2], path))
			continue;
		whole = run(path, WHOLE, 0);
		for (unsigned seed = 1; seed <= (i < 6 ? 2 : 1); seed++) {
			cores = run(path, ON_CORES, seed);
			check_same(name, &whole, &cores);
			wants += model.wants;
			calls += model.calls;
			moves += model.moves;
		}
		unlink(path);
	}
	printf("# %u calls, %u moves, %u threads wanted\n", calls, moves,
	       wants);
	CU_ASSERT(wants > 50 && calls > 1000 && moves > 1000);
}

/* ---- Time ---- */

#define LOW(n) (n) & 255, (n) >> 8 & 255, (n) >> 16 & 255, (n) >> 24 & 255

/* nanosleep(20 s), clock_gettime(MONOTONIC), RDTSC: the model's time. */
static void test_time(void)
{
	enum { TIME = SMALL_ELF_BASE + 0x2000 };
	static const uint8_t code[] = {
		/* mov qword [TIME], 20; mov qword [TIME + 8], 0 */
		0x48, 0xc7, 0x04, 0x25, LOW(TIME), LOW(20),
		0x48, 0xc7, 0x04, 0x25, LOW(TIME + 8), LOW(0),
		0xbf, LOW(TIME), 0x31, 0xf6, 0xb8, LOW(35), 0x0f, 0x05,
		0xbf, LOW(1), 0xbe, LOW(TIME), 0xb8, LOW(228), 0x0f, 0x05,
		0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xc2,
		/* mov [TIME + 16], rdx; write(1, TIME, 24); exit(0) */
		0x48, 0x89, 0x14, 0x25, LOW(TIME + 16),
		0xbf, LOW(1), 0xbe, LOW(TIME), 0xba, LOW(24), 0xb8, LOW(1),
		0x0f, 0x05, 0x31, 0xff, 0xb8, LOW(60), 0x0f, 0x05,
	};
	char path[] = "/tmp/m2s-test-cores-XXXXXX";
	uint8_t bytes[SMALL_ELF_MAX];
	size_t size = small_elf(bytes, true, code, sizeof code);
	struct outcome outcome;
	uint64_t told[3];
	int file = mkstemp(path);

	CU_ASSERT(write(file, bytes, size) == (ssize_t)size &&
		  fchmod(file, 0755) == 0);
	close(file);
	outcome = run(path, ON_CORES, 1);
	CU_ASSERT_EQUAL(outcome.status, 0);
	memcpy(told, outcome.output, sizeof told);
	/* The machine has been up for a minute. */
	CU_ASSERT(told[0] == 80 && told[1] < 1000000);
	CU_ASSERT(told[2] >= UINT64_C(60000000000) &&
		  told[2] < UINT64_C(60003000000));
	CU_ASSERT_EQUAL(model.stamps, 1);
	unlink(path);
}

/* What only linux_run() can do, and what it cannot. */
static void test_refused(void)
{
	struct linux_options options = { .clock = LINUX_CLOCK_SIMULATED };
	struct linux_result result;
	struct linux_system *system;
	struct error error;

	system = linux_create(&options, &error);
	CU_ASSERT_EQUAL(linux_open(system, &error), -1);
	linux_free(system);
	options.clock = LINUX_CLOCK_MODEL;
	options.now = now;
	options.now_owner = &model;
	system = linux_create(&options, &error);
	CU_ASSERT_EQUAL(linux_run(system, &result, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "timing model"));
	linux_free(system);
}

static CU_TestInfo tests[] = {
	{ "turns as linux_run() gives them", test_turns },
	{ "several cores", test_cores },
	{ "the model's time", test_time },
	{ "refusals", test_refused },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 cores", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
