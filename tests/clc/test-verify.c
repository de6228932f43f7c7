/* The checks of finished binaries: a good one passes; one whose code does not
 * fit what it declares, or that has been damaged, does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/emu/machine.h"
#include "opencl-rt/clc/verify/verify.h"
#include "unit/harness.h"

/* compare.cl: many kernels; verify.cl: one with one of each thing. */
static struct clc_result compiled, one;
static uint32_t text_offset, text_size, one_offset, one_size;

/* Finds the program's text in the binary. */
static int find_text(const struct clc_result *result, uint32_t *offset,
		     uint32_t *size)
{
	struct error error;
	struct evg_program *program = evg_program_read(
		"test", result->binary, result->binary_size, &error);
	const char *found = NULL;

	if (program) {
		found = memmem(result->binary, result->binary_size,
			       program->text, program->text_size);
		*size = program->text_size;
	}
	if (found)
		*offset = (uint32_t)(found - (const char *)result->binary);
	evg_program_free(program);
	return found ? 0 : -1;
}

static int compile(const char *name, struct clc_result *result,
		   uint32_t *offset, uint32_t *size)
{
	*result = compile_file(name, "");
	if (result->status != CLC_DONE) {
		printf("# %s\n", result->log);
		return -1;
	}
	return find_text(result, offset, size);
}

static int setup(void)
{
	return compile("compare.cl", &compiled, &text_offset, &text_size) ||
	       compile("verify.cl", &one, &one_offset, &one_size);
}

static int teardown(void)
{
	clc_result_free(&compiled);
	clc_result_free(&one);
	return 0;
}

/* A copy with the word at `offset` changed. */
static char *changed(const struct clc_result *result, uint32_t offset,
		     uint32_t change)
{
	char *copy = xmalloc(result->binary_size);
	uint32_t word;

	memcpy(copy, result->binary, result->binary_size);
	memcpy(&word, copy + offset, sizeof word);
	word ^= change;
	memcpy(copy + offset, &word, sizeof word);
	return copy;
}

static bool passes(uint32_t offset, uint32_t change, struct error *error)
{
	char *copy = changed(&compiled, offset, change);
	bool good = !verify_binary("test", copy, compiled.binary_size, error);

	free(copy);
	return good;
}

static void test_good(void)
{
	struct error error = { "" };

	CU_ASSERT_TRUE(passes(text_offset, 0, &error));
	if (*error.text)
		printf("# %s\n", error.text);
}

/* The .AMDGPU.config words that hold the number of registers: made 1. */
static void test_registers(void)
{
	const uint8_t *bytes = compiled.binary;
	unsigned found = 0;
	struct error error;

	for (uint32_t at = 0; at + 8 <= compiled.binary_size; at += 4) {
		uint32_t words[2];

		memcpy(words, bytes + at, sizeof words);
		if (words[0] != 0x288d4 || (words[1] & 0xff) < 3)
			continue;
		CU_ASSERT_FALSE(passes(at + 4, (words[1] & 0xff) ^ 1, &error));
		CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "registers"));
		found++;
	}
	CU_ASSERT_TRUE(found > 5);
}

/* Single bits of the first kernel's control flow: many are errors, none a
 * crash. */
static void test_damage(void)
{
	unsigned refused = 0, tried = 0;
	struct error error;

	for (uint32_t at = 0; at < 64 && at < text_size; at += 4)
		for (unsigned bit = 0; bit < 32; bit++) {
			refused += !passes(text_offset + at, 1u << bit, &error);
			tried++;
		}
	printf("# %u of %u damaged binaries refused\n", refused, tried);
	CU_ASSERT_TRUE(refused > tried / 4);
}

/* --- What passes can be executed ----------------------------------------- */

enum { ITEMS = 64, DATA = 4096, MEMORY = 1 << 16, INSTRUCTIONS = 4000 };

/* What only data decide. */
static bool is_about_data(const char *text)
{
	static const char *const messages[] = {
		"at global address", "at local address",
		"of the kernel's arguments", "relative index", "scratch dword",
		"has not ended after", "barrier that not every",
	};

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++)
		if (strstr(text, messages[i]))
			return true;
	return false;
}

/* Runs the kernel of verify.cl on one work-group: "" or what went wrong. */
static void run(const struct evg_program *program, struct error *error)
{
	struct evg_memory *memory = evg_memory_create(1 << 24, error);
	uint32_t data = evg_memory_allocate(memory, MEMORY, false, "data");
	uint32_t arguments[16] = { 0 };
	struct evg_launch launch = {
		.kernel = &program->kernels[0],
		.memory = memory,
		.work_dim = 1,
		.global_size = { ITEMS, 1, 1 },
		.local_size = { ITEMS, 1, 1 },
		.arguments = (const uint8_t *)arguments,
		.local_memory = 4 * ITEMS,
	};
	const struct evg_run_options options = {
		.threads = 1,
		.interpreted = true,
		.max_group_instructions = INSTRUCTIONS,
	};
	struct evg_ndrange *ndrange;

	error->text[0] = '\0';
	arguments[9] = data;
	arguments[11] = 3;
	arguments[12] = data + DATA;
	ndrange = evg_ndrange_create(&launch, error);
	if (ndrange)
		evg_ndrange_run_options(ndrange, &options, error);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
}

/* Single bits of all of the code: whatever passes runs, or is stopped by an
 * address, an index or the limit of instructions. */
static void test_mutations(void)
{
	unsigned refused = 0, tried = 0, stopped = 0;

	for (uint32_t at = 0; at < one_size; at += 4)
		for (unsigned bit = at / 4 % 3; bit < 32; bit += 3) {
			struct error error = { "" };
			char *copy = changed(&one, one_offset + at, 1u << bit);
			struct evg_program *program;

			tried++;
			if (verify_binary("one", copy, one.binary_size, &error)) {
				refused++;
				free(copy);
				continue;
			}
			program = evg_program_read("one", copy,
						   one.binary_size, &error);
			CU_ASSERT_PTR_NOT_NULL_FATAL(program);
			run(program, &error);
			if (error.text[0] && !is_about_data(error.text)) {
				printf("# word %u bit %u: %s\n", at / 4, bit,
				       error.text);
				CU_FAIL("what passed cannot be executed");
			}
			stopped += error.text[0] != '\0';
			evg_program_free(program);
			free(copy);
		}
	printf("# of %u damaged kernels %u are refused and %u stopped\n",
	       tried, refused, stopped);
	CU_ASSERT_TRUE(refused > tried / 4);
}

/* --- What is refused ------------------------------------------------------ */

#define CONDITION "0 x: PREDE_INT ____, R0.x, 0.0f UPDATE_EXEC_MASK\n"
#define BRANCH "ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(1) ADDR(@end)\n"
#define WORK "ALU:\n0 x: ADD_INT R0.x, R0.x, 1\n"
#define SAVE "ALU_PUSH_BEFORE:\n0 x: MOV R0.x, R1.x\n"
#define LOOP "LOOP_DX10 i0 FAIL_JUMP_ADDR(@out)\n@top:\n"
#define LEAVE                                                                  \
	"ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(1) ADDR(@stay)\n"         \
	"LOOP_BREAK ADDR(@stay)\nPOP (1)\n@stay:\n"
/* Of R0.x, at the index in R2.x, which WRITE writes first. */
#define STORE                                                                  \
	"MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R2].x___, R0, ARRAY_SIZE(4095)\n"
#define WRITE "ALU:\n0 x: MOV R2.x, 1\n"
#define ENDLOOP "ENDLOOP i0 PASS_JUMP_ADDR(@top)\n@out:\n"

static const struct {
	const char *body, *message; /* NULL: it passes */
} programs[] = {
	{ WORK, NULL },
	{ BRANCH WORK "POP (1)\n@end:\n", NULL },
	{ "ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(0) ADDR(@else)\n" WORK
	  "@else:\nELSE POP_CNT(1) ADDR(@end)\n" WORK "POP (1)\n@end:\n",
	  NULL },
	{ LOOP LEAVE ENDLOOP, NULL },
	/* Branches */
	{ BRANCH WORK "@end:\n", "the stack at" },
	{ BRANCH WORK "POP (2)\n@end:\n", "pops a mask that nothing" },
	{ "POP (1)\n", "pops a mask that nothing" },
	{ "ALU_POP_AFTER:\n0 x: MOV R0.x, R1.x\n", "pops a mask" },
	{ "ELSE POP_CNT(0) ADDR(@end)\n@end:\n", "ELSE at 0 without" },
	{ "JUMP POP_CNT(0) ADDR(@end)\n@end:\n", "follows no clause that" },
	{ "ALU:\n" CONDITION "JUMP POP_CNT(0) ADDR(@end)\n" WORK "@end:\n",
	  "a mask that is not saved" },
	{ "ALU_PUSH_BEFORE:\n" CONDITION WORK "POP (1)\n",
	  "no JUMP follows" },
	{ "ALU_PUSH_BEFORE:\n0 x: PREDE_INT ____, R0.x, 0.0f UPDATE_PRED\n"
	  "JUMP POP_CNT(1) ADDR(@end)\n" WORK "POP (1)\n@end:\n",
	  "takes lanes out" },
	{ "ALU_PUSH_BEFORE:\n" CONDITION "1 x: MOV R0.x, R1.x\n"
	  "JUMP POP_CNT(1) ADDR(@end)\nPOP (1)\n@end:\n",
	  "stands behind the condition" },
	{ "@back:\n" BRANCH "POP (1)\n" "ALU_PUSH_BEFORE:\n" CONDITION
	  "JUMP POP_CNT(1) ADDR(@back)\nPOP (1)\n@end:\n", "goes back to" },
	{ SAVE SAVE SAVE SAVE SAVE SAVE SAVE "POP (7)\n", NULL },
	{ SAVE SAVE SAVE SAVE SAVE SAVE SAVE SAVE "POP (7)\nPOP (1)\n",
	  "more than the 2 entries of stack" },
	{ SAVE, "ends at 1 with masks on the stack" },
	{ BRANCH "NOP\nEND_OF_PROGRAM\n@end:\n", "with masks on the stack" },
	/* Loops */
	{ LOOP WORK, "label @out is not defined" },
	{ "LOOP_DX10 i0 FAIL_JUMP_ADDR(@out)\n" WORK "@out:\n",
	  "the stack at" },
	{ "@top:\nENDLOOP i0 PASS_JUMP_ADDR(@top)\n@out:\n", "ends no loop" },
	{ LOOP LEAVE "@out:\nENDLOOP i0 PASS_JUMP_ADDR(@top)\n",
	  "the stack at" },
	{ LOOP WORK "@late:\n" LEAVE "ENDLOOP i0 PASS_JUMP_ADDR(@late)\n@out:\n",
	  "and the loop that began" },
	{ LOOP LEAVE "NOP\nEND_OF_PROGRAM\n@out:\n", "masks on the stack" },
	{ LOOP LEAVE "ENDLOOP i0 PASS_JUMP_ADDR(@top) POP_COUNT=1\n@out:\n",
	  "pops 1 masks" },
	{ LOOP WORK BRANCH ENDLOOP "POP (1)\n@end:\n", "ends no loop" },
	{ "LOOP_BREAK ADDR(@end)\n@end:\n", "outside of a loop" },
	{ LOOP "ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(1) ADDR(@stay)\n"
	  "LOOP_BREAK ADDR(@out)\nPOP (1)\n@stay:\n" ENDLOOP,
	  "but its loop ends at" },
	{ "LOOP i0 FAIL_JUMP_ADDR(@out)\n@top:\n" LEAVE ENDLOOP,
	  "LOOP_START at 0 in a compute kernel" },
	{ "LOOP_NO_AL i0 FAIL_JUMP_ADDR(@out)\n@top:\n" LEAVE ENDLOOP,
	  "which no kernel needs" },
	{ "JUMP POP_CNT(0) ADDR(@end) COND(b0)\n@end:\n",
	  "depends on a boolean constant" },
	{ "CALL ADDR(@f)\n@f:\n", "which no kernel needs" },
	{ "ALU:\n0 x: KILLE ____, R0.x, R1.x\n", "not supported" },
	/* Registers and constants */
	{ "ALU:\n0 x: MOV R3.x, R4.x\n", "uses R4, but the kernel declares 4" },
	{ "ALU:\n0 x: MOVA_INT ____, R0.x\n1 x: MOV R[4+AR].x, R0.x\n",
	  "uses R4, but" },
	{ "ALU:\n0 x: MOV R[1+AR].x, R0.x\n", "uses AR, which its clause" },
	/* Arrays in registers: a read of the element beside its store or, as
	 * PV, right behind it. */
	{ "ALU:\n0 x: MOVA_INT ____, R0.x\n1 x: MOV R[1+AR].x, R0.x\n"
	  "y: MOV R0.y, R0.z\n2 x: MOV R0.x, R1.x\n", NULL },
	{ "ALU:\n0 x: MOVA_INT ____, R0.x\n1 x: MOV R[1+AR].x, R0.x\n"
	  "y: MOV R0.y, R1.x\n", "may use its former contents" },
	{ "ALU:\n0 x: MOVA_INT ____, R0.x\n1 x: MOV R[1+AR].x, R0.x\n"
	  "2 y: MOV R0.y, PV.x\n", "may use its former contents" },
	{ "ALU:\n0 x: MOV R[1+aL].x, R0.x\n", "index mode 4" },
	{ "ALU:\n0 x: MOV R2.x, MASK_LO\n", "neither a register nor" },
	{ "ALU:\n0 x: MOV R2.x, PV.y\n", "a PV or PS that there is not" },
	{ "ALU:\n0 x: MOV R2.x, QA.pop\n", "an empty queue" },
	{ "ALU:\n0 x: LDS_WRITE R0.x, R1.x\n", "no local memory" },
	{ "ALU: KCACHE0(CB1:0-15)\n0 x: MOV R2.x, KC0[0].x\n",
	  "constant buffer 1; there is only 0" },
	{ "ALU: KCACHE0(CB0:aL+0-31)\n0 x: MOV R2.x, KC0[0].x\n",
	  "moves with aL" },
	{ "ALU: KCACHE0(CB0:0-15)\n0 x: MOV R2.x, KC0[15].x\n",
	  "of constant buffer 0, which has" },
	{ "ALU: KCACHE0(CB0:0-15) KCACHE2(CB0:0-15)\n"
	  "0 x: MOV R2.x, KC0[0].x\n", "ALU_EXTENDED" },
	{ "ALU:\n0 x: SET_MODE R0.x, R0.x\n", "SET_MODE at" },
	/* Groups */
	{ "ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n"
	  "y: ADD_INT R2.y, R2.x, R0.x VEC_201\n", NULL },
	{ "ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n"
	  "y: ADD_INT R2.y, R2.x, R0.x\n", "breaks a rule: ports" },
	{ "ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n"
	  "t: MULLO_INT R2.y, R2.x, 2\n", NULL },
	{ "ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n"
	  "t: MULLO_INT R2.y, R2.x, 2 SCL_122\n", "breaks a rule: ports" },
	{ "ALU:\n0 x: ADD_INT R2.x, R0.x, R1.x\n"
	  "t: MULLO_INT R2.y, R2.x, 2 SCL_212\n", NULL },
	{ "ALU: KCACHE0(CB0:0-15)\n0 x: ADD_INT R2.x, KC0[0].x, KC0[1].x\n"
	  "y: MOV R2.y, KC0[1].y\n", NULL },
	{ "ALU: KCACHE0(CB0:0-15)\n0 x: ADD_INT R2.x, KC0[0].x, KC0[1].x\n"
	  "y: MOV R2.y, KC0[1].z\n", "breaks a rule: ports or constants" },
	{ ".local 256\nALU:\n0 x: LDS_READ_RET QA, R0.x\n"
	  "1 x: MOV R2.x, QA.pop\n", NULL },
	{ ".local 256\nALU:\n0 x: LDS_READ_RET QA, R0.x\n"
	  "1 x: MOV R2.x, R0.x\n", "a value that is left in a queue" },
	{ ".local 256\nALU:\n0 x: LDS_READ_RET QA, R0.x\n"
	  "1 x: LDS_READ_RET QA, R0.x\n"
	  "2 x: ADD_INT R2.x, QA.pop, QA.pop\n", "a queue taken from twice" },
	{ "ALU:\n0 x: MOVA_INT ____, R0.x\n1 x: MOVA_INT ____, R0.x\n"
	  "y: MOV R[1+AR].y, R0.x\n", "AR set and used in a group" },
	{ "ALU:\n0 x: MOV R2.x, R0.x\nt: MOV R2.x, R1.x\n",
	  "two results in one register" },
	{ "ALU:\n0 x: PREDE_INT ____, R0.x, 0.0f UPDATE_PRED\n"
	  "1 x: (p) MOV R2.x, R1.x\n2 y: MOV R2.y, PV.x\n",
	  "a PV or PS that there is not" },
	/* Memory */
	{ "MEM_RAT_CACHELESS_STORE_RAW: RAT(1)[R1].x___, R0, "
	  "ARRAY_SIZE(4095)\n", "on RAT 1" },
	{ "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R5, "
	  "ARRAY_SIZE(4095)\n", "uses R5" },
	{ "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R1].x___, R0, "
	  "ARRAY_SIZE(4095) BURST_COUNT=1\n", "one indexed element" },
	{ "TEX:\nVFETCH R2.x___, R2.x, fc7 MEGA(4) FORMAT(32) "
	  "NUM_FORMAT(INT) NO_ZERO\n", "of resource 7" },
	{ "TEX:\nVFETCH R2.x___, R2.x, fc1 MEGA(4) FORMAT(32_FLOAT) "
	  "NUM_FORMAT(INT) NO_ZERO\n", "expected unsigned integers" },
	{ "MEM_WR_SCRATCH: DWORD_PTR[0+R1].x___, R0, ARRAY_SIZE(15)\n",
	  "in a kernel with scratch memory" },
	/* Registers that nothing has written */
	{ WRITE STORE, NULL },
	{ STORE WRITE, "address of the instruction at 0 comes from" },
	{ "ALU:\n0 w: ADD_INT R2.w, R3.x, 2\n1 x: LSHR R2.x, PV.w, 1\n" STORE,
	  "address of the instruction at 1 comes from" },
	{ WRITE "ALU:\n0 x: MOV R2.x, R3.x\n" STORE, "comes from a register" },
	{ "ALU:\n0 x: CNDE_INT R2.x, R0.x, R3.x, 1\n" STORE, NULL },
	{ "ALU:\n0 x: CNDE_INT R2.x, R3.x, R0.x, 1\n" STORE,
	  "comes from a register" },
	{ BRANCH WRITE "POP (1)\n@end:\n" STORE, NULL },
	{ "ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(0) ADDR(@else)\n" WRITE
	  "@else:\nELSE POP_CNT(1) ADDR(@end)\n" STORE "POP (1)\n@end:\n",
	  "comes from a register" },
	{ "ALU_PUSH_BEFORE:\n" CONDITION "JUMP POP_CNT(0) ADDR(@else)\n" WORK
	  "@else:\nELSE POP_CNT(1) ADDR(@end)\n" WRITE "POP (1)\n@end:\n"
	  STORE, NULL },
	{ LOOP STORE WRITE LEAVE ENDLOOP, NULL },
	{ LOOP STORE LEAVE ENDLOOP WRITE, "comes from a register" },
	{ LOOP WRITE LEAVE ENDLOOP STORE, NULL },
	{ "ALU:\n0 x: MOVA_INT ____, R2.x\n", "comes from a register" },
	{ "TEX:\nVFETCH R2.x___, R2.x, fc1 MEGA(4) FORMAT(32) "
	  "NUM_FORMAT(INT) NO_ZERO\n", "comes from a register" },
	{ "TEX:\nVFETCH R2.x___, R0.x, fc1 MEGA(4) FORMAT(32) "
	  "NUM_FORMAT(INT) NO_ZERO\n" STORE, NULL },
	{ "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R0].xyzw, R3, ARRAY_SIZE(4095)\n",
	  "stores registers that nothing" },
	{ "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R0].xyzw, R1, ARRAY_SIZE(4095)\n",
	  NULL },
	{ "ALU:\n0 x: MOV R2.x, R2.y\n" "MEM_RAT_CACHELESS_STORE_RAW: "
	  "RAT(0)[R0].x___, R2, ARRAY_SIZE(4095)\n", "that nothing" },
};

static void check_verdict(const char *chip, const char *body,
			  const char *message)
{
	char *text = xasprintf(".chip %s\n.kernel k\n.registers 4\n"
			       ".stack 2\n%sNOP\nEND_OF_PROGRAM\n", chip,
			       body);
	struct error error = { "" };
	struct evg_program *program =
		evg_assemble("t", text, strlen(text), &error);
	size_t size;
	void *image = program ? evg_program_write(program, "", &size) : NULL;

	if (image)
		verify_binary("t", image, size, &error);
	if (message ? !strstr(error.text, message) : *error.text) {
		printf("# %s, %s: '%s', expected '%s'\n", chip, body, error.text,
		       message ? message : "");
		CU_FAIL("the verdict");
	}
	free(image);
	evg_program_free(program);
	free(text);
}

static void test_refusals(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		check_verdict("cypress", programs[i].body,
			      programs[i].message);
}

/* Each chip's instructions, entries of the stack, and faulty clauses. */
static void test_chips(void)
{
	static const char fused[] = "ALU:\n0 x: FMA R2.x, R0.x, R0.x, R0.x\n";
	static const char doubles[] = "ALU:\n0 x: ADD_64 R2.x, R0.y, R1.y\n"
				      "y: ADD_64 R2.y, R0.x, R1.x\n";
	static const struct {
		const char *chip, *body, *message;
	} cases[] = {
		{ "cypress", fused, NULL },
		{ "juniper", fused, "FMA at 2 needs FMA, which juniper lacks" },
		{ "juniper", doubles, "needs double-precision units" },
		{ "juniper", SAVE SAVE SAVE "POP (3)\n", NULL },
		{ "redwood", SAVE SAVE "POP (2)\n", NULL },
		{ "redwood", SAVE SAVE SAVE "POP (3)\n",
		  "as element 4 of the stack, which redwood does wrongly" },
		{ "redwood", SAVE SAVE "PUSH ADDR(@end)\nPOP (1)\n"
		  "@end:\nPOP (2)\n", NULL },
		{ "cedar", SAVE SAVE SAVE SAVE SAVE SAVE "POP (6)\n", NULL },
		{ "cedar", SAVE SAVE SAVE SAVE SAVE SAVE SAVE "POP (7)\n",
		  "as element 8 of the stack, which cedar does wrongly" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		check_verdict(cases[i].chip, cases[i].body, cases[i].message);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "chips", test_chips },
		{ "a good binary passes", test_good },
		{ "registers beyond the declared number", test_registers },
		{ "damaged control flow", test_damage },
		{ "what passes can be executed", test_mutations },
		{ "what is refused, and why", test_refusals },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "verifier", setup, teardown, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
