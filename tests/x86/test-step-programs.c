/* Whole programs of both ABIs, observed and stepped: the same as x86_run() at
 * every system call, and the same references as an oracle made from Zydis'
 * operands; the same, too, with wrong paths in between, and with stores that
 * are held back. Stretches tell the same as records.
 *
 * The Linux layer calls x86_run(); this program is linked so that the calls
 * come here. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Zydis/Zydis.h>

#include "unit/harness.h"
#include "x86/emu/access.h"
#include "x86/emu/run.h"
#include "x86/emu/step.h"
#include "x86/linux/linux.h"

/* Instructions of a program that are stepped or observed, the rest being
 * x86_run()'s, and where it ends. */
enum { STEPPED = 1000000, OBSERVED = 4000000, ALL = 5000000 };

/* WRONG: with wrong paths in between. HELD: stores are held back, and published
 * some time later. */
enum mode { PLAIN, BATCHES, STRETCHES, STEPS, WRONG, HELD, MODES };

static struct {
	enum mode mode;
	struct x86_ring *ring;
	uint64_t observed, limit;
	unsigned broken, shown; /* records that do not fit */
	bool inside;
	uint64_t stops, hash;   /* of the state at each */
	uint64_t told;          /* hash of instructions, branches, references */
	uint64_t wrong;         /* instructions of wrong paths */
	unsigned paths, random;
	uint64_t place[64];     /* of code that was executed */
} state;

enum x86_stop __real_x86_run(struct x86_cpu *cpu, uint64_t instructions);
enum x86_stop __wrap_x86_run(struct x86_cpu *cpu, uint64_t instructions);

static void mix(uint64_t value)
{
	state.hash = (state.hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	state.hash ^= state.hash >> 29;
}

/* At the end of each turn, too. */
static void note_stop(struct x86_cpu *cpu, enum x86_stop stop)
{
	state.stops += stop != X86_STOP_QUANTUM;
	mix(stop);
	mix(cpu->rip);
	mix(x86_instructions(cpu));
	mix(x86_eflags(cpu));
	mix(cpu->mxcsr);
	for (int i = 0; i < 16; i++) {
		mix(cpu->reg[i]);
		for (int k = 0; k < 4; k++)
			mix(cpu->vector[i].u64[k]);
	}
	for (int i = 0; i < 8; i++)
		mix(cpu->x87.reg[i].mantissa);
	mix(cpu->x87.top | cpu->x87.empty << 8 | cpu->x87.status << 16);
}

static void complain(const struct x86_record *record, const char *what)
{
	state.broken++;
	if (state.shown++ < 20)
		printf("# %s at %llx: %s\n",
		       ZydisMnemonicGetString(
			       (ZydisMnemonic)record->inst->mnemonic),
		       (unsigned long long)record->inst->address, what);
}

/* Whether a reference lies in an access that Zydis tells, and the bytes of both
 * are the same in number. */
static void check_oracle(const struct x86_record *record,
			 const struct x86_reference *list,
			 const struct x86_access *access, size_t count)
{
	const struct x86_inst *inst = record->inst;
	uint64_t told = 0, expected = 0;

	if (inst->class == X86_CLASS_STATE ||
	    inst->class == X86_CLASS_NOTHING ||
	    inst->mnemonic == ZYDIS_MNEMONIC_ENTER)
		return;
	for (unsigned i = 0; i < record->references; i++) {
		uint64_t size = (uint64_t)list[i].count * list[i].size;
		bool within = false;

		told += size * (list[i].direction == X86_MODIFY ? 2 : 1);
		for (size_t k = 0; k < count; k++)
			within |= list[i].address - access[k].address <=
					  access[k].size - size &&
				  size <= access[k].size &&
				  (access[k].read ||
				   !(list[i].direction & X86_LOAD)) &&
				  (access[k].write ||
				   !(list[i].direction & X86_STORE));
		if (!within)
			complain(record, "a reference beyond its operands");
	}
	for (size_t k = 0; k < count; k++)
		expected += access[k].size * (access[k].read +
					      access[k].write);
	for (unsigned i = 0; i < inst->memory_count; i++)
		if (inst->memory[i].conditional)
			return;
	if (told != expected && !record->unfinished)
		complain(record, "another number of bytes than its operands");
}

static void check_record(const struct x86_record *record, uint64_t rip)
{
	uint64_t behind = record->inst->address + record->inst->length;

	if (record->inst->address != rip)
		complain(record, "it is not where execution was");
	if (!record->inst->branch && record->next != behind &&
	    !record->unfinished)
		complain(record, "not a branch, and goes elsewhere");
	if (!record->taken && record->next != behind && !record->unfinished)
		complain(record, "not taken, and goes elsewhere");
	if (record->taken && record->inst->target &&
	    record->next != record->inst->target)
		complain(record, "goes elsewhere than its target");
}

/* ---- Records and stretches ---- */

static void tell(uint64_t value)
{
	uint64_t hash = state.hash;

	state.hash = state.told;
	mix(value);
	state.told = state.hash;
	state.hash = hash;
}

static void tell_instruction(const struct x86_record *record,
			     const struct x86_reference *list)
{
	tell(record->inst->address);
	tell(record->next << 2 | record->taken << 1 | record->unfinished);
	for (unsigned i = 0; i < record->references; i++) {
		tell(list[i].address);
		tell((uint64_t)list[i].count << 32 | list[i].size << 8 |
		     list[i].direction);
	}
}

/* The records that a stretch stands for. */
static uint64_t check_stretch(const struct x86_stretch *stretch, uint64_t rip)
{
	const struct x86_outline *outline = stretch->outline;
	const struct x86_reference *list = stretch->reference;

	for (unsigned i = 0; i < stretch->count; i++) {
		unsigned at = stretch->start + i;
		const struct x86_inst *inst = outline->inst + at;
		bool last = i + 1 == stretch->count;
		uint64_t behind = inst->address + inst->length;
		struct x86_record record = {
			.inst = inst, .next = last ? stretch->next : behind,
			.references = (uint16_t)(stretch->mark[i] - list),
			.taken = last && stretch->taken,
			.unfinished = stretch->unfinished,
		};

		check_record(&record, rip);
		if (record.references && !(outline->touches >> at & 1))
			complain(&record, "it touches memory");
		if (behind != outline->inst->address + outline->part[at].end)
			complain(&record, "it ends elsewhere");
		tell_instruction(&record, list);
		list = stretch->mark[i];
		rip = record.next;
		state.observed++;
	}
	return rip;
}

/* ---- Wrong paths, held stores ---- */

static unsigned next_random(void)
{
	state.random = state.random * 1664525 + 1013904223;
	return state.random >> 14; /* the lower bits repeat soon */
}

/* No wrong path may need the host's help: this program is linked so that its
 * calls come here. */
enum x86_outcome __real_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep);
enum x86_outcome __wrap_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep);

enum x86_outcome __wrap_x86_host_fault(struct x86_cpu *cpu,
				       const struct host_fault *fault,
				       bool keep)
{
	if (x86_speculating(cpu)) {
		state.broken++;
		printf("# a host signal on a wrong path\n");
	}
	return __real_x86_host_fault(cpu, fault, keep);
}

static void mix_region(void *owner, const struct space_region *region)
{
	struct x86_cpu *cpu = owner;
	uint64_t words[SPACE_PAGE / 8];

	if (!(region->protection & SPACE_WRITE))
		return;
	for (uint64_t at = region->start; at < region->end; at += SPACE_PAGE) {
		if (space_read(cpu->space, at, words, sizeof words))
			continue;
		for (unsigned i = 0; i < SPACE_PAGE / 8; i++)
			mix(words[i]);
	}
}

/* Of registers, and with `all` of memory that can be written. */
static uint64_t hash_of(struct x86_cpu *cpu, bool all)
{
	uint64_t hash = state.hash, stops = state.stops, result;

	note_stop(cpu, X86_STOP_QUANTUM);
	if (all)
		space_visit(cpu->space, mix_region, cpu);
	result = state.hash;
	state.hash = hash;
	state.stops = stops;
	return result;
}

/* Some paths to where execution has been, behind here, and anywhere. */
static void go_wrong(struct x86_cpu *cpu)
{
	bool all = state.paths++ % 1000 == 0;
	uint64_t before = hash_of(cpu, all), start = x86_instructions(cpu);
	unsigned kind = next_random() % 8, level;
	uint64_t target = kind < 5 ? state.place[next_random() % 64]
			  : kind < 7 ? cpu->rip + next_random() % 64
				     : next_random() * UINT64_C(0x10001);

	state.place[next_random() % 64] = cpu->rip;
	level = x86_speculate_begin(cpu, target);
	for (unsigned i = next_random() % 4; i <= 4; i++) {
		if (i & 1)
			x86_step(cpu, state.ring, 0);
		else
			x86_observe(cpu, state.ring, 20, 0);
		if (i == 3)
			x86_speculate_begin(cpu, state.place[i]);
	}
	state.wrong += x86_instructions(cpu) - start;
	x86_speculate_end(cpu, level);
	state.ring->tail = state.ring->head;
	if (hash_of(cpu, all) != before) {
		printf("# a wrong path to %llx left something behind\n",
		       (unsigned long long)target);
		state.broken++;
	}
}

enum x86_stop __wrap_x86_run(struct x86_cpu *cpu, uint64_t instructions)
{
	uint64_t end = x86_instructions(cpu) + instructions;
	struct x86_ring *ring = state.ring;
	enum x86_stop stop = X86_STOP_QUANTUM;
	bool observe = state.mode != PLAIN && state.observed < state.limit;

	if (state.inside)
		return __real_x86_run(cpu, instructions);
	if (!observe) {
		stop = __real_x86_run(cpu, instructions);
		note_stop(cpu, stop);
		return stop;
	}
	state.inside = true;
	while (stop == X86_STOP_QUANTUM && x86_instructions(cpu) < end) {
		struct x86_access access[X86_ACCESSES_MAX];
		uint64_t rip = cpu->rip;
		size_t count = 0;

		if (state.mode == STEPS) {
			count = x86_accesses(cpu, access);
			stop = x86_step(cpu, ring, 0);
		} else {
			uint64_t left = end - x86_instructions(cpu);

			if (state.mode == WRONG && left > 80)
				left = 10 + next_random() % 64;
			if (state.mode == HELD) {
				x86_stores_hold(cpu, true);
				left = left > 100 ? 100 : left;
			}
			stop = x86_observe(cpu, ring, left, 0);
		}
		for (; state.mode == STRETCHES && ring->tail != ring->head;
		     ring->tail++)
			rip = check_stretch(
				&ring->stretch[ring->tail & ring->mask], rip);
		for (; ring->tail != ring->head; ring->tail++) {
			const struct x86_record *record =
				&ring->record[ring->tail & ring->mask];

			check_record(record, rip);
			tell_instruction(record,
					 ring->reference + record->first);
			if (state.mode == STEPS)
				check_oracle(record,
					     ring->reference + record->first,
					     access, count);
			rip = record->next;
			state.observed++;
		}
		if (stop == X86_STOP_QUANTUM && cpu->rip != rip) {
			printf("# rip is %llx, not %llx\n",
			       (unsigned long long)cpu->rip,
			       (unsigned long long)rip);
			state.broken++;
		}
		if (state.mode == WRONG && stop == X86_STOP_QUANTUM)
			go_wrong(cpu);
		if (state.mode == HELD)
			x86_stores_publish(cpu, next_random() % 64);
	}
	state.inside = false;
	/* Whoever sees memory from outside sees all stores. */
	if (state.mode == HELD)
		x86_stores_hold(cpu, false);
	note_stop(cpu, stop);
	return stop;
}

/* ---- Programs ---- */

struct outcome {
	uint64_t stops, hash, told, instructions, observed, wrong;
	int exit_status;
	unsigned broken;
	char output[4096];
};

static struct outcome run(const char *path, enum mode mode)
{
	const char *argv[] = { path, "1", NULL }, *envp[] = { NULL };
	char output[] = "/tmp/m2s-test-step-XXXXXX";
	int file = mkstemp(output);
	struct linux_program program = {
		.path = path, .argv = argv, .envp = envp,
		.standard = { open("/dev/null", O_RDONLY), file, 2 },
	};
	struct linux_options options = { .pause_at = ALL };
	struct linux_result result = { 0 };
	struct outcome outcome = { 0 };
	struct linux_system *system;
	struct error error;

	memset(&state, 0, sizeof state);
	state.mode = mode;
	state.ring = mode == STRETCHES ? x86_ring_create_stretches(1024)
				       : x86_ring_create(1024);
	state.limit = mode == STEPS || mode == WRONG ? STEPPED : OBSERVED;
	system = linux_create(&options, &error);
	if (!system || linux_load(system, &program, &error) < 0 ||
	    linux_run(system, &result, &error))
		CU_FAIL("the program does not run");
	linux_free(system);
	x86_ring_free(state.ring);
	outcome.stops = state.stops;
	outcome.hash = state.hash;
	outcome.told = state.told;
	outcome.observed = state.observed;
	outcome.broken = state.broken;
	outcome.wrong = state.wrong;
	outcome.instructions = result.instructions;
	outcome.exit_status = result.exit_status;
	if (pread(file, outcome.output, sizeof outcome.output - 1, 0) < 0)
		CU_FAIL("no output");
	close(file);
	close(program.standard[0]);
	unlink(output);
	return outcome;
}

/* Compiles one of the programs beside this file; false when there is no such
 * compiler. */
static bool compile(const char *source, const char *options, const char *path)
{
	const char *top = getenv("top_srcdir"), *compiler = getenv("CC");
	char command[512];

	snprintf(command, sizeof command,
		 "%s -O2 -static %s -o %s %s/tests/x86/bench/%s.c -lm "
		 "2>/dev/null", compiler ? compiler : "gcc", options, path,
		 top ? top : "..", source);
	return system(command) == 0;
}

static void check_program(const char *source, const char *options)
{
	char path[] = "/tmp/m2s-test-step-XXXXXX";
	struct outcome plain, other, batches;

	close(mkstemp(path));
	if (!compile(source, options, path)) {
		printf("# skipped: %s %s is not compiled here\n", source,
		       options);
		unlink(path);
		return;
	}
	chmod(path, 0755);
	plain = run(path, PLAIN);
	CU_ASSERT(plain.stops > 2);
	for (enum mode mode = BATCHES; mode < MODES; mode++) {
		other = run(path, mode);
		printf("# %s %s: %llu instructions, %llu observed, %llu on "
		       "wrong paths, %llu stops\n", source, options,
		       (unsigned long long)other.instructions,
		       (unsigned long long)other.observed,
		       (unsigned long long)other.wrong,
		       (unsigned long long)other.stops);
		if (mode == BATCHES)
			batches = other;
		CU_ASSERT(mode != STRETCHES || other.told == batches.told);
		CU_ASSERT(mode != STRETCHES ||
			  other.observed == batches.observed);
		CU_ASSERT(mode != WRONG || other.wrong > 1000);
		CU_ASSERT(other.observed > 1000);
		CU_ASSERT_EQUAL(other.broken, 0);
		CU_ASSERT_EQUAL(other.stops, plain.stops);
		CU_ASSERT_EQUAL(other.hash, plain.hash);
		CU_ASSERT_EQUAL(other.instructions, plain.instructions);
		CU_ASSERT_EQUAL(other.exit_status, plain.exit_status);
		CU_ASSERT_STRING_EQUAL(other.output, plain.output);
	}
	unlink(path);
}

static const char *const programs[] = {
	"quicksort", "sha256", "strings", "x87", "sse2-float", "system-calls",
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static void test_64(void)
{
	for (int i = 0; i < PROGRAMS; i++)
		check_program(programs[i], "-m64");
}

static void test_32(void)
{
	for (int i = 0; i < PROGRAMS; i++)
		check_program(programs[i], "-m32 -msse2");
}

static CU_TestInfo tests[] = {
	{ "64-bit programs", test_64 },
	{ "32-bit programs", test_32 },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "x86 step, programs", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
