/* Control flow and what is indexed, instruction by instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/program.h"
#include "unit/harness.h"

enum { LANES = 64 };

static uint32_t result[LANES];

/* It runs, and its results are in `result`. */
static void good(int line, const char *directives, const char *body,
		 const char *functions)
{
	const char *message = program_result(directives, body, functions,
					     result);

	if (*message)
		printf("# line %d: %s\n", line, message);
	CU_ASSERT_STRING_EQUAL(message, "");
}

#define GOOD(...) good(__LINE__, __VA_ARGS__)

static void lanes_are(uint32_t (*wanted)(uint32_t lane), int line)
{
	for (uint32_t lane = 0; lane < LANES; lane++) {
		if (result[lane] == wanted(lane))
			continue;
		printf("# line %d lane %u: %08x, wanted %08x\n", line, lane,
		       result[lane], wanted(lane));
		CU_FAIL("a lane differs");
		return;
	}
	CU_PASS("");
}

#define LANES_ARE(wanted) lanes_are(wanted, __LINE__)

static void all_are(uint32_t wanted, int line)
{
	for (uint32_t lane = 0; lane < LANES; lane++) {
		if (result[lane] == wanted)
			continue;
		printf("# line %d lane %u: %08x, wanted %08x\n", line, lane,
		       result[lane], wanted);
		CU_FAIL("a lane differs");
		return;
	}
	CU_PASS("");
}

#define ALL_ARE(wanted) all_are(wanted, __LINE__)

/* Fails, with that in the message. */
static void fails(const char *directives, const char *body,
		  const char *functions, const char *text)
{
	const char *message = program_result(directives, body, functions, NULL);

	if (!strstr(message, text))
		printf("# wanted '%s', got '%s'\n", text, message);
	CU_ASSERT_PTR_NOT_NULL(strstr(message, text));
}

/* The lanes that stay active are the odd ones. */
#define ODD_LANES                                                              \
	"0 x: AND_INT R6.x, R0.x, 1\n"                                         \
	"1 x: PREDNE_INT ____, R6.x, 0.0f UPDATE_EXEC_MASK\n"
#define ADD(n) "	ALU:\n0 x: ADD_INT R2.x, R2.x, " n "\n"

/* ---- Loops with constants ---- */

static uint32_t half_of_lane(uint32_t lane)
{
	return lane / 2 < 20 ? lane / 2 : 20;
}

static void test_counted_loops(void)
{
	/* aL = 5, 3, 1, -1 */
	GOOD(".stack 1\n.loop 7 4 5 -2\n",
	     "	LOOP i7 FAIL_JUMP_ADDR(@end)\n@top:\n"
	     "	ALU:\n0 x: LSHL R2.x, R2.x, 8\n"
	     "1 x: XOR_INT R2.x, R2.x, aL\n"
	     "	ENDLOOP i7 PASS_JUMP_ADDR(@top)\n@end:\n", "");
	ALL_ARE(((5u << 8 ^ 3) << 8 ^ 1) << 8 ^ 0xffffffffu);

	/* Never entered; POP_COUNT takes the frame of the PUSH away. */
	GOOD(".stack 2\n.loop 0 0 1 1\n",
	     "	PUSH POP_CNT(0) ADDR(@end)\n"
	     "	LOOP_NO_AL i0 FAIL_JUMP_ADDR(@end) POP_CNT(1)\n@top:\n"
	     ADD("1")
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@top)\n"
	     "	POP (1)\n@end:\n" ADD("100"), "");
	ALL_ARE(100);

	/* The machine ends every counted loop after 4096 trips. */
	GOOD(".stack 1\n.loop 31 4294967295 0 0\n",
	     "	LOOP_NO_AL i31 FAIL_JUMP_ADDR(@end)\n@top:\n" ADD("1")
	     "	ENDLOOP i31 PASS_JUMP_ADDR(@top)\n@end:\n", "");
	ALL_ARE(4096);

	/* Lanes leave one after the other: lane n after n / 2 trips. */
	GOOD(".stack 1\n.loop 1 20 0 2\n",
	     "	LOOP i1 FAIL_JUMP_ADDR(@end)\n@top:\n"
	     "	ALU_BREAK:\n0 x: SUB_INT R6.x, R0.x, aL\n"
	     "1 x: PREDGT_INT ____, R6.x, 1 UPDATE_EXEC_MASK\n" ADD("1")
	     "	ENDLOOP i1 PASS_JUMP_ADDR(@top)\n@end:\n", "");
	LANES_ARE(half_of_lane);

	fails(".stack 1\n",
	      "	LOOP i4 FAIL_JUMP_ADDR(@end)\n@top:\n	ENDLOOP i4 "
	      "PASS_JUMP_ADDR(@top)\n@end:\n", "",
	      "loop constant i4, which the kernel does not give (.loop 4)");
}

/* LOOP in LOOP_NO_AL in LOOP: aL is that of the innermost LOOP. */
static void test_nested_loop_index(void)
{
	GOOD(".stack 3\n.loop 0 2 10 10\n.loop 1 2 0 0\n.loop 2 2 1 1\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	LOOP_NO_AL i1 FAIL_JUMP_ADDR(@end1)\n@b:\n"
	     ADD("aL")                                /* 10, 20: twice */
	     "	LOOP i2 FAIL_JUMP_ADDR(@end2)\n@c:\n"
	     "	ALU:\n0 t: MULLO_INT R6.x, aL, 1000\n" /* 1, 2: four times */
	     "1 x: ADD_INT R2.x, R2.x, R6.x\n"
	     "	ENDLOOP i2 PASS_JUMP_ADDR(@c)\n@end2:\n"
	     ADD("aL")
	     "	ENDLOOP i1 PASS_JUMP_ADDR(@b)\n@end1:\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "");
	ALL_ARE(2 * 2 * (10 + 20) + 4 * 3000);

	/* A return leaves the callee's loop: the caller's aL is back. */
	GOOD(".stack 4\n.loop 0 2 10 10\n.loop 2 5 1 1\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n	CALL ADDR(@f)\n"
	     ADD("aL") "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n",
	     "@f:\n	LOOP i2 FAIL_JUMP_ADDR(@out)\n@b:\n" ADD("1000")
	     "	RETURN\n	ENDLOOP i2 PASS_JUMP_ADDR(@b)\n@out:\n"
	     "	RETURN\n");
	ALL_ARE(2 * 1000 + 30);
	fails("", ADD("aL"), "", "aL outside of a loop");
}

/* ---- Index modes ---- */

static void test_loop_indexed_registers(void)
{
	uint32_t wanted = 0;

	/* R[8 + aL] = 3 aL; then they are summed backwards. */
	GOOD(".registers 16\n.stack 1\n.loop 0 8 0 1\n.loop 1 8 7 -1\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	ALU:\n0 t: MULLO_INT R6.x, aL, 3\n"
	     "1 x: MOV R[8+aL].x, R6.x\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n"
	     "	LOOP i1 FAIL_JUMP_ADDR(@end1)\n@b:\n"
	     "	ALU:\n0 t: MULLO_INT R2.x, R2.x, 2\n"
	     "1 x: ADD_INT R2.x, PS, R[8+aL].x\n"
	     "	ENDLOOP i1 PASS_JUMP_ADDR(@b)\n@end1:\n", "");
	for (uint32_t i = 8; i--;)
		wanted = 2 * wanted + 3 * i;
	ALL_ARE(wanted);
	fails(".registers 16\n.stack 1\n.loop 0 9 8 1\n",
	      "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	      "	ALU:\n0 x: MOV R2.x, R[8+aL].x\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "",
	      "relative index 16 is not below 16");
}

static uint32_t lane_and_77(uint32_t lane)
{
	return lane + 77;
}

/* An export's register, by aL: what was stored is fetched again. */
static void test_loop_indexed_export(void)
{
	GOOD(".registers 12\n.stack 1\n.loop 0 1 4 1\n",
	     "	ALU: KCACHE0(CB0:0-31)\n"
	     "0 x: ADD_INT R10.x, R0.x, 77\n"
	     "1 x: LSHL R5.x, R0.x, 4\n"
	     "2 x: ADD_INT R5.x, R5.x, KC0[2].y\n"
	     "3 x: LSHR R3.x, R5.x, 2\n"
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R3].x___, R[6+aL], "
	     "ARRAY_SIZE(4095)\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n"
	     "	TEX:\n	VFETCH R2.x___, R5.x, fc1 MEGA(4) FORMAT(32) "
	     "NUM_FORMAT(INT) NO_ZERO\n", "");
	LANES_ARE(lane_and_77);
	fails(".registers 12\n.stack 1\n.loop 0 1 6 1\n",
	      "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	      "	MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R3].x___, R[6+aL], "
	      "ARRAY_SIZE(4095)\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "",
	      "relative index 12 is not below 12");
	fails(".registers 12\n",
	      "	MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R3].x___, R[6+aL], "
	      "ARRAY_SIZE(4095)\n", "", "aL outside of a loop");
}

/* Constants by aL, relative and with a window that moves. */
static void test_loop_indexed_constants(void)
{
	uint32_t wanted = 0;

	GOOD(".stack 1\n.loop 0 40 0 1\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	ALU: KCACHE0(CB0:aL+0-31)\n"
	     "0 t: MULLO_INT R2.x, R2.x, 3\n"
	     "1 x: ADD_INT R2.x, R2.x, KC0[5+aL].y\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "");
	for (unsigned i = 0; i < 40; i++)
		wanted = 3 * wanted +
			 program_data(4 * (5 + i) + 1 - PROGRAM_DATA_FIRST);
	ALL_ARE(wanted);

	/* Not relative: the constant's place in the window. */
	wanted = 0;
	GOOD(".stack 1\n.loop 0 2 0 20\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	ALU: KCACHE0(CB0:aL+16-47)\n"
	     "0 x: ADD_INT R2.x, R2.x, KC0[31].w\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "");
	wanted = program_data(4 * (16 + 31) + 3 - PROGRAM_DATA_FIRST) +
		 program_data(4 * (32 + 31) + 3 - PROGRAM_DATA_FIRST);
	ALL_ARE(wanted);

	/* In an ordinary window aL must stay inside. */
	GOOD(".stack 1\n.loop 0 1 9 1\n",
	     "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	     "	ALU: KCACHE1(CB0:16-31)\n0 x: MOV R2.x, KC1[6+aL].x\n"
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "");
	ALL_ARE(program_data(4 * 31 - PROGRAM_DATA_FIRST));
	fails(".stack 1\n.loop 0 1 10 1\n",
	      "	LOOP i0 FAIL_JUMP_ADDR(@end)\n@a:\n"
	      "	ALU: KCACHE1(CB0:16-31)\n0 x: MOV R2.x, KC1[6+aL].x\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@a)\n@end:\n", "",
	      "relative index 16 is not below 16");
}

/* Four windows, and CF index registers. */
static void test_extended_clauses(void)
{
	GOOD("",
	     "	ALU: KCACHE0(CB0:0-15) KCACHE1(CB0:16-31) KCACHE2(CB0:32-47) "
	     "KCACHE3(CB0:32-63)\n"
	     "0 x: MOV R2.x, KC0[15].x\n y: MOV R2.y, KC1[15].y\n"
	     "1 x: ADD_INT R2.x, R2.x, R2.y\n y: MOV R2.y, KC2[15].z\n"
	     "2 x: ADD_INT R2.x, R2.x, R2.y\n y: MOV R2.y, KC3[31].w\n"
	     "3 x: ADD_INT R2.x, R2.x, R2.y\n", "");
	ALL_ARE(program_data(4 * 15 - PROGRAM_DATA_FIRST) +
		program_data(4 * 31 + 1 - PROGRAM_DATA_FIRST) +
		program_data(4 * 47 + 2 - PROGRAM_DATA_FIRST) +
		program_data(4 * 63 + 3 - PROGRAM_DATA_FIRST));

	/* Bank -1 + idx1 is 0, from the clause after SET_CF_IDX1 on; AR of
	 * the first active lane counts. */
	GOOD(".stack 1\n",
	     "	ALU_PUSH_BEFORE:\n0 x: SUB_INT R6.x, 33, R0.x\n"
	     "1 x: AND_INT R7.x, R0.x, 32\n"
	     "2 x: PREDNE_INT ____, R7.x, 0.0f UPDATE_EXEC_MASK\n"
	     "	ALU:\n0 x: MOVA_INT ____, R6.x\n"
	     "1 x: SET_CF_IDX1\n2 x: MOVA_INT ____, 7\n"
	     "	POP (1)\n"
	     "	JUMPTABLE SEL(5) ADDR(@table)\n@table:\n"
	     "	NOP\n" ADD("1") ADD("2"), "");
	ALL_ARE(3);
	fails("",
	      "	ALU:\n0 x: MOVA_INT ____, 1\n1 x: SET_CF_IDX0\n"
	      "	ALU: KCACHE0(CB0+idx0:0-15)\n0 x: MOV R2.x, KC0[4].x\n",
	      "", "constant buffer 1, which has nothing bound to it");
	GOOD("",
	     "	ALU: KCACHE0(CB0+idx0:0-15)\n0 x: MOV R2.x, KC0[4].x\n"
	     "1 x: MOVA_INT ____, 1\n2 x: SET_CF_IDX0\n"
	     "3 x: ADD_INT R2.x, R2.x, KC0[4].y\n", "");
	ALL_ARE(program_data(16 - PROGRAM_DATA_FIRST) +
		program_data(17 - PROGRAM_DATA_FIRST));
	fails("", "	ALU:\n0 x: MOVA_INT ____, 1\n y: SET_CF_IDX0\n", "",
	      "MOVA_INT beside a reader of AR");
}

/* RAT[0 + idx0]: nothing but RAT 0 is bound for such kernels. */
static void test_indexed_rat(void)
{
	fails("",
	      "	ALU:\n0 x: MOVA_INT ____, 3\n1 x: SET_CF_IDX0\n"
	      "	MEM_RAT_CACHELESS_STORE_RAW: RAT(1+idx0)[R4], R2, "
	      "ARRAY_SIZE(4095)\n", "", "nothing is bound to RAT 4");
	fails("",
	      "	MEM_RAT_CACHELESS_STORE_RAW: RAT(0+idx0)[R4], R2, "
	      "ARRAY_SIZE(4095)\n", "", "write of 16 bytes at global address");
}

/* Registers that the wavefronts of a compute unit share. */
static void test_shared_registers(void)
{
	static const char body[] =
		"	ALU:\n0 x: ADD_INT G[5].x, G[5].x, 1\n"
		"1 x: MOV R2.x, PV.x\n"
		"2 x: MOVA_INT ____, R0.x\n"
		"3 y: MOV G[40+AR].y, R0.x\n"
		"4 y: MOV R2.y, G[40+AR].y\n";
	enum program_way ways[] = { PROGRAM_RUN, PROGRAM_STEPPED };
	struct error error;
	struct evg_program *program = program_assemble("", body, "", &error);

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	for (unsigned threads = 1; threads <= 3; threads += 2)
		for (unsigned w = 0; w < 2; w++) {
			uint32_t units = threads == 3 ? 7 : 20;
			struct program_run run = {
				.way = ways[w], .threads = threads,
				.groups = 50, .local = 64, .units = units,
			};
			uint32_t *got = program_run(program, &run);

			CU_ASSERT_STRING_EQUAL(run.error.text, "");
			for (uint32_t i = 0; got && i < 50 * 64; i++) {
				/* The units take turns. */
				uint32_t before = i / 64 / units;

				CU_ASSERT_EQUAL(got[4 * i], before + 1);
				CU_ASSERT_EQUAL(got[4 * i + 1], i % 64);
			}
			free(got);
		}
	{
		/* Each of two units counts its own work-groups. */
		struct program_run run = { .way = PROGRAM_TIMED, .groups = 50,
					   .local = 64 };
		uint32_t *got = program_run(program, &run), seen[51] = { 0 };

		CU_ASSERT_STRING_EQUAL(run.error.text, "");
		for (uint32_t i = 0; got && i < 50; i++)
			if (got[4 * 64 * i] <= 50)
				seen[got[4 * 64 * i]]++;
		for (uint32_t i = 1; i <= 20; i++)
			CU_ASSERT_EQUAL(seen[i], 2);
		free(got);
	}
	evg_program_free(program);
	fails("", "	ALU:\n0 x: MOVA_INT ____, 200\n1 x: MOV R2.x, "
		  "G[1+AR].x\n", "", "relative index 201 is not below 128");
}

/* MOVA_INT has a result like any other instruction. */
static uint32_t thousands_and_lane(uint32_t lane)
{
	return 1000 * (lane % 8) + lane;
}

static void test_address_result(void)
{
	GOOD(".registers 20\n",
	     "	ALU:\n0 x: AND_INT R4.x, R0.x, 7\n y: MOV R4.y, R0.x\n"
	     /* Slot z reads what slot y overwrites. */
	     "1 y: MOVA_INT R4.y, R4.x\n z: MOV R4.z, R4.y\n"
	     "2 w: MOV R[8+AR].w, PV.y\n x: MOV R4.x, 0.0f\n"
	     "3 t: MULLO_INT R2.x, R[8+AR].w, 1000\n"
	     "4 x: ADD_INT R2.x, R2.x, R4.z\n"
	     "5 x: ADD_INT R2.x, R2.x, R4.y\n"
	     "6 x: SUB_INT R2.x, R2.x, R[8+AR].w\n", "");
	LANES_ARE(thousands_and_lane);
}

/* ---- Conditions on constants ---- */

static uint32_t odd_gets_11(uint32_t lane)
{
	return lane % 2 ? 11 : 1;
}

static void test_conditions(void)
{
	/* JUMP goes on when lanes pass; b0 is true, b1 false. */
	static const char directives[] = ".stack 4\n.bool 0 1\n.bool 1 0\n"
					 ".loop 0 5 0 0\n.loop 1 5 0 0\n";

	GOOD(directives,
	     "	JUMP POP_CNT(0) ADDR(@a) COND(b0)\n" ADD("1") "@a:\n"
	     "	JUMP POP_CNT(0) ADDR(@b) COND(b1)\n" ADD("10") "@b:\n"
	     "	JUMP POP_CNT(0) ADDR(@c) COND(!b0)\n" ADD("100") "@c:\n"
	     "	JUMP POP_CNT(0) ADDR(@d) COND(!b1)\n" ADD("1000") "@d:\n"
	     "	JUMP POP_CNT(0) ADDR(@e) COND(FALSE)\n" ADD("10000") "@e:\n",
	     "");
	ALL_ARE(1001);

	/* PUSH without a lane that passes pushes nothing, pops and jumps. */
	GOOD(directives,
	     "	PUSH POP_CNT(0) ADDR(@a) COND(b0)\n" ADD("1")
	     "	POP (1)\n@a:\n"
	     "	PUSH POP_CNT(0) ADDR(@b) COND(b1)\n" ADD("10")
	     "	POP (1)\n@b:\n"
	     "	PUSH POP_CNT(0) ADDR(@c)\n"
	     "	PUSH POP_CNT(1) ADDR(@c) COND(FALSE)\n" ADD("100")
	     "	POP (2)\n@c:\n", "");
	ALL_ARE(1);

	/* ELSE changes nothing for lanes that do not pass; POP takes them
	 * out. */
	GOOD(directives,
	     "	PUSH POP_CNT(0) ADDR(@x)\n"
	     "	ALU_PUSH_BEFORE:\n" ODD_LANES
	     "	ELSE POP_CNT(0) ADDR(@x) COND(b1)\n" ADD("10") /* odd */
	     "	POP (1) COND(b1)\n" ADD("1000")                /* nobody */
	     "	POP (1)\n" ADD("1") "@x:\n", "");
	LANES_ARE(odd_gets_11);

	/* Loops: not entered, ended, left, continued by a condition. */
	GOOD(directives,
	     "	LOOP_NO_AL i0 FAIL_JUMP_ADDR(@a) COND(b1)\n@t:\n" ADD("1")
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@t)\n@a:\n"
	     "	LOOP_NO_AL i0 FAIL_JUMP_ADDR(@b) COND(b0)\n@u:\n" ADD("10")
	     "	ENDLOOP i0 PASS_JUMP_ADDR(@u) CF_CONST=0\n@b:\n"
	     "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@c)\n@v:\n" ADD("100")
	     "	ENDLOOP i1 PASS_JUMP_ADDR(@v) COND(b1)\n@c:\n"
	     "	LOOP_NO_AL i0 FAIL_JUMP_ADDR(@d)\n@w:\n"
	     "	LOOP_BREAK ADDR(@we) COND(b1)\n	CONTINUE ADDR(@we) COND(b1)\n"
	     ADD("1000")
	     "	CONTINUE ADDR(@we) COND(b0)\n" ADD("7")
	     "@we:\n	ENDLOOP i0 PASS_JUMP_ADDR(@w)\n@d:\n"
	     "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@e)\n@z:\n"
	     "	LOOP_BREAK ADDR(@ze) COND(b0)\n" ADD("7")
	     "@ze:\n	ENDLOOP i0 PASS_JUMP_ADDR(@z)\n@e:\n", "");
	ALL_ARE(50 + 100 + 5000);

	/* Calls and returns. */
	GOOD(directives,
	     "	CALL ADDR(@f) COND(b1)\n	CALL ADDR(@f) COND(b0)\n",
	     "@f:\n" ADD("1") "	RETURN COND(b1)\n" ADD("10")
	     "	RETURN COND(!b1)\n" ADD("100") "	RETURN\n");
	ALL_ARE(11);

	/* A fetch clause. */
	GOOD(directives,
	     "	TEX: COND(b1)\n"
	     "	VFETCH R2.x___, R4.x, fc1 MEGA(4) FORMAT(32) NUM_FORMAT(INT) "
	     "NO_ZERO\n" ADD("3"), "");
	ALL_ARE(3);
	fails(directives, "	JUMP POP_CNT(0) ADDR(@a) COND(b9)\n@a:\n", "",
	      "boolean constant b9, which the kernel does not give (.bool 9)");
}

/* ---- Jump tables ---- */

#define TABLE                                                                  \
	"@table:\n"                                                            \
	"	JUMP POP_CNT(0) ADDR(@c0) COND(FALSE)\n"                       \
	"	JUMP POP_CNT(0) ADDR(@c1) COND(FALSE)\n"                       \
	"	JUMP POP_CNT(0) ADDR(@c2) COND(FALSE)\n"                       \
	"@c0:\n" ADD("100")                                                    \
	"@c1:\n" ADD("10")                                                     \
	"@c2:\n" ADD("1")

static void test_jump_tables(void)
{
	static const uint32_t wanted[] = { 111, 11, 1 };
	static const unsigned component[] = { 2, 1, 0, 2 };

	/* The four components of a constant. */
	for (unsigned select = 0; select < 4; select++) {
		char body[1024];

		snprintf(body, sizeof body,
			 "	JUMPTABLE SEL(%u) CF_CONST=2 ADDR(@table)\n"
			 TABLE, select);
		GOOD(".loop 2 2 1 0 2\n", body, "");
		ALL_ARE(wanted[component[select]]);
	}
	for (unsigned i = 0; i < 6; i++) {
		char body[1024];

		snprintf(body, sizeof body,
			 "	ALU:\n0 x: MOVA_INT ____, %u\n"
			 "1 x: SET_CF_IDX%u\n"
			 "	JUMPTABLE SEL(%u) ADDR(@table)\n" TABLE, i / 2,
			 i % 2, 4 + i % 2);
		GOOD("", body, "");
		ALL_ARE(wanted[i / 2]);
	}
	fails("", "	ALU:\n0 x: MOVA_INT ____, 4000\n1 x: SET_CF_IDX0\n"
	      "	JUMPTABLE SEL(4) ADDR(@table)\n" TABLE, "",
	      "where no control-flow instruction begins");
	fails("", "	JUMPTABLE SEL(0) CF_CONST=2 ADDR(@table)\n" TABLE, "",
	      "loop constant i2");
}

/* ---- Calls ---- */

static uint32_t clipped(uint32_t lane)
{
	return lane < 40 ? lane : 40;
}

static void test_calls(void)
{
	/* Each lane returns from its own depth of the recursion. */
	GOOD(".stack 40\n", "	CALL ADDR(@f)\n",
	     "@f:\n"
	     "	ALU_PUSH_BEFORE:\n0 x: SETGT_INT R6.x, 40, R2.x\n"
	     "1 x: SETGT_INT R7.x, R0.x, R2.x\n"
	     "2 x: AND_INT R6.x, R6.x, R7.x\n"
	     "3 x: PREDE_INT ____, R6.x, 0.0f UPDATE_EXEC_MASK\n"
	     "	RETURN\n	POP (1)\n" ADD("1")
	     "	CALL ADDR(@f)\n	RETURN\n");
	LANES_ARE(clipped);

	/* COUNT counts the nesting; the 33rd call is skipped. */
	GOOD(".stack 40\n", "	CALL ADDR(@f) COUNT=1\n",
	     "@f:\n" ADD("1") "	CALL ADDR(@f) COUNT=1\n	RETURN\n");
	ALL_ARE(32);
	GOOD(".stack 40\n", "	CALL ADDR(@f) COUNT=11\n",
	     "@f:\n" ADD("1") "	CALL ADDR(@f) COUNT=11\n	RETURN\n");
	ALL_ARE(2);
	fails(".stack 7\n", "	CALL ADDR(@f)\n",
	      "@f:\n	CALL ADDR(@f)\n	RETURN\n",
	      "overflows: the kernel declares 7 entries");
	fails(".stack 7\n", "	RETURN\n", "", "RETURN without a CALL");
	fails(".stack 7\n", "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@e)\n@t:\n"
	      "	CALL ADDR(@f)\n	ENDLOOP i0 PASS_JUMP_ADDR(@t)\n@e:\n",
	      "@f:\n	LOOP_BREAK ADDR(@f)\n	RETURN\n",
	      "outside any loop");
}

/* ---- The stack ---- */

static void test_stack(void)
{
	/* Four saved masks, one loop or four calls fill an entry. */
	GOOD(".stack 2\n",
	     "	PUSH POP_CNT(0) ADDR(@x)\n	PUSH POP_CNT(0) ADDR(@x)\n"
	     "	PUSH POP_CNT(0) ADDR(@x)\n	PUSH POP_CNT(0) ADDR(@x)\n"
	     "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@e)\n@t:\n" ADD("1")
	     "	LOOP_BREAK ADDR(@b)\n@b:\n	ENDLOOP i0 "
	     "PASS_JUMP_ADDR(@t)\n@e:\n	POP (4)\n@x:\n", "");
	ALL_ARE(1);
	fails(".stack 1\n",
	      "	PUSH POP_CNT(0) ADDR(@x)\n	LOOP_DX10 i0 "
	      "FAIL_JUMP_ADDR(@e)\n@t:\n	LOOP_BREAK ADDR(@b)\n@b:\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@t)\n@e:\n	POP (1)\n@x:\n", "",
	      "LOOP_DX10 i0 FAIL_JUMP_ADDR(4)");
	fails(".stack 0\n", "	PUSH POP_CNT(0) ADDR(@x)\n	POP (1)\n@x:\n",
	      "", "overflows: the kernel declares 0 entries");
	fails("", "	POP (1)\n", "", "underflow");
	fails(".stack 1\n", "	LOOP_DX10 i0 FAIL_JUMP_ADDR(@e)\n@t:\n"
	      "	ELSE POP_CNT(0) ADDR(@e)\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@t)\n@e:\n", "",
	      "where a PUSH is expected");
	fails(".stack 1\n", "@t:\n	PUSH POP_CNT(0) ADDR(@x)\n"
	      "	ENDLOOP i0 PASS_JUMP_ADDR(@t)\n@x:\n", "",
	      "no loop is on top");
}

/* ---- Selectors ---- */

static void test_selectors(void)
{
	static const char body[] =
		"	ALU:\n0 x: MOV R2.x, WAVE_ID_IN_GRP\n"
		" y: MOV R2.y, NUM_THREADGRP_WAVES\n"
		"1 x: LSHL R4.x, SE_ID, 4\n y: LSHL R4.y, HW_WAVE_ID, 8\n"
		" z: LSHL R4.z, HW_THREADGRP_ID, 16\n"
		" w: LSHL R4.w, HW_ALU_ODD, 20\n"
		"2 x: OR_INT R4.x, R4.x, SIMD_ID\n y: OR_INT R4.y, R4.y, "
		"R4.z\n"
		"3 x: OR_INT R4.x, R4.x, R4.y\n"
		"4 z: OR_INT R2.z, R4.x, R4.w\n"
		"5 w: MOV R2.w, TIME_LO\n";
	struct error error;
	struct evg_program *program = program_assemble("", body, "", &error);
	struct program_run run = { .groups = 30, .local = 200, .units = 20 };
	uint32_t *got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	got = program_run(program, &run);
	CU_ASSERT_PTR_NOT_NULL_FATAL(got);
	for (uint32_t i = 0; i < 30 * 200; i++) {
		uint32_t group = i / 200, wave = i % 200 / 64;
		uint32_t unit = group % 20;

		CU_ASSERT_EQUAL(got[4 * i], wave);
		CU_ASSERT_EQUAL(got[4 * i + 1], 4);
		CU_ASSERT_EQUAL(got[4 * i + 2], unit / 10 << 4 | unit % 10 |
						wave << 8 | (wave & 1) << 20);
		/* The CF instruction and five groups came before. */
		CU_ASSERT_EQUAL(got[4 * i + 3], 6);
	}
	free(got);
	/* Two units, one in each shader engine; the clock runs. */
	run = (struct program_run){ .way = PROGRAM_TIMED, .groups = 30,
				    .local = 200 };
	got = program_run(program, &run);
	CU_ASSERT_PTR_NOT_NULL_FATAL(got);
	for (uint32_t i = 0, last = 0; i < 30 * 200; i++) {
		uint32_t where = got[4 * i + 2];

		CU_ASSERT((where & 15) == 0 && (where >> 4 & 15) < 2);
		CU_ASSERT((where >> 8 & 255) < 32 && (where >> 16 & 15) < 8);
		CU_ASSERT(got[4 * i + 3] > 40 && got[4 * i + 3] < run.cycles);
		/* Wavefronts of a group have slots of their own. */
		if (i % 200 % 64 == 0 && i % 200)
			CU_ASSERT_NOT_EQUAL(where >> 8 & 255, last);
		last = where >> 8 & 255;
	}
	free(got);
	evg_program_free(program);
	fails("", "	ALU:\n0 x: MOV R2.x, PARAM_BASE_ADDR\n", "",
	      "source selector 240 is not supported");
}

/* ---- Modifiers of integers ---- */

/* The sign of a source is bit 31, whatever it is of; a result that is not a
 * float is not clamped. */
static void test_integer_modifiers(void)
{
	fails("", "	ALU:\n0 x: CNDE_INT_sat R2.x, R0.x, R0.y, R0.z\n", "",
	      "an output modifier on a result that is not a float");
	fails("", "	ALU:\n0 x: CNDGT_INT_sat R2.x, R0.x, R0.y, R0.z\n", "",
	      "an output modifier on a result that is not a float");
	fails("", "	ALU:\n0 x: CNDGE_INT_sat R2.x, R0.x, R0.y, R0.z\n", "",
	      "an output modifier on a result that is not a float");
	fails("", "	ALU:\n0 x: ADD_INT*2 R2.x, R0.x, R0.y\n", "",
	      "an output modifier on a result that is not a float");
	/* Bit 31 alone is 0 when negated, and 0 is then less than 0; 1 becomes
	 * negative. */
	GOOD("", "	ALU:\n0 x: MOV R2.x, 0x80000000\n y: MOV R2.y, 0\n"
	     " z: MOV R2.z, 1\n"
	     "1 x: CNDE_INT R2.x, -R2.x, 1, R0.x\n"
	     " y: CNDGE_INT R2.y, -R2.y, R0.x, 1\n"
	     " z: CNDGT_INT R2.z, -R2.z, R0.x, 1\n"
	     "2 x: ADD_INT R2.x, R2.x, R2.y\n"
	     "3 x: ADD_INT R2.x, R2.x, R2.z\n", "");
	ALL_ARE(3);
}

/* ---- Bounds of local memory ---- */

static void test_local_bounds(void)
{
	struct error error;
	struct program_run run = { .groups = 1, .local = 64,
				   .local_memory = 192 };
	struct evg_program *program = program_assemble(
		"", "	ALU:\n0 x: MOV R4.x, 64\n y: MOV R4.y, 128\n"
		    "1 x: SET_LDS_SIZE R4.x, R4.y\n"
		    "2 x: LDS_WRITE R6.x, R4.y\n"
		    "3 z: MOV R4.z, 192\n"
		    "4 x: SET_LDS_SIZE 0.0f, R4.z\n"
		    "5 x: LDS_READ_RET QA, R4.x\n"
		    "6 x: MOV R2.x, QA.pop\n", "", &error);
	uint32_t *got;

	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	got = program_run(program, &run);
	CU_ASSERT_STRING_EQUAL(run.error.text, "");
	if (got)
		CU_ASSERT_EQUAL(got[0], 128);
	free(got);
	evg_program_free(program);
	program = program_assemble(
		"", "	ALU:\n0 x: MOV R4.x, 64\n y: MOV R4.y, 128\n"
		    "1 x: SET_LDS_SIZE R4.x, R4.y\n"
		    "2 x: LDS_WRITE R4.y, R4.y\n", "", &error);
	got = program_run(program, &run);
	CU_ASSERT_PTR_NULL(got);
	CU_ASSERT_PTR_NOT_NULL(strstr(run.error.text, "has 128 bytes"));
	run.local_memory = 128;
	got = program_run(program, &run);
	CU_ASSERT_PTR_NULL(got);
	CU_ASSERT_PTR_NOT_NULL(strstr(run.error.text, "SET_LDS_SIZE"));
	evg_program_free(program);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "counted loops", test_counted_loops },
		{ "aL of nested loops", test_nested_loop_index },
		{ "registers by aL", test_loop_indexed_registers },
		{ "exports by aL", test_loop_indexed_export },
		{ "constants by aL", test_loop_indexed_constants },
		{ "four windows and CF index registers",
		  test_extended_clauses },
		{ "RAT by a CF index register", test_indexed_rat },
		{ "MOVA_INT to a register", test_address_result },
		{ "shared registers", test_shared_registers },
		{ "conditions on constants", test_conditions },
		{ "jump tables", test_jump_tables },
		{ "calls and returns", test_calls },
		{ "stack", test_stack },
		{ "selectors that ask the machine", test_selectors },
		{ "modifiers of integers", test_integer_modifiers },
		{ "bounds of local memory", test_local_bounds },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "evergreen emu flow", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
