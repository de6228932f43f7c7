/* Every control-flow instruction of compute kernels is decoded, listed,
 * assembled again to the same words, and executed, by the emulator and by the
 * timing model. Those of other kernels are errors that say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/asm/assemble.h"
#include "evergreen/listing/listing.h"
#include "evergreen/emu/program.h"
#include "unit/harness.h"

/* R3.x: dword index of the work-item's result, R5.x its byte address. */
static const char prologue[] =
	"	ALU: KCACHE0(CB0:0-31)\n"
	"0 t: MULLO_INT R3.x, KC0[1].z, R1.x\n"
	"1 x: ADD_INT R3.x, R3.x, R0.x\n"
	"2 x: LSHL R3.x, R3.x, 4\n"
	"3 x: ADD_INT R5.x, R3.x, KC0[2].y\n"
	"4 x: LSHR R3.x, R5.x, 2\n";

static const char directives[] =
	".registers 12\n.stack 2\n.scratch 64\n.loop 1 2 0 1\n.bool 0\n";

#define VFETCH                                                                 \
	"	VFETCH R2.x___, R5.x, fc1 MEGA(4) FORMAT(32) NUM_FORMAT(INT) " \
	"NO_ZERO\n"
#define CLAUSE "0 x: ADD_INT R2.x, R2.x, 1\n"
#define PUSH "	PUSH POP_CNT(0) ADDR(@end)\n"
#define LOOP "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@out)\n@top:\n"
#define ENDLOOP "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n@out:\n"
#define LEAVE "	LOOP_BREAK ADDR(@leave)\n@leave:\n"

/* A program around each; "" where the plain word does. */
static const char *const bodies[EVG_CF_COUNT] = {
	[EVG_CF_NOP] = "	NOP\n",
	[EVG_CF_TEX] = "	TEX:\n" VFETCH,
	[EVG_CF_VTX] = "	VTX:\n" VFETCH,
	[EVG_CF_GDS] = "	GDS:\n	GDS_ADD_RET R2.x___, R4.xy0, UAV(0)\n",
	[EVG_CF_LOOP_START] =
		"	LOOP i1 FAIL_JUMP_ADDR(@out)\n@top:\n" ENDLOOP,
	[EVG_CF_LOOP_END] = LOOP LEAVE ENDLOOP,
	[EVG_CF_LOOP_START_DX10] = LOOP LEAVE ENDLOOP,
	[EVG_CF_LOOP_START_NO_AL] =
		"	LOOP_NO_AL i1 FAIL_JUMP_ADDR(@out)\n@top:\n" ENDLOOP,
	[EVG_CF_LOOP_CONTINUE] =
		"	LOOP_NO_AL i1 FAIL_JUMP_ADDR(@out)\n@top:\n"
		"	CONTINUE ADDR(@end)\n@end:\n" ENDLOOP,
	[EVG_CF_LOOP_BREAK] = LOOP LEAVE ENDLOOP,
	[EVG_CF_JUMP] = "	JUMP POP_CNT(0) ADDR(@end) COND(b0)\n@end:\n",
	[EVG_CF_PUSH] = PUSH "	POP (1)\n@end:\n",
	[EVG_CF_ELSE] = PUSH "	ELSE POP_CNT(1) ADDR(@end)\n@end:\n",
	[EVG_CF_POP] = PUSH "	POP (1)\n@end:\n",
	[EVG_CF_CALL] = "	CALL ADDR(@f)\n",
	[EVG_CF_RET] = "	CALL ADDR(@f)\n",
	[EVG_CF_WAIT_ACK] = "	WAIT_ACK: Outstanding_acks <= 0\n",
	[EVG_CF_TEX_ACK] = "	TEX_ACK:\n" VFETCH,
	[EVG_CF_VTX_ACK] = "	VTX_ACK:\n" VFETCH,
	[EVG_CF_JUMPTABLE] =
		"	JUMPTABLE SEL(4) ADDR(@end)\n@end:\n	NOP\n",
	[EVG_CF_WAVE_SYNC] =
		"	GLOBAL_WAVE_SYNC: SEMA_V RESOURCE(0) VALUE(1)\n",
	[EVG_CF_MEM_SCRATCH] =
		"	MEM_WR_SCRATCH: DWORD_PTR[0], R2, ARRAY_SIZE(3,4)\n",
	[EVG_CF_MEM_EXPORT] =
		"	MEM_EXPORT: DWORD_PTR[0+R3], R2, ARRAY_SIZE(4095)\n",
	[EVG_CF_MEM_MEM_COMBINED] = "	MEM_EXPORT_COMBINED: DWORD_PTR[0+R3], "
				    "R2, ARRAY_SIZE(4095)\n",
	[EVG_CF_MEM_RAT] =
		"	MEM_RAT_ADD: RAT(0)[R3].x___, R2, ARRAY_SIZE(4095)\n",
	[EVG_CF_MEM_RAT_NOCACHE] = "	MEM_RAT_CACHELESS_STORE_RAW: "
				   "RAT(0)[R3], R2, ARRAY_SIZE(4095)\n",
	[EVG_CF_MEM_RAT_COMBINED_NOCACHE] =
		"	MEM_RAT_COMBINED_CACHELESS_STORE_RAW: RAT(0)[R3], R2, "
		"ARRAY_SIZE(4095)\n",
	[EVG_CF_ALU] = "	ALU:\n" CLAUSE,
	[EVG_CF_ALU_PUSH_BEFORE] = "	ALU_PUSH_BEFORE:\n" CLAUSE
				   "	POP (1)\n",
	[EVG_CF_ALU_POP_AFTER] = PUSH "	ALU_POP_AFTER:\n" CLAUSE "@end:\n",
	[EVG_CF_ALU_POP2_AFTER] = PUSH PUSH "	ALU_POP2_AFTER:\n" CLAUSE
					    "@end:\n",
	/* Not by itself: with the clause that it extends. */
	[EVG_CF_ALU_EXT] = "	ALU: KCACHE2(CB0+idx0:0-15)\n"
			   "0 x: MOV R2.x, KC2[0].x\n",
	[EVG_CF_ALU_CONTINUE] =
		"	LOOP_NO_AL i1 FAIL_JUMP_ADDR(@out)\n@top:\n"
		"	ALU_CONTINUE:\n" CLAUSE ENDLOOP,
	[EVG_CF_ALU_BREAK] =
		"	LOOP_NO_AL i1 FAIL_JUMP_ADDR(@out)\n@top:\n"
		"	ALU_BREAK:\n" CLAUSE ENDLOOP,
	[EVG_CF_ALU_ELSE_AFTER] = PUSH "	ALU_ELSE_AFTER:\n" CLAUSE
				       "	POP (1)\n@end:\n",
};

static struct evg_program *assemble(const char *body)
{
	struct error error;
	char *all;
	struct evg_program *program;

	all = malloc(strlen(prologue) + strlen(body) + 1);
	strcpy(all, prologue);
	strcat(all, body);
	program = program_assemble(directives, all,
				   strstr(body, "@f") ? "@f:\n	RETURN\n"
						      : "",
				   &error);
	free(all);
	if (!program)
		printf("# %s# in\n%s", error.text, body);
	return program;
}

/* Listed and assembled again it is the same. */
static void check_listing(const struct evg_program *program)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	struct evg_program *again;
	struct error error;

	CU_ASSERT_EQUAL(evg_listing_print(&program->kernels[0], stream,
					  &error), 0);
	fclose(stream);
	again = evg_assemble("listing", text, size, &error);
	if (!again)
		printf("# %s in\n%s", error.text, text);
	CU_ASSERT_PTR_NOT_NULL(again);
	if (again) {
		CU_ASSERT_EQUAL(again->text_size, program->text_size);
		CU_ASSERT(again->text_size == program->text_size &&
			  !memcmp(again->text, program->text,
				  program->text_size));
		CU_ASSERT(!memcmp(&again->kernels[0].flow,
				  &program->kernels[0].flow,
				  sizeof again->kernels[0].flow));
	}
	evg_program_free(again);
	free(text);
}

static bool executes(const struct evg_program *program, enum evg_cf_op op,
		     enum program_way way)
{
	struct program_run run = { .way = way, .groups = 2, .local = 64 };
	uint32_t *got = program_run(program, &run);

	if (!got)
		printf("# %s: %s\n", evg_cf_info[op].name, run.error.text);
	free(got);
	return got;
}

static void test_compute(void)
{
	for (int op = 0; op < EVG_CF_COUNT; op++) {
		struct evg_program *program;

		if (evg_cf_info[op].compute && !bodies[op]) {
			printf("# no program for %s\n", evg_cf_info[op].name);
			CU_FAIL("an instruction without a program");
		}
		if (!bodies[op])
			continue;
		program = assemble(bodies[op]);
		CU_ASSERT_PTR_NOT_NULL(program);
		if (!program)
			continue;
		check_listing(program);
		CU_ASSERT(executes(program, (enum evg_cf_op)op, PROGRAM_RUN));
		CU_ASSERT(executes(program, (enum evg_cf_op)op,
				   PROGRAM_STEPPED));
		CU_ASSERT(executes(program, (enum evg_cf_op)op,
				   PROGRAM_TIMED));
		evg_program_free(program);
	}
}

/* Each costs time: its program takes longer than the one around it. */
static void test_cost(void)
{
	struct program_run plain = { .way = PROGRAM_TIMED, .groups = 1,
				     .local = 64, .code_at_hand = true };
	struct evg_program *program = assemble("");

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	free(program_run(program, &plain));
	evg_program_free(program);
	for (int op = 0; op < EVG_CF_COUNT; op++) {
		struct program_run run = { .way = PROGRAM_TIMED, .groups = 1,
					   .local = 64, .code_at_hand = true };

		program = bodies[op] ? assemble(bodies[op]) : NULL;
		if (!program)
			continue;
		free(program_run(program, &run));
		CU_ASSERT(run.cycles >= plain.cycles + 40);
		if (run.cycles < plain.cycles + 40)
			printf("# %s: %llu after %llu cycles\n",
			       evg_cf_info[op].name,
			       (unsigned long long)run.cycles,
			       (unsigned long long)plain.cycles);
		evg_program_free(program);
	}
}

/* What other kernels have. */
static void test_others(void)
{
	static const char *const texts[] = {
		"CALL_FS", "EMIT_VERTEX", "EMIT_CUT_VERTEX", "CUT_VERTEX",
		"KILL", "HALT",
		"MEM_RING_WRITE: DWORD_PTR[0], R2, ARRAY_SIZE(1)",
		"EXP: PIX0, R2", "EXP_DONE: PIX0, R2",
		"MEM_STREAM0_BUF0: DWORD_PTR[0], R2, ARRAY_SIZE(1)",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct program_run run = { .groups = 1, .local = 64 };
		char body[128];
		struct evg_program *program;

		snprintf(body, sizeof body, "	%s\n", texts[i]);
		program = assemble(body);
		CU_ASSERT_PTR_NOT_NULL_FATAL(program);
		check_listing(program);
		CU_ASSERT_PTR_NULL(program_run(program, &run));
		CU_ASSERT_PTR_NOT_NULL(strstr(run.error.text,
					      "is not supported"));
		CU_ASSERT_PTR_NOT_NULL(strstr(run.error.text, "kernel 'test'"));
		evg_program_free(program);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "every instruction of compute kernels", test_compute },
		{ "every instruction costs time", test_cost },
		{ "instructions of other kernels", test_others },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "evergreen cf table", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
