/* Global wave sync: semaphores and barriers over a whole launch, functionally
 * and in the timing model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/program.h"
#include "unit/harness.h"

#define SYNC "	GLOBAL_WAVE_SYNC: "

/* The first wavefront of the launch alone does what follows, up to
 * END_FIRST. */
#define FIRST                                                                  \
	"	ALU_PUSH_BEFORE:\n0 x: OR_INT R6.x, R1.x, WAVE_ID_IN_GRP\n"    \
	"1 x: PREDE_INT ____, R6.x, 0.0f UPDATE_EXEC_MASK\n"                   \
	"	JUMP POP_CNT(1) ADDR(@others)\n"
#define END_FIRST "	POP (1)\n@others:\n"

/* R4.x = address of what work-item 0 of the next work-group (the last one: of
 * the first) will store as R2.x. */
#define NEIGHBOUR                                                              \
	"	ALU: KCACHE0(CB0:0-31)\n"                                      \
	"0 x: ADD_INT R4.x, R1.x, 1\n"                                         \
	"1 y: SETGE_UINT R4.y, R4.x, KC0[0].x\n"                               \
	"2 x: CNDE_INT R4.x, R4.y, R4.x, 0.0f\n"                               \
	"3 t: MULLO_INT R4.x, R4.x, KC0[1].z\n"                                \
	"4 x: LSHL R4.x, R4.x, 4\n"                                            \
	"5 x: ADD_INT R4.x, R4.x, KC0[2].y\n"

/* Stores R2 where the epilogue will. */
#define STORE                                                                  \
	"	ALU: KCACHE0(CB0:0-31)\n"                                      \
	"0 t: MULLO_INT R3.x, KC0[1].z, R1.x\n"                                \
	"1 x: ADD_INT R3.x, R3.x, R0.x\n"                                      \
	"2 x: LSHL R3.x, R3.x, 4\n"                                            \
	"3 x: ADD_INT R3.x, R3.x, KC0[2].y\n"                                  \
	"4 x: LSHR R3.x, R3.x, 2\n"                                            \
	"	MEM_RAT_CACHELESS_STORE_RAW_ACK: RAT(0)[R3], R2, "             \
	"ARRAY_SIZE(4095) MARK\n	WAIT_ACK: Outstanding_acks <= 0\n"

#define FETCH                                                                  \
	"	TEX:\n	VFETCH R2._x__, R4.x, fc1 MEGA(4) FORMAT(32) "         \
	"NUM_FORMAT(INT) NO_ZERO\n"

static struct evg_program *assemble(const char *body)
{
	struct error error;
	struct evg_program *program = program_assemble(
		".registers 12\n.stack 2\n.loop 0 3 0 1\n", body, "", &error);

	if (!program) {
		printf("# %s\n", error.text);
		CU_FAIL_FATAL("does not assemble");
	}
	return program;
}

/* In every way; all results must be as `wanted` says. */
static void check(const char *body, uint32_t groups, uint32_t local,
		  uint32_t (*wanted)(uint32_t item, uint32_t groups,
				     uint32_t local, unsigned channel))
{
	struct evg_program *program = assemble(body);

	for (unsigned way = 0; way < 4; way++) {
		struct program_run run = {
			.way = way < 2 ? PROGRAM_RUN : PROGRAM_TIMED,
			.threads = 1 + 3 * way,
			.units = way == 2 ? 1 : 7,
			.groups = groups, .local = local,
		};
		uint32_t *got = program_run(program, &run);

		CU_ASSERT_STRING_EQUAL(run.error.text, "");
		if (*run.error.text)
			printf("# way %u: %s\n", way, run.error.text);
		for (uint32_t i = 0; got && i < groups * local; i++)
			for (unsigned c = 0; c < 2; c++)
				if (got[4 * i + c] !=
				    wanted(i, groups, local, c)) {
					printf("# way %u item %u: %x\n", way, i,
					       got[4 * i + c]);
					CU_FAIL_FATAL("an item differs");
				}
		free(got);
	}
	evg_program_free(program);
}

static void fails(const char *body, uint32_t groups, uint32_t local,
		  const char *const texts[2])
{
	struct evg_program *program = assemble(body);

	for (unsigned way = 0; way < 2; way++) {
		struct program_run run = {
			.way = way ? PROGRAM_TIMED : PROGRAM_RUN,
			.threads = 2, .units = 20,
			.groups = groups, .local = local,
		};
		uint32_t *got = program_run(program, &run);

		CU_ASSERT_PTR_NULL(got);
		for (unsigned i = 0; i < 2; i++) {
			if (!strstr(run.error.text, texts[i]))
				printf("# wanted '%s', got '%s'\n", texts[i],
				       run.error.text);
			CU_ASSERT_PTR_NOT_NULL(
				strstr(run.error.text, texts[i]));
		}
		free(got);
	}
	evg_program_free(program);
}

static uint32_t neighbours(uint32_t item, uint32_t groups, uint32_t local,
			   unsigned channel)
{
	uint32_t group = item / local;

	return 1000 + (channel ? (group + 1) % groups : group);
}

/* Everybody stores, waits for all, and reads what the next one has stored: as
 * often as the barrier is used. */
static void test_barrier(void)
{
	/* Two wavefronts in each of six work-groups. */
	check(FIRST SYNC "INIT RESOURCE(3) VALUE(11)\n" END_FIRST
	      "	ALU:\n0 x: ADD_INT R2.x, R1.x, 1000\n" STORE
	      SYNC "BARRIER RESOURCE(3) VALUE(11)\n" NEIGHBOUR FETCH,
	      6, 128, neighbours);
	/* More than once, with numbers from the CF index registers. */
	check(FIRST SYNC "INIT RESOURCE(3) VALUE(5)\n" END_FIRST
	      "	ALU:\n0 x: MOVA_INT ____, 2\n1 x: SET_CF_IDX0\n"
	      "2 x: MOVA_INT ____, 4\n3 x: SET_CF_IDX1\n"
	      "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@top:\n"
	      "	ALU:\n0 t: MULLO_INT R2.x, aL, 500\n"
	      "1 x: ADD_INT R2.x, R2.x, R1.x\n" STORE
	      SYNC "BARRIER RESOURCE(1+idx0) VALUE(1+idx1)\n" NEIGHBOUR FETCH
	      SYNC "BARRIER RESOURCE(3) VALUE(5)\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n@end:\n",
	      6, 64, neighbours);
}

/* As a ticket: work-group n passes when n - 1 has. Only one at a time is past
 * its P, and the last one ends last. */
static uint32_t own_group(uint32_t item, uint32_t groups, uint32_t local,
			  unsigned channel)
{
	(void)groups;
	return channel ? 0 : item / local;
}

static void test_semaphore(void)
{
	/* Each wavefront needs a token; the first brings all of them, at once
	 * or one by one. */
	check(FIRST SYNC "SEMA_V RESOURCE(0) VALUE(40)\n" END_FIRST
	      SYNC "SEMA_P RESOURCE(0) VALUE(0)\n"
	      "	ALU:\n0 x: MOV R2.x, R1.x\n", 20, 128, own_group);
	/* One token is passed on. */
	check(FIRST SYNC "INIT RESOURCE(31) VALUE(1)\n" END_FIRST
	      SYNC "SEMA_P RESOURCE(31) VALUE(0)\n"
	      "	ALU:\n0 x: MOV R2.x, R1.x\n"
	      SYNC "SEMA_V RESOURCE(31) VALUE(1)\n", 50, 100, own_group);
	/* More work-groups than the device holds: each passes in its turn. */
	check(SYNC "SEMA_V RESOURCE(2) VALUE(1)\n"
	      SYNC "SEMA_P RESOURCE(2) VALUE(0)\n"
	      "	ALU:\n0 x: MOV R2.x, R1.x\n", 400, 64, own_group);
}

/* Wavefronts of a work-group wait for it and for the launch. */
static void test_both_barriers(void)
{
	check(FIRST SYNC "INIT RESOURCE(0) VALUE(7)\n" END_FIRST
	      "	ALU:\n0 x: ADD_INT R2.x, R1.x, 1000\n"
	      "1 x: GROUP_BARRIER\n" STORE
	      SYNC "BARRIER RESOURCE(0) VALUE(7)\n"
	      "	ALU:\n0 x: GROUP_BARRIER\n" NEIGHBOUR FETCH,
	      4, 128, neighbours);
}

static void test_errors(void)
{
	/* Eight wavefronts, but the barrier wants nine. */
	fails(FIRST SYNC "INIT RESOURCE(5) VALUE(8)\n" END_FIRST
	      SYNC "BARRIER RESOURCE(5) VALUE(8)\n", 4, 128,
	      (const char *const[]){
		      "nothing can release it any more: resource 5 has count "
		      "0, 8 wavefronts wait at it as a barrier",
		      "0 of 4 work-groups have ended, 4 are under way" });
	/* More work-groups than there is room for: 8 in each of 20 units. */
	fails(FIRST SYNC "INIT RESOURCE(5) VALUE(299)\n" END_FIRST
	      SYNC "BARRIER RESOURCE(5) VALUE(299)\n", 300, 64,
	      (const char *const[]){
		      "GLOBAL_WAVE_SYNC: BARRIER RESOURCE(5) VALUE(299)",
		      "160 are under way, and the device holds no more" });
	fails(SYNC "SEMA_P RESOURCE(1) VALUE(0)\n", 3, 64,
	      (const char *const[]){ "3 as a semaphore", "work-group (0, 0, 0) "
							 "wavefront 0" });
	fails(SYNC "BARRIER RESOURCE(1) VALUE(0)\n", 3, 64,
	      (const char *const[]){ "resource 1, which no INIT has set,",
				     "kernel 'test'" });
	fails("	ALU:\n0 x: MOVA_INT ____, 2\n1 x: SET_CF_IDX0\n"
	      SYNC "INIT RESOURCE(31+idx0) VALUE(0)\n", 1, 64,
	      (const char *const[]){ "resource 33: expected a number below 32", "" });
}

/* A condition and an empty mask keep the instruction from doing anything. */
static void test_inactive(void)
{
	check("	ALU_PUSH_BEFORE:\n0 x: PREDNE_INT ____, R1.w, 0.0f "
	      "UPDATE_EXEC_MASK\n"
	      SYNC "SEMA_P RESOURCE(0) VALUE(0)\n	POP (1)\n"
	      SYNC "SEMA_P RESOURCE(0) VALUE(0) COND(FALSE)\n"
	      "	ALU:\n0 x: MOV R2.x, R1.x\n", 3, 64, own_group);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "barrier", test_barrier },
		{ "semaphore", test_semaphore },
		{ "barriers of the work-group and of the launch",
		  test_both_barriers },
		{ "waits that cannot end", test_errors },
		{ "no lane takes part", test_inactive },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "evergreen emu sync", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
