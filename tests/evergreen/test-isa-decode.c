/* Decoding and encoding of single instructions: words whose meaning is known
 * from machine code, every row there and back, and random words. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/table.h"
#include "unit/harness.h"
#include "unit/random.h"

/* --- Known words -------------------------------------------------------- */

/* From kernels of AMD's compiler and of LLVM. */
static const struct {
	uint32_t words[2];
	const char *text;
} cf_vectors[] = {
	{{0x8000001a, 0xa0340000},
	 "ALU: ADDR(26) CNT(14) KCACHE0(CB0:0-31)"},
	{{0x00000028, 0xa4000000}, "ALU_PUSH_BEFORE: ADDR(40) CNT(1)"},
	{{0x00000013, 0x82800001}, "JUMP  POP_CNT(1) ADDR(19)"},
	{{0x00000012, 0x81800000}, "LOOP_DX10 i0 FAIL_JUMP_ADDR(18)"},
	{{0x00000005, 0x81400000}, "ENDLOOP i0 PASS_JUMP_ADDR(5)"},
	{{0x00000011, 0x82400000}, "LOOP_BREAK ADDR(17)"},
	{{0x00000011, 0x83800001}, "POP (1) ADDR(17)"},
	{{0x00000012, 0x83400001}, "ELSE POP_CNT(1) ADDR(18)"},
	{{0x00000016, 0x80400000}, "TEX: ADDR(22) CNT(1)"},
	{{0x0080202b, 0xd5f01004},
	 "MEM_RAT_CACHELESS_STORE_RAW: RAT(11)[R1].x___, R0, ARRAY_SIZE(4) "
	 "MARK VPM"},
	{{0x0000a020, 0x95e01000},
	 "MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R0].x___, R1, ARRAY_SIZE(0)"},
	{{0x01812110, 0x9580f000},
	 "MEM_RAT_MSKOR: RAT(0)[R3], R2, ARRAY_SIZE(0)"},
	{{0x02002270, 0x9580f000},
	 "MEM_RAT_ADD_RTN: RAT(0)[R4], R0, ARRAY_SIZE(0)"},
	{{0xc0000000, 0x95200688}, "EXP_DONE: PIX0, R0"},
	{{0x00000000, 0x80200000}, "NOP"},
	/* By hand, from the field positions. */
	{{0x80030005, 0x87800000},
	 "GLOBAL_WAVE_SYNC: BARRIER RESOURCE(3) VALUE(5)"},
	{{0xc103a004, 0x94013010},
	 "MEM_WR_SCRATCH: DWORD_PTR[4+R2].xy__, R7, ARRAY_SIZE(16,4) "
	 "BRSTCNT(1)"},
};

static void test_cf_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(cf_vectors); i++) {
		struct evg_cf_inst inst;
		struct error error = {""};
		uint32_t words[4];
		char text[256];

		CU_ASSERT_EQUAL_FATAL(evg_cf_decode(&inst, cf_vectors[i].words,
						    1, &error),
				      1);
		evg_cf_format(text, sizeof(text), &inst);
		CU_ASSERT_STRING_EQUAL(text, cf_vectors[i].text);
		if (strcmp(text, cf_vectors[i].text))
			printf("# %s\n", text);
		CU_ASSERT_EQUAL(evg_cf_encode(words, &inst, &error), 1);
		CU_ASSERT(!memcmp(words, cf_vectors[i].words, 8));
	}
}

static void test_cf_fields(void)
{
	struct evg_cf_inst inst;
	struct error error = {""};

	CU_ASSERT_EQUAL(evg_cf_decode(&inst, cf_vectors[9].words, 1, &error),
			1);
	CU_ASSERT_EQUAL(inst.op, EVG_CF_MEM_RAT_NOCACHE);
	CU_ASSERT_EQUAL(inst.rat_op, EVG_RAT_STORE_RAW);
	CU_ASSERT_EQUAL(inst.rat_id, 11);
	CU_ASSERT_EQUAL(inst.type, 1);
	CU_ASSERT_EQUAL(inst.rw_gpr, 0);
	CU_ASSERT_EQUAL(inst.index_gpr, 1);
	CU_ASSERT_EQUAL(inst.component_mask, 1);
	CU_ASSERT_EQUAL(inst.array_size, 4);
	CU_ASSERT(inst.mark && inst.valid_pixel_mode && inst.barrier &&
		  inst.end_of_program);

	CU_ASSERT_EQUAL(evg_cf_decode(&inst, cf_vectors[0].words, 1, &error),
			1);
	CU_ASSERT_EQUAL(inst.op, EVG_CF_ALU);
	CU_ASSERT_EQUAL(inst.address, 26);
	CU_ASSERT_EQUAL(inst.count, 14);
	CU_ASSERT_EQUAL(inst.kcache[0].mode, 2);
	CU_ASSERT_EQUAL(inst.kcache[1].mode, 0);
	CU_ASSERT(inst.barrier && !inst.end_of_program);
}

/* LAST (bit 31 of the first word) is set here where the machine code had the
 * instruction in front of others of its group. */
static const struct {
	uint32_t words[4];
	const char *text;
} alu_vectors[] = {
	{{0x80002881, 0x20004790}, "t: MULLO_INT   R0.y,  KC0[1].z,  R1.x"},
	{{0x81106cfe, 0x60001a10}, "w: ADD_INT     R0.w,  PV6.w,  KC0[3].z"},
	{{0x801fa003, 0x608300fc, 0x40000000},
	 "w: MULADD_e    R4.w,  R3.x,  (0x40000000, 2.000000000e+00f).x,  "
	 "0.5f"},
	{{0x801f0c01, 0x00002104},
	 "x: PREDE_INT   ____,  R1.w,  0.0f      UPDATE_EXEC_MASK"},
	{{0x801f0c03, 0x0000218c},
	 "x: PREDGT_INT  ____,  R3.w,  0.0f      UPDATE_EXEC_MASK "
	 "UPDATE_PRED"},
	{{0xe01fa000, 0x60801810, 0x0000000f},
	 "w: (p) AND_INT R4.w,  R0.x,  (0x0000000f, 2.101947696e-44f).x"},
	{{0x80800c01, 0x01a22000}, "x: LDS_WRITE   R1.w,  R0.y"},
	{{0x81006c00, 0x068220f8}, "x: LDS_READ2_RET QAB,  R0.w,  R3.z"},
	{{0xe0000c04, 0x06422000}, "x: (p) LDS_READ_RET QA,  R4.w"},
	{{0x800000dd, 0x20000c90}, "y: MOV         R0.y,  QA.pop"},
	{{0x80000802, 0x00006600}, "x: MOVA_INT    ____,  R2.z"},
	{{0x80000c00, 0x10000c90}, "x: MOV         R[0+AR].x,  R0.w"},
	{{0x80000000, 0x00002a00}, "x: GROUP_BARRIER"},
};

static void test_alu_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(alu_vectors); i++) {
		struct evg_alu_group group;
		struct error error = {""};
		uint32_t words[16];
		char text[256], expect[256];
		int taken;

		taken = evg_alu_group_decode(&group, alu_vectors[i].words, 2,
					     &error);
		CU_ASSERT_EQUAL_FATAL(taken, group.literal_count ? 2 : 1);
		evg_alu_group_format(text, sizeof(text), &group, 7);
		snprintf(expect, sizeof(expect), "      7  %s\n",
			 alu_vectors[i].text);
		CU_ASSERT_STRING_EQUAL(text, expect);
		if (strcmp(text, expect))
			printf("# %s", text);
		CU_ASSERT_EQUAL(evg_alu_group_encode(words, &group, &error),
				taken);
		CU_ASSERT(!memcmp(words, alu_vectors[i].words,
				  8 * (size_t)taken));
	}
}

/* IDX_OFFSET is scattered over both words: each bit by itself. */
static void test_lds_offset(void)
{
	static const uint32_t bits[6][2] = {
		{0, 0x08000000}, {0, 0x00001000}, {0, 0x10000000},
		{0, 0x80000000}, {0x00001000, 0}, {0x02000000, 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(bits); i++) {
		uint32_t words[2] = {0x80800c01 | bits[i][0],
				     0x01a22000 | bits[i][1]};
		struct evg_alu_group group;
		struct error error = {""};

		CU_ASSERT_EQUAL(evg_alu_group_decode(&group, words, 1, &error),
				1);
		CU_ASSERT_EQUAL(group.inst[EVG_X].lds_op, EVG_LDS_WRITE);
		CU_ASSERT_EQUAL(group.inst[EVG_X].lds_offset, 1u << i);
	}
}

/* The first from LLVM, the others by hand from the field positions. */
static const struct {
	uint32_t words[4];
	bool gds;
	const char *text;
} fetch_vectors[] = {
	{{0x08010140, 0x115ff001, 0x00080006, 0}, false,
	 "VFETCH R1.x___, R1.x, fc1  MEGA(3) OFFSET(6) FORMAT(16) "
	 "NUM_FORMAT(INT) FETCH_TYPE(NO_INDEX_OFFSET)"},
	{{0x0002a810, 0x300d1001, 0xb082801f, 0x0deadfec}, false,
	 "SAMPLE R1.xyzw, R2.xy01, t168, s5  UNNORM(ZW) OFFSET(-1,0,0)"},
	{{0x05041062, 0x002d1005, 0x01000008, 0}, false,
	 "READ_SCRATCH R5.xyzw, DWORD_PTR[8+R4.y], ARRAY_SIZE(16), "
	 "ELEM_SIZE(3) BRSTCNT(1)"},
	{{0x10801c02, 0x08004006, 0x00000ff8, 0}, true,
	 "GDS_ADD_RET R6.x___, R3.xy0, UAV(2)"},
};

static void test_fetch_vectors(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(fetch_vectors); i++) {
		struct evg_fetch_inst inst;
		struct error error = {""};
		uint32_t words[4];
		char text[256];
		int taken = fetch_vectors[i].gds
				    ? evg_gds_decode(&inst,
						     fetch_vectors[i].words,
						     &error)
				    : evg_fetch_decode(&inst,
						       fetch_vectors[i].words,
						       &error);

		CU_ASSERT_EQUAL(taken, 2);
		if (taken < 0)
			continue;
		evg_fetch_format(text, sizeof(text), &inst);
		CU_ASSERT_STRING_EQUAL(text, fetch_vectors[i].text);
		if (strcmp(text, fetch_vectors[i].text))
			printf("# %s\n", text);
		CU_ASSERT_EQUAL(evg_fetch_encode(words, &inst, &error), 2);
		CU_ASSERT(!memcmp(words, fetch_vectors[i].words, 16));
	}
}

/* The second write to a channel is the t slot's. */
static void test_alu_slots(void)
{
	struct evg_alu_group group;
	struct error error = {""};
	/* ADD_INT R0.w, R0.x, R1.x and ADD_INT R2.w, R0.x, R1.x */
	static const uint32_t two[] = {0x00002000, 0x60001a10, 0x80002000,
				       0x60401a10};

	CU_ASSERT_EQUAL(evg_alu_group_decode(&group, two, 2, &error), 2);
	CU_ASSERT_EQUAL(group.slot_mask, 1u << EVG_W | 1u << EVG_T);
	CU_ASSERT_EQUAL(group.order[0], EVG_W);
	CU_ASSERT_EQUAL(group.order[1], EVG_T);
	CU_ASSERT_EQUAL(group.inst[EVG_T].dest_gpr, 2);
	CU_ASSERT_EQUAL(group.inst[EVG_T].dest_channel, EVG_W);
}

/* --- There and back ----------------------------------------------------- */

/* Calls `same` with `count` words in which random bits were flipped; a flip
 * stays when the words still decode to the same row. Thus every legal field is
 * tried with many values without knowing the layouts. Returns the number of
 * flips that stayed; -1 when encoding did not give the words back. */
enum { FLIPS = 400 };

static int flip_bits(uint32_t *words, unsigned bits, uint64_t seed,
		     int (*same)(const uint32_t *words, int row), int row)
{
	int kept = 0;

	for (int i = 0; i < FLIPS; i++) {
		uint32_t bit = random_draw(&seed) % bits;
		int result;

		words[bit / 32] ^= UINT32_C(1) << bit % 32;
		result = same(words, row);
		if (result < 0)
			return -1;
		if (result)
			kept++;
		else
			words[bit / 32] ^= UINT32_C(1) << bit % 32;
	}
	return kept;
}

static int same_cf(const uint32_t *words, int row)
{
	struct evg_cf_inst inst;
	uint32_t again[4];
	char text[256];
	int taken = evg_cf_decode(&inst, words, 2, NULL);

	if (taken < 0 || (int)inst.op != row)
		return 0;
	if (evg_cf_format(text, sizeof(text), &inst) >= sizeof(text))
		return -1;
	if (evg_cf_encode(again, &inst, NULL) != taken ||
	    memcmp(again, words, 8 * (size_t)taken))
		return -1;
	return 1;
}

static void test_cf_round_trip(void)
{
	for (int i = 0; i < EVG_CF_COUNT; i++) {
		struct evg_cf_inst inst = {.op = (enum evg_cf_op)i, .count = 1};
		uint32_t words[4] = {0};
		struct error error = {""};

		inst.format = evg_cf_info[i].format;
		if (i == EVG_CF_ALU_EXT) {
			CU_ASSERT_EQUAL(evg_cf_encode(words, &inst, &error),
					-1);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(evg_cf_encode(words, &inst, &error), 1);
		CU_ASSERT(flip_bits(words, 64, 1 + (uint32_t)i, same_cf, i) >
			  100);
		if (inst.format != EVG_CF_ALU_WORD)
			continue;
		inst.format = EVG_CF_ALU_EXTENDED_WORD;
		CU_ASSERT_EQUAL_FATAL(evg_cf_encode(words, &inst, &error), 2);
		CU_ASSERT(flip_bits(words, 128, 7 + (uint32_t)i, same_cf, i) >
			  100);
	}
}

static void test_rat_round_trip(void)
{
	for (int i = 0; i < EVG_RAT_COUNT; i++) {
		struct evg_cf_inst inst = {.op = EVG_CF_MEM_RAT,
					   .format = EVG_CF_EXPORT_RAT,
					   .rat_op = (enum evg_rat_op)i,
					   .type = 1,
					   .component_mask = 15};
		struct evg_cf_inst again;
		uint32_t words[2];
		struct error error = {""};

		CU_ASSERT_EQUAL(evg_cf_encode(words, &inst, &error), 1);
		CU_ASSERT_EQUAL(evg_cf_decode(&again, words, 1, &error), 1);
		CU_ASSERT_EQUAL(again.rat_op, inst.rat_op);
	}
}

enum { GROUP_WORDS = 14 };

static int same_alu(const uint32_t *words, int row)
{
	struct evg_alu_group group;
	uint32_t again[GROUP_WORDS];
	char text[2048];
	int taken = evg_alu_group_decode(&group, words, GROUP_WORDS / 2, NULL);

	if (taken < 0 || (int)group.inst[group.order[0]].op != row)
		return 0;
	if (evg_alu_group_format(text, sizeof(text), &group, 1) >= sizeof(text))
		return -1;
	if (evg_alu_group_encode(again, &group, NULL) != taken ||
	    memcmp(again, words, 8 * (size_t)taken))
		return -1;
	return 1;
}

/* The smallest group that the row can be in. */
static void minimal_group(struct evg_alu_group *group, int row)
{
	unsigned slots = evg_alu_info[row].slots;
	unsigned count = slots == EVG_SLOTS_FOUR   ? 4
			 : slots == EVG_SLOTS_PAIR ? 2
						   : 1;

	memset(group, 0, sizeof(*group));
	for (unsigned i = 0; i < count; i++) {
		unsigned slot = slots == EVG_SLOTS_T ? (unsigned)EVG_T : i;

		group->order[i] = (uint8_t)slot;
		group->slot_mask |= (uint8_t)(1u << slot);
		group->inst[slot].op = (enum evg_alu_op)row;
		group->inst[slot].dest_channel = (uint8_t)i;
		group->inst[slot].last = i == count - 1;
	}
	group->inst_count = (uint8_t)count;
}

static void test_alu_round_trip(void)
{
	for (int i = 0; i < EVG_ALU_COUNT; i++) {
		struct evg_alu_group group;
		struct error error = {""};
		uint32_t words[GROUP_WORDS] = {0};
		int units;

		minimal_group(&group, i);
		units = evg_alu_group_encode(words, &group, &error);
		CU_ASSERT_EQUAL_FATAL(units, group.inst_count);
		CU_ASSERT(flip_bits(words, 64 * (unsigned)units,
				    1000 + (uint32_t)i, same_alu, i) > 100);
	}
}

static void test_lds_round_trip(void)
{
	for (int i = 0; i < EVG_LDS_COUNT; i++) {
		for (unsigned offset = 0; offset < 64; offset++) {
			struct evg_alu_group group, again;
			struct error error = {""};
			uint32_t words[GROUP_WORDS];

			minimal_group(&group, EVG_ALU_LDS_IDX_OP);
			group.inst[0].lds_op = (enum evg_lds_op)i;
			group.inst[0].lds_offset = (uint8_t)offset;
			CU_ASSERT_EQUAL(evg_alu_group_encode(words, &group,
							     &error),
					1);
			CU_ASSERT_EQUAL(evg_alu_group_decode(&again, words, 1,
							     &error),
					1);
			CU_ASSERT_EQUAL((int)again.inst[0].lds_op, i);
			CU_ASSERT_EQUAL(again.inst[0].lds_offset, offset);
			CU_ASSERT_EQUAL(again.inst[0].source_count,
					evg_lds_info[i].source_count);
		}
	}
}

static int same_fetch(const uint32_t *words, int row)
{
	struct evg_fetch_inst inst;
	uint32_t again[4];
	char text[256];
	int taken = evg_fetch_info[row].layout == EVG_LAYOUT_GDS
			    ? evg_gds_decode(&inst, words, NULL)
			    : evg_fetch_decode(&inst, words, NULL);

	if (taken < 0 || (int)inst.op != row)
		return 0;
	if (evg_fetch_format(text, sizeof(text), &inst) >= sizeof(text))
		return -1;
	if (evg_fetch_encode(again, &inst, NULL) != 2 ||
	    memcmp(again, words, 16))
		return -1;
	return 1;
}

static void test_fetch_round_trip(void)
{
	for (int i = 0; i < EVG_FETCH_COUNT; i++) {
		struct evg_fetch_inst inst = {.op = (enum evg_fetch_op)i};
		struct error error = {""};
		uint32_t words[4];

		if (i == EVG_FETCH_CF_NATIVE) { /* VFETCH's code */
			CU_ASSERT_EQUAL(evg_fetch_encode(words, &inst, &error),
					-1);
			continue;
		}
		CU_ASSERT_EQUAL_FATAL(evg_fetch_encode(words, &inst, &error),
				      2);
		CU_ASSERT(flip_bits(words, 128, 5000 + (uint32_t)i, same_fetch,
				    i) > 100);
	}
}

/* --- Random and wrong words --------------------------------------------- */

static void test_fuzz(void)
{
	enum { ROUNDS = 200000 };
	uint64_t seed = 20091, good = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct evg_cf_inst cf;
		struct evg_alu_group group;
		struct evg_fetch_inst fetch;
		struct error error = {""};
		uint32_t words[GROUP_WORDS], again[GROUP_WORDS];
		char text[64]; /* too small now and then */
		int taken;

		/* Few bits set: more of them are defined. */
		for (int j = 0; j < GROUP_WORDS; j++) {
			words[j] = random_draw(&seed) & random_draw(&seed);
			if (i & 1)
				words[j] &= random_draw(&seed);
		}
		taken = evg_cf_decode(&cf, words, 1 + (size_t)i % 2, &error);
		if (taken > 0) {
			good++;
			evg_cf_format(text, sizeof(text), &cf);
			CU_ASSERT_EQUAL(evg_cf_encode(again, &cf, &error),
					taken);
			CU_ASSERT(!memcmp(again, words, 8 * (size_t)taken));
		}
		taken = evg_alu_group_decode(&group, words,
					     (size_t)i % (GROUP_WORDS / 2 + 1),
					     &error);
		if (taken > 0) {
			good++;
			evg_alu_group_format(text, sizeof(text), &group, 0);
			CU_ASSERT_EQUAL(evg_alu_group_encode(again, &group,
							     &error),
					taken);
			CU_ASSERT(!memcmp(again, words, 8 * (size_t)taken));
		}
		if (evg_fetch_decode(&fetch, words, &error) > 0) {
			good++;
			evg_fetch_format(text, sizeof(text), &fetch);
			CU_ASSERT_EQUAL(evg_fetch_encode(again, &fetch, &error),
					2);
			CU_ASSERT(!memcmp(again, words, 16));
		}
		if (evg_gds_decode(&fetch, words, &error) > 0) {
			good++;
			evg_fetch_format(text, sizeof(text), &fetch);
		}
	}
	CU_ASSERT(good > 1000);
}

static void expect_cf_error(uint32_t word0, uint32_t word1, const char *text)
{
	uint32_t words[2] = {word0, word1};
	struct evg_cf_inst inst;
	struct error error = {""};

	CU_ASSERT_EQUAL(evg_cf_decode(&inst, words, 1, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text, text);
	if (strcmp(error.text, text))
		printf("# %s\n", error.text);
}

static void expect_alu_error(const uint32_t *words, size_t units,
			     const char *text)
{
	struct evg_alu_group group;
	struct error error = {""};

	CU_ASSERT_EQUAL(evg_alu_group_decode(&group, words, units, &error), -1);
	CU_ASSERT_STRING_EQUAL(error.text, text);
	if (strcmp(error.text, text))
		printf("# %s\n", error.text);
}

#define WORDS(...) ((const uint32_t[]){__VA_ARGS__})

static void test_errors(void)
{
	struct evg_fetch_inst fetch;
	struct error error = {""};

	expect_cf_error(0, 0x83000000,
			"field CF_INST is 12, which is not a control-flow "
			"instruction (words 00000000 83000000)");
	expect_cf_error(0x08000000, 0x80000000,
			"CF_WORD: reserved bits 08000000 of word 0 are set "
			"(words 08000000 80000000)");
	expect_cf_error(0x06000000, 0x80000000,
			"CF_WORD: field JUMPTABLE_SEL is 6, which is not "
			"defined (words 06000000 80000000)");
	expect_cf_error(0x00000170, 0x95800000,
			"field RAT_INST is 23, which is not a memory operation "
			"(words 00000170 95800000)");
	expect_cf_error(0, 0xb0000000,
			"ALU_EXTENDED is the last word of the program (words "
			"00000000 b0000000)");
	expect_alu_error(WORDS(0x80000000, 0x00000380), 1,
			 "field ALU_INST is 7, which is not an OP2 instruction "
			 "(words 80000000 00000380)");
	expect_alu_error(WORDS(0x800000c0, 0x00000c90), 1,
			 "field SRC0_SEL is 192, which is not defined (words "
			 "800000c0 00000c90)");
	expect_alu_error(WORDS(0, 0x00000c90), 1,
			 "the clause ends inside a group: no instruction has "
			 "LAST set");
	expect_alu_error(WORDS(0x800000fd, 0x00000c90), 1,
			 "the clause ends before the group's 2 literals");
	expect_alu_error(WORDS(0, 0x00004790, 0x80000000, 0x00004790), 2,
			 "slot t, which MULLO_INT needs, is already taken in "
			 "its group (words 80000000 00004790)");
	expect_alu_error(WORDS(0, 0x00002a00, 0x80000000, 0x20000c90), 2,
			 "GROUP_BARRIER shares its group; expected a group of "
			 "its own (words 00000000 00002a00)");
	expect_alu_error(WORDS(0x80000000, 0x00005f10), 1,
			 "DOT4 in slot x needs the same instruction in slot y "
			 "(words 80000000 00005f10)");
	CU_ASSERT_EQUAL(evg_fetch_decode(&fetch, WORDS(15, 0, 0, 0), &error),
			-1);
	CU_ASSERT_STRING_EQUAL(error.text,
			       "field TEX_INST is 15 with INST_MOD 0, which is "
			       "not a fetch instruction (words 0000000f "
			       "00000000 00000000 00000000)");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"known CF words", test_cf_vectors},
		{"fields of CF words", test_cf_fields},
		{"known ALU words", test_alu_vectors},
		{"offset bits of LDS words", test_lds_offset},
		{"known fetch words", test_fetch_vectors},
		{"slot of a taken channel", test_alu_slots},
		{"every CF row there and back", test_cf_round_trip},
		{"every RAT row there and back", test_rat_round_trip},
		{"every ALU row there and back", test_alu_round_trip},
		{"every LDS row there and back", test_lds_round_trip},
		{"every fetch row there and back", test_fetch_round_trip},
		{"random words", test_fuzz},
		{"messages", test_errors},
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{"evergreen isa decode", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
