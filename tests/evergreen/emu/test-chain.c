/* Chains of native code: what they leave out of the interpreter's steps nobody
 * can see. Figures, limits and faults are the interpreter's, on every host
 * instruction set that has native code and with any number of threads.
 * Arguments: number of random programs, first seed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/program.h"
#include "evergreen/emu/structured.h"
#include "unit/harness.h"

static struct tree_range programs = { .count = 250, .first_seed = 100001 };

/* Instruction sets for native code, as many as the host has. */
static const struct evg_simd *const natives[] = {&evg_simd_v3, &evg_simd_v4};

static unsigned native_count(void)
{
	const struct evg_simd *best = evg_simd_best();

	return best == &evg_simd_v4 ? 2 : best == &evg_simd_v3;
}

/* --- The same as the interpreter ------------------------------------------ */

/* What a run came to. */
struct outcome {
	struct program_figures figures;
	struct error error;
	uint32_t *result;
	bool limited;
};

static struct outcome run(const struct evg_program *program,
			  const struct program_run *how)
{
	struct outcome outcome;
	struct program_run run = *how;

	memset(&outcome, 0, sizeof outcome);
	run.figures = &outcome.figures;
	outcome.result = program_run(program, &run);
	snprintf(outcome.error.text, sizeof outcome.error.text, "%s",
		 run.error.text);
	outcome.limited = run.limited;
	return outcome;
}

static bool same(const struct outcome *a, const struct outcome *b,
		 uint32_t items, bool figures)
{
	if (!a->result != !b->result || a->limited != b->limited ||
	    strcmp(a->error.text, b->error.text))
		return false;
	if (a->result && memcmp(a->result, b->result, 16 * (size_t)items))
		return false;
	/* With a fault other work-groups may have come further. */
	return !figures || !memcmp(&a->figures, &b->figures, sizeof a->figures);
}

/* Runs the program so, as native code and interpreted; returns how many
 * instructions that were, 0 when there was a difference. */
static uint64_t compare(const struct evg_program *program,
			const struct program_run *how, const char *what)
{
	struct program_run wanted = *how, native = *how;
	uint32_t items = how->groups * how->local;
	struct outcome first, other;
	uint64_t instructions;

	wanted.interpreted = true;
	wanted.simd = &evg_simd_v2;
	wanted.threads = 1;
	first = run(program, &wanted);
	instructions = first.figures.stats.instructions;
	for (unsigned i = 0; i < native_count() && instructions; i++) {
		native.simd = natives[i];
		other = run(program, &native);
		if (!same(&first, &other, items,
			  first.result || native.threads < 2)) {
			printf("# %s, %u bytes, %u threads: '%s' '%s', %llu "
			       "and %llu instructions\n",
			       what, natives[i]->vector_bytes, native.threads,
			       first.error.text, other.error.text,
			       (unsigned long long)instructions,
			       (unsigned long long)
				   other.figures.stats.instructions);
			instructions = 0;
		}
		free(other.result);
	}
	free(first.result);
	return instructions;
}

/* --- Random structured programs ------------------------------------------- */

static struct evg_program *random_program(unsigned seed)
{
	char *directives, *body, *functions;
	struct evg_program *program;
	struct error error;
	struct tree tree;

	tree_random(&tree, seed);
	tree_write(&tree, &directives, &body, &functions);
	program = program_assemble(directives, body, functions, &error);
	if (!program)
		printf("# seed %u: %s\n", seed, error.text);
	free(directives);
	free(body);
	free(functions);
	tree_free(&tree);
	return program;
}

static bool random_agrees(unsigned seed)
{
	static const uint32_t locals[] = {64, 37, 100, 256, 5, 13};
	struct evg_program *program = random_program(seed);
	struct program_run how = {
	    .groups = 3,
	    .local = locals[seed % 6],
	    .threads = 1 + seed % 3,
	};
	uint32_t random = seed * 2654435761u;
	uint64_t all, each;
	bool good;
	char what[64];

	snprintf(what, sizeof what, "seed %u", seed);
	all = program ? compare(program, &how, what) : 0;
	each = all / 3;
	good = all;
	/* Somewhere in the middle: of all, and of a work-group. */
	for (int i = 0; good && i < 3; i++) {
		random = random * 1664525 + 1013904223;
		how.max_instructions = 1 + (random >> 8) % all;
		good = compare(program, &how, what);
	}
	how.max_instructions = 0;
	for (int i = 0; good && i < 2; i++) {
		random = random * 1664525 + 1013904223;
		how.max_group_instructions = 1 + (random >> 8) % each;
		good = compare(program, &how, what);
	}
	evg_program_free(program);
	return good;
}

static void test_random(void)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < programs.count && bad < 5; i++)
		bad += !random_agrees(programs.first_seed + i);
	CU_ASSERT_EQUAL(bad, 0);
}

/* --- Where chains are ----------------------------------------------------- */

/* Nested loops with breaks and continues; every lane goes another way. */
static const char nested[] =
    "	ALU:\n"
    "0 x: AND_INT R2.x, R0.x, 15\n"
    "  y: MOV R2.y, 0.0f\n"
    "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@end)\n"
    "@outer:\n"
    "	ALU_BREAK:\n"
    "0 x: PREDNE_INT ____, R2.x, 0.0f UPDATE_EXEC_MASK\n"
    "	ALU:\n"
    "0 x: SUB_INT R2.x, R2.x, 1\n"
    "  z: MOV R2.z, R2.x\n"
    "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@after)\n"
    "@inner:\n"
    "	ALU_PUSH_BEFORE:\n"
    "0 x: PREDE_INT ____, R2.z, 0.0f UPDATE_EXEC_MASK\n"
    "	JUMP POP_CNT(1) ADDR(@stay)\n"
    "	LOOP_BREAK ADDR(@last)\n"
    "	POP (1)\n"
    "@stay:\n"
    "	ALU_PUSH_BEFORE:\n"
    "0 y: AND_INT R3.y, R2.z, 1\n"
    "  z: SUB_INT R2.z, R2.z, 1\n"
    "1 x: PREDNE_INT ____, PV0.y, 0.0f UPDATE_EXEC_MASK\n"
    "	JUMP POP_CNT(0) ADDR(@other)\n"
    "	ALU_ELSE_AFTER:\n"
    "0 y: ADD_INT R2.y, R2.y, 1\n"
    "	CONTINUE ADDR(@last)\n"
    "	POP (1)\n"
    "	JUMP POP_CNT(0) ADDR(@on)\n"
    "@other:\n"
    "	ELSE POP_CNT(1) ADDR(@on)\n"
    "	POP (1)\n"
    "@on:\n"
    "	ALU:\n"
    "0 y: ADD_INT R2.y, R2.y, 0x100\n"
    "@last:\n"
    "	ENDLOOP i0 PASS_JUMP_ADDR(@inner)\n"
    "@after:\n"
    "	ENDLOOP i0 PASS_JUMP_ADDR(@outer)\n"
    "@end:\n"
    "	NOP\n";

static struct evg_program *program_of(const char *directives, const char *body)
{
	struct error error;
	struct evg_program *program =
	    program_assemble(directives, body, "", &error);

	if (!program)
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	return program;
}

/* The CF instructions that have chains, how many there are, and the loops whose
 * rows stay in registers. */
static unsigned chains_of(const struct evg_program *program, unsigned *cfs,
			  unsigned *regions)
{
	struct evg_memory *memory = evg_memory_create(1 << 16, NULL);
	uint8_t arguments[PROGRAM_DATA_FIRST * 4 + 4 * PROGRAM_DATA] = {0};
	struct evg_launch launch = {
	    .kernel = &program->kernels[0],
	    .memory = memory,
	    .work_dim = 1,
	    .global_size = {64, 1, 1},
	    .local_size = {64, 1, 1},
	    .arguments = arguments,
	};
	struct evg_ndrange *ndrange =
	    evg_ndrange_create_for(&launch, evg_simd_best(), NULL);
	const struct evg_plan *plan = ndrange->plan;
	unsigned chains = 0;

	evg_native_compile(ndrange->plan);
	*cfs = 0;
	*regions = plan->native ? plan->native->region_count : 0;
	for (uint32_t i = 0; i < plan->cf_count; i++) {
		*cfs += plan->cf[i].cf != NULL;
		chains += plan->cf[i].chain != NULL;
	}
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	return chains;
}

/* All of it is native but its end, and all of it does the same. */
static void test_nested(void)
{
	struct evg_program *program = program_of(".stack 4\n", nested);
	unsigned cfs, regions, chains = chains_of(program, &cfs, &regions);

	CU_ASSERT(!native_count() || (chains == cfs - 1 && regions == 1));
	for (uint64_t limit = 0; limit < 400; limit++) {
		const struct program_run how = {
		    .groups = 2,
		    .local = 80,
		    .threads = 1,
		    .max_instructions = limit,
		};

		CU_ASSERT(compare(program, &how, "nested"));
	}
	evg_program_free(program);
}

/* An instruction that is reached with one frame on the stack and with two: the
 * second work-group's lanes jump all of them. */
static void test_two_stacks(void)
{
	struct evg_program *program = program_of(
	    ".stack 4\n", "	ALU_PUSH_BEFORE:\n"
			  "0 x: MOV R2.x, R0.x\n"
			  "1 x: PREDE_INT ____, R1.x, 0.0f UPDATE_EXEC_MASK\n"
			  "	JUMP POP_CNT(0) ADDR(@both)\n"
			  "	ALU_PUSH_BEFORE:\n"
			  "0 y: AND_INT R3.y, R0.x, 4\n"
			  "1 x: PREDE_INT ____, PV0.y, 0.0f UPDATE_EXEC_MASK\n"
			  "@both:\n"
			  "	ALU:\n"
			  "0 x: ADD_INT R2.x, R2.x, 0x1000\n"
			  "	ELSE POP_CNT(1) ADDR(@end)\n"
			  "	ALU_POP_AFTER:\n"
			  "0 x: ADD_INT R2.x, R2.x, 0x20000\n"
			  "@end:\n"
			  "	ALU:\n"
			  "0 x: ADD_INT R2.x, R2.x, 0x300000\n");
	const struct program_run how = {.groups = 3, .local = 64, .threads = 1};

	CU_ASSERT(compare(program, &how, "two stacks"));
	evg_program_free(program);
}

/* A lane's register index goes wrong in the fifth round of a loop. */
static void test_fault(void)
{
	struct evg_program *program =
	    program_of(".stack 4\n.registers 12\n",
		       "	ALU:\n"
		       "0 x: MOV R2.x, 0.0f\n"
		       "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@end)\n"
		       "@top:\n"
		       "	ALU_BREAK:\n"
		       "0 x: PREDNE_INT ____, R2.x, R0.x UPDATE_EXEC_MASK\n"
		       "	ALU:\n"
		       "0 x: ADD_INT R2.x, R2.x, 1\n"
		       "1 x: MOVA_INT ____, R2.x\n"
		       "2 y: MOV R2.y, R[7+AR].x\n"
		       "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n"
		       "@end:\n"
		       "	NOP\n");

	for (unsigned threads = 1; threads <= 3; threads++) {
		const struct program_run how = {
		    .groups = 4, .local = 64, .threads = threads};

		CU_ASSERT(compare(program, &how, "fault"));
	}
	evg_program_free(program);
}

/* --- Rows in registers ---------------------------------------------------- */

/* Some lanes go round a loop, each as often as its number says; others have
 * integers in the same registers, which look like NaNs. Values overflow and
 * become NaNs, of either sign, some lanes' in a branch. */
static const char number_values[] =
    "	ALU:\n"
    "0 x: OR_INT R2.x, R0.x, 0xffc00100\n"
    "  y: AND_INT R2.y, R0.x, 1\n"
    "  z: OR_INT R2.z, R0.x, 0xffffff00\n"
    "  w: %s\n"
    "1 t: INT_TO_FLT R2.y, PV0.y\n"
    "  w: ADD_INT R2.w, PV0.w, %u\n";
static const char some_lanes[] =
    "	ALU_PUSH_BEFORE:\n"
    "0 x: AND_INT R5.x, R0.x, %u\n"
    "1 x: PREDE_INT ____, PV0.x, %u UPDATE_EXEC_MASK\n"
    "	JUMP POP_CNT(1) ADDR(@end)\n";
static const char begin_numbers[] =
    "	ALU:\n"
    "0 x: MOV R2.x, 0x7e000000\n"
    "  z: MOV R2.z, 1.0f\n";
static const char number_loop[] =
    "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@after)\n"
    "@top:\n"
    "	ALU_BREAK:\n"
    "0 x: PREDNE_INT ____, R2.w, 0.0f UPDATE_EXEC_MASK\n"
    "	ALU:\n"
    "0 x: MULADD_e R2.x, R2.x, 0xc1200000, R2.z\n"
    "  w: SUB_INT R2.w, R2.w, 1\n"
    "1 y: MOV R5.y, PV0.x\n"
    "  z: MULADD_e R2.z, PV0.x, R2.y, R2.z\n"
    "	ALU_PUSH_BEFORE:\n"
    "0 x: %s UPDATE_EXEC_MASK\n"
    "	JUMP POP_CNT(1) ADDR(@on)\n"
    "	ALU_POP_AFTER:\n"
    "0 x: MULADD_e R2.x, R2.x, 0x7e000000, -R5.y\n"
    "@on:\n"
    "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n"
    "@after:\n"
    "	POP (1)\n"
    "@end:\n";

/* At every limit, by lanes of several vectors, of one, and all there are. */
static void same_everywhere(const char *body, const char *what)
{
	static const uint32_t locals[] = {64, 43, 13, 5};
	struct evg_program *program =
	    program_of(".stack 4\n.registers 8\n", body);
	unsigned cfs, regions;

	chains_of(program, &cfs, &regions);
	CU_ASSERT(!native_count() || regions == 1);
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t limit = 0; limit < 900;
		     limit += limit < 120 ? 1 : 13) {
			const struct program_run how = {
			    .groups = 1,
			    .local = locals[i],
			    .threads = 1,
			    .max_instructions = limit,
			};

			CU_ASSERT(compare(program, &how, what));
		}
	evg_program_free(program);
}

/* The lanes with these bits in their numbers, what makes the rounds of their
 * number, how many more all do, and what makes them take the branch. */
struct numbers {
	unsigned mask, bits;
	const char *rounds;
	unsigned more;
	const char *branch;
};

/* `begin`: what comes between the branch and the loop. Twice: a loop around it
 * is the region then, which all lanes are in. */
static void test_numbers_with(const struct numbers *n, const char *begin)
{
	static const char outer_begin[] =
	    "	ALU:\n"
	    "0 w: MOV R5.w, 3\n"
	    "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@last)\n"
	    "@first:\n"
	    "	ALU_BREAK:\n"
	    "0 w: SUB_INT R5.w, R5.w, 1\n"
	    "  z: AND_INT R5.z, R0.x, R5.w\n"
	    "1 x: PREDNE_INT ____, PV0.w, 0.0f UPDATE_EXEC_MASK\n"
	    "	ALU:\n"
	    "0 w: ADD_INT R2.w, R2.w, R5.z\n"
	    "  z: MULADD_e R2.z, R2.z, 0.5f, R2.x\n";
	static const char outer_end[] =
	    "	ENDLOOP i0 PASS_JUMP_ADDR(@first)\n"
	    "@last:\n";
	char values[512], branch[256], loop[1024], body[4096];

	snprintf(values, sizeof values, number_values, n->rounds, n->more);
	snprintf(branch, sizeof branch, some_lanes, n->mask, n->bits);
	snprintf(loop, sizeof loop, number_loop, n->branch);
	snprintf(body, sizeof body, "%s%s%s%s	NOP\n", values, branch, begin,
		 loop);
	same_everywhere(body, "numbers");
	snprintf(body, sizeof body, "%s%s%s%s%s%s	NOP\n", values,
		 outer_begin, branch, begin, loop, outer_end);
	same_everywhere(body, "numbers, nested");
}

/* Lanes begin with numbers, or with what looks like a NaN and must stay as it
 * is where nothing is written. */
static void test_numbers(void)
{
	/* Those of one host vector, the first of them no round; and spread
	 * over all, which are packed when they have gone round together for
	 * some time. */
	static const struct numbers numbers[] = {
	    {0x38, 0, "AND_INT R2.w, R0.x, 7", 0, "PREDGT ____, R2.x, 0.0f"},
	    {0x38, 24, "AND_INT R2.w, R0.x, 7", 0, "PREDGT ____, R2.x, 0.0f"},
	    {7, 3, "LSHR_INT R2.w, R0.x, 4", 14, "PREDGT_INT ____, 4, R2.w"},
	    {7, 3, "LSHR_INT R2.w, R0.x, 3", 14, "PREDGT ____, R2.x, 0.0f"},
	};

	for (unsigned i = 0; i < 4; i++) {
		test_numbers_with(&numbers[i], begin_numbers);
		test_numbers_with(&numbers[i], "");
	}
}

/* --- Predicates ----------------------------------------------------------- */

static unsigned pick(uint32_t *state, unsigned count)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 10) % count;
}

/* A source: one of eight channels, or a number. */
static void random_source(FILE *file, uint32_t *state)
{
	static const char *const constants[] = {"0.0f", "1", "-1", "1.0f"};

	if (!pick(state, 6))
		fprintf(file, ", %s", constants[pick(state, 4)]);
	else
		fprintf(file, ", %sR%u.%c", pick(state, 5) ? "" : "-",
			pick(state, 2) ? 2 : 5, "xyzw"[pick(state, 4)]);
}

/* One or two operations, each under the predicate, its opposite, or none. Two
 * may read what the other one writes. */
static void random_group(FILE *file, uint32_t *state, unsigned number)
{
	static const struct {
		const char *name;
		unsigned sources;
	} ops[] = {{"MULADD_e", 3}, {"MUL_e", 2}, {"ADD", 2},  {"MAX", 2},
		   {"MOV", 1},	    {"SETGT", 2}, {"CNDE", 3}, {"MIN_DX10", 2}};
	static const char *const predicates[] = {"", "(p) ", "(!p) ", "(!p) "};
	unsigned channel = pick(state, 3), slots = 1 + pick(state, 2);

	fprintf(file, "%u", number);
	for (unsigned i = 0; i < slots; i++) {
		unsigned op = pick(state, ARRAY_SIZE(ops));

		fprintf(file, " %c: %s%s R%u.%c", "xyzw"[channel + i],
			predicates[pick(state, 4)], ops[op].name,
			pick(state, 3) ? 2 : 5, "xyzw"[channel + i]);
		for (unsigned k = 0; k < ops[op].sources; k++)
			random_source(file, state);
		fprintf(file, "\n");
	}
}

/* A loop of predicated operations, each lane as often as its number says. */
static char *random_predicates(uint32_t state)
{
	unsigned groups = 4 + pick(&state, 14);
	size_t size;
	char *text;
	FILE *file = open_memstream(&text, &size);

	fprintf(file, "	ALU:\n"
		      "0 x: OR_INT R2.x, R0.x, 0xffc00100\n"
		      "  y: MOV R2.y, 0x7e000000\n"
		      "  z: MOV R2.z, R0.x\n"
		      "  w: AND_INT R6.w, R0.x, %u\n"
		      "1 x: MOV R5.x, 0xff000000\n"
		      "  y: MOV R5.y, 0x7fa00000\n"
		      "  z: NOT_INT R5.z, R0.x\n"
		      "  w: ADD_INT R6.w, PV0.w, %u\n"
		      "2 t: INT_TO_FLT R2.w, R0.x\n"
		      "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@end)\n"
		      "@top:\n"
		      "	ALU_BREAK:\n"
		      "0 x: PREDNE_INT ____, R6.w, 0.0f UPDATE_EXEC_MASK\n"
		      "	ALU:\n"
		      "0 w: SUB_INT R6.w, R6.w, 1\n"
		      "  z: XOR_INT R6.z, R0.x, R6.w\n"
		      "1 z: AND_INT R6.z, PV0.z, %u\n"
		      "2 x: PREDE_INT ____, R6.z, 0.0f UPDATE_PRED\n",
		pick(&state, 2) ? 3 : 0, 1 + pick(&state, 9),
		1 + pick(&state, 7));
	for (unsigned i = 0; i < groups; i++)
		random_group(file, &state, 3 + i);
	fprintf(file, "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n"
		      "@end:\n"
		      "	NOP\n");
	fclose(file);
	return text;
}

static void test_predicates(void)
{
	static const uint32_t locals[] = {64, 43, 13, 5};
	unsigned bad = 0;

	for (unsigned i = 0; i < programs.count && bad < 3; i++) {
		char *body = random_predicates(programs.first_seed + i);
		struct evg_program *program =
		    program_of(".stack 4\n.registers 8\n", body);
		const struct program_run how = {
		    .groups = 1, .local = locals[i % 4], .threads = 1};

		if (!compare(program, &how, "predicates")) {
			printf("%s", body);
			bad++;
		}
		evg_program_free(program);
		free(body);
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static bool stop_third(void *owner, uint64_t done, uint64_t total)
{
	int *calls = owner;

	(void)done, (void)total;
	return ++*calls >= 3;
}

/* Interrupted in a loop that only some lanes leave: what was counted adds up. */
static void test_stop(void)
{
	struct evg_program *program = program_of(
	    ".stack 4\n",
	    "	ALU:\n"
	    "0 x: AND_INT R2.x, R0.x, 31\n"
	    "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@end)\n"
	    "@top:\n"
	    "	ALU_BREAK:\n"
	    "0 x: PREDNE_INT ____, R2.x, 5 UPDATE_EXEC_MASK\n"
	    "	ALU_PUSH_BEFORE:\n"
	    "0 y: ADD_INT R2.y, R2.y, 1\n"
	    "1 x: PREDNE_INT ____, PV0.y, R0.x UPDATE_EXEC_MASK\n"
	    "	ALU_POP_AFTER:\n"
	    "0 z: ADD_INT R2.z, R2.z, 1\n"
	    "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n"
	    "@end:\n"
	    "	NOP\n");

	for (unsigned threads = 1; threads <= 3; threads++) {
		int calls = 0;
		const struct program_run how = {
		    .groups = 4,
		    .local = 64,
		    .threads = threads,
		    .max_group_instructions = UINT64_C(1) << 60,
		    .progress = stop_third,
		    .owner = &calls,
		};
		struct outcome outcome = run(program, &how);
		const struct program_figures *f = &outcome.figures;
		uint64_t sum = 0;

		CU_ASSERT(outcome.limited);
		CU_ASSERT_EQUAL(calls, 3);
		for (int lanes = 0; lanes <= EVG_WAVEFRONT_SIZE; lanes++)
			sum += f->divergence[lanes];
		CU_ASSERT_EQUAL(sum, f->stats.instructions);
		CU_ASSERT_EQUAL(f->stats.instructions,
				f->stats.cf_instructions +
				    f->stats.alu_groups + f->stats.fetches);
		CU_ASSERT(f->stats.instructions > 100000);
		free(outcome.result);
	}
	evg_program_free(program);
}

int main(int argc, char **argv)
{
	static CU_TestInfo tests[] = {
	    {"random programs: figures and limits", test_random},
	    {"nested loops, every limit", test_nested},
	    {"two stacks", test_two_stacks},
	    {"fault in a loop", test_fault},
	    {"stopped in a loop", test_stop},
	    {"rows in registers: numbers", test_numbers},
	    {"random operations under predicates", test_predicates},
	    CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
	    {"evergreen emu chains", NULL, NULL, NULL, NULL, tests},
	    CU_SUITE_INFO_NULL,
	};

	tree_range_read(&programs, argc, argv);
	return harness_run(suites);
}
