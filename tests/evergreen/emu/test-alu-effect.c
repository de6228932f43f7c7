/* What ALU instructions do besides their result: the predicate and the active
 * mask by PRED_SET*, modes by SET_MODE and SET_LDS_SIZE; and that every
 * instruction a compute kernel may hold can be executed. */
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/alu-reference.h"
#include "evergreen/emu/fixture.h"
#include "unit/harness.h"

static const struct evg_source unused;

/* One wavefront of a program, not yet run. */
struct rig {
	struct evg_program *program;
	struct evg_memory *memory;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
};

static void rig_start(struct rig *rig, struct assembler *as,
		      uint32_t local_memory)
{
	struct evg_launch launch;
	struct error error;

	rig->program = asm_program(as);
	rig->memory = evg_memory_create(1 << 20, NULL);
	launch = launch_of(rig->program, rig->memory, 64, 64);
	launch.local_memory = local_memory;
	rig->ndrange = evg_ndrange_create(&launch, &error);
	rig->group = evg_work_group_create(rig->ndrange, 0);
	rig->wavefront = evg_work_group_wavefront(rig->group, 0);
}

static void rig_end(struct rig *rig)
{
	evg_work_group_free(rig->group);
	evg_ndrange_free(rig->ndrange);
	evg_memory_free(rig->memory);
	program_free(rig->program);
}

/* "" or what went wrong. */
static const char *rig_run(struct rig *rig, struct error *error)
{
	unsigned mode = evg_float_mode_begin();

	error->text[0] = '\0';
	if (evg_wavefront_run(rig->wavefront) == EVG_RUN_FAULT)
		evg_fault_report(rig->wavefront, error);
	evg_float_mode_end(mode);
	return error->text;
}

/* --- PRED_SET* ----------------------------------------------------------- */

enum { A = 1, B = 2, SEEN = 5 };

static double double_of(uint32_t high, uint32_t low)
{
	uint64_t bits = (uint64_t)high << 32 | low;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Whether the predicate is true of the operands in x (and y: low dwords). */
static bool is_true(enum evg_alu_op op, const uint32_t a[2],
		    const uint32_t b[2])
{
	float x = f(a[0]), y = f(b[0]);
	double u = double_of(a[0], a[1]), v = double_of(b[0], b[1]);
	int32_t i = (int32_t)a[0], j = (int32_t)b[0];

	switch (op) {
	case EVG_ALU_PRED_SETE:
		return x == y;
	case EVG_ALU_PRED_SETGT:
		return x > y;
	case EVG_ALU_PRED_SETGE:
		return x >= y;
	case EVG_ALU_PRED_SETNE:
		return x != y;
	case EVG_ALU_PRED_SETE_INT:
		return i == j;
	case EVG_ALU_PRED_SETGT_INT:
		return i > j;
	case EVG_ALU_PRED_SETGE_INT:
		return i >= j;
	case EVG_ALU_PRED_SETNE_INT:
		return i != j;
	case EVG_ALU_PRED_SETGT_UINT:
		return a[0] > b[0];
	case EVG_ALU_PRED_SETGE_UINT:
		return a[0] >= b[0];
	case EVG_ALU_PRED_SETE_64:
		return u == v;
	case EVG_ALU_PRED_SETGT_64:
		return u > v;
	case EVG_ALU_PRED_SETGE_64:
		return u >= v;
	default:
		printf("# no definition of %s\n", evg_alu_info[op].name);
		CU_ASSERT(0);
		return false;
	}
}

static struct evg_alu_group compare(enum evg_alu_op op, bool execute_mask,
				    bool predicate)
{
	struct evg_alu_group group = group_begin();
	unsigned slots = evg_alu_info[op].slots == EVG_SLOTS_PAIR ? 2 : 1;

	for (unsigned s = 0; s < slots; s++) {
		struct evg_alu_inst *inst = group_add(
			&group, s, op, 0, s, gpr(A, s), gpr(B, s), unused);

		inst->write_mask = false;
		inst->update_execute_mask = execute_mask;
		inst->update_predicate = predicate;
	}
	return group;
}

/* R5.channel = 1 in lanes that run it. */
static struct evg_alu_group mark(unsigned channel, unsigned predicate_select)
{
	struct evg_alu_group group =
		group_of(EVG_ALU_MOV, SEEN, channel,
			 selector(EVG_SELECT_1_INT, 0), unused, unused);

	group.inst[channel].predicate_select = (uint8_t)predicate_select;
	return group;
}

static uint32_t value(unsigned channel)
{
	static const uint32_t some[] = {0, 0x80000000, 0x3f800000, 0xbf800000,
					0x7fc00000, 0x3ff00000, 0x00000001,
					0xffffffff};
	uint32_t r = random_bits();

	return channel ? r % 2 : some[r % 8];
}

static void check_predicate(enum evg_alu_op op, bool execute_mask,
			    bool predicate)
{
	struct evg_alu_group mask = group_predicate(gpr(15, 0), true, false);
	struct evg_alu_group groups[4] = {compare(op, execute_mask, predicate),
					  mark(0, 0), mark(1, 2), mark(2, 3)};
	struct assembler as;
	struct rig rig;
	struct error error;
	bool good = true;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &mask, 1);
	asm_alu(&as, EVG_CF_ALU, groups, predicate ? 4 : 2);
	asm_cf(&as, EVG_CF_POP, as.count + 1, 1);
	rig_start(&rig, &as, 0);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		for (unsigned c = 0; c < 2; c++) {
			register_row(rig.wavefront, A, c)[lane] = value(c);
			register_row(rig.wavefront, B, c)[lane] = value(c);
		}
		register_row(rig.wavefront, 15, 0)[lane] = random_bits() >> 31;
	}
	CU_ASSERT_STRING_EQUAL(rig_run(&rig, &error), "");
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t a[2], b[2], wanted[3];
		bool active = register_row(rig.wavefront, 15, 0)[lane], p;

		for (unsigned c = 0; c < 2; c++) {
			a[c] = register_row(rig.wavefront, A, c)[lane];
			b[c] = register_row(rig.wavefront, B, c)[lane];
		}
		p = is_true(op, a, b);
		wanted[0] = active && (p || !execute_mask);
		wanted[1] = wanted[0] && predicate && !p;
		wanted[2] = wanted[0] && predicate && p;
		for (unsigned c = 0; c < 3; c++)
			good &= register_row(rig.wavefront, SEEN, c)[lane] ==
				wanted[c];
	}
	if (!good)
		printf("# %s, mask %d, predicate %d\n", evg_alu_info[op].name,
		       execute_mask, predicate);
	CU_ASSERT(good);
	rig_end(&rig);
}

static void test_predicates(void)
{
	random_seed(32);
	for (int op = 0; op < EVG_ALU_COUNT; op++)
		for (int what = 0; what < 12; what++)
			if (evg_alu_info[op].is_predicate &&
			    evg_alu_info[op].compute)
				check_predicate((enum evg_alu_op)op, what & 1,
						what >> 1 & 1);
}

/* --- Modes --------------------------------------------------------------- */

static struct evg_alu_group set(enum evg_alu_op op, struct evg_source a,
				struct evg_source b)
{
	struct evg_alu_group group = group_of(op, 0, 0, a, b, unused);

	group.inst[0].write_mask = false;
	return group;
}

static struct evg_alu_group quotient(unsigned channel)
{
	/* 1 + 2^-24 is halfway between two singles. */
	return group_of(EVG_ALU_ADD, SEEN, channel, gpr(A, 0), gpr(B, 0),
			unused);
}

/* The mode comes from the first active lane and counts from the next group on,
 * in later clauses too, until another comes. */
static void test_set_mode(void)
{
	struct evg_alu_group mask = group_predicate(gpr(15, 0), true, false);
	struct evg_alu_group groups[4] = {quotient(0),
					  set(EVG_ALU_SET_MODE, gpr(3, 0), unused),
					  quotient(1), quotient(2)};
	struct evg_alu_group later[2] = {
		quotient(3),
		set(EVG_ALU_SET_MODE, selector(EVG_SELECT_0, 0), unused)};
	struct evg_alu_group last =
		group_of(EVG_ALU_ADD, SEEN + 1, 0, gpr(A, 0), gpr(B, 0), unused);
	struct assembler as;
	struct rig rig;
	struct error error;

	/* In its own group another instruction still has the old mode. */
	group_add(&groups[1], EVG_Y, EVG_ALU_ADD, SEEN + 1, 1, gpr(A, 0),
		  gpr(B, 0), unused);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &mask, 1);
	asm_alu(&as, EVG_CF_ALU, groups, 4);
	asm_alu(&as, EVG_CF_ALU, later, 2);
	asm_alu(&as, EVG_CF_ALU, &last, 1);
	asm_cf(&as, EVG_CF_POP, as.count + 1, 1);
	rig_start(&rig, &as, 0);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		register_row(rig.wavefront, A, 0)[lane] = 0x3f800000;
		register_row(rig.wavefront, B, 0)[lane] = 0x33800000;
		register_row(rig.wavefront, 3, 0)[lane] = lane == 7 ? 0xc1 : 0;
		register_row(rig.wavefront, 15, 0)[lane] = lane >= 7;
	}
	CU_ASSERT_STRING_EQUAL(rig_run(&rig, &error), "");
	for (unsigned lane = 7; lane < EVG_WAVEFRONT_SIZE; lane++) {
		for (unsigned c = 0; c < 4; c++)
			CU_ASSERT_EQUAL(
				register_row(rig.wavefront, SEEN, c)[lane],
				c ? 0x3f800001 : 0x3f800000);
		for (unsigned c = 0; c < 2; c++)
			CU_ASSERT_EQUAL(
				register_row(rig.wavefront, SEEN + 1, c)[lane],
				0x3f800000);
	}
	/* The thread's own mode is back. */
	CU_ASSERT_EQUAL(fegetround(), FE_TONEAREST);
	rig_end(&rig);
}

static void test_set_lds_size(void)
{
	struct evg_alu_group groups[4] = {
		group_lds(EVG_LDS_WRITE, gpr(A, 0), gpr(A, 0), unused),
		set(EVG_ALU_SET_LDS_SIZE, gpr(B, 1), gpr(B, 0)),
		group_lds(EVG_LDS_WRITE, gpr(A, 0), gpr(A, 0), unused)};
	struct assembler as;
	struct rig rig;
	struct error error;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, 3);
	rig_start(&rig, &as, 256);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		register_row(rig.wavefront, A, 0)[lane] = 4 * lane;
		register_row(rig.wavefront, B, 0)[lane] = 160;
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(rig_run(&rig, &error),
				      "work-item (40, 0, 0)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "has 160 bytes"));
	rig_end(&rig);
}

/* --- Every instruction --------------------------------------------------- */

/* Alone in its group, with all the slots that it needs. */
static struct evg_alu_group plain_group(enum evg_alu_op op)
{
	const struct evg_alu_info *info = &evg_alu_info[op];
	struct evg_alu_group group = group_begin();
	unsigned slots = info->slots == EVG_SLOTS_PAIR	? 3
			 : info->slots == EVG_SLOTS_FOUR ? 15
			 : info->slots == EVG_SLOTS_T	 ? 16
							 : 1;
	bool result = true;

	switch (op) {
	case EVG_ALU_FLT_TO_UINT4:
		slots = 15;
		break;
	case EVG_ALU_SAD_ACCUM_PREV_UINT:
	case EVG_ALU_BCNT_ACCUM_PREV_INT:
	case EVG_ALU_MBCNT_32LO_ACCUM_PREV_INT:
		slots = 3; /* the second is a MOV */
		break;
	case EVG_ALU_MOVA_INT:
	case EVG_ALU_SET_MODE:
	case EVG_ALU_SET_LDS_SIZE:
	case EVG_ALU_SET_CF_IDX0:
	case EVG_ALU_SET_CF_IDX1:
	case EVG_ALU_ALU_NOP:
	case EVG_ALU_GROUP_BARRIER:
	case EVG_ALU_LDS_IDX_OP:
		result = false;
		break;
	default:
		break;
	}
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		bool twin = info->slots == EVG_SLOTS_VECTOR && s == 1 &&
			    slots == 3;

		if (slots >> s & 1)
			group_add(&group, s, twin ? EVG_ALU_MOV : op, 4, s % 4,
				  gpr(1, s % 4), gpr(2, s % 4), gpr(3, s % 4))
				->write_mask = result;
	}
	return group;
}

static void check_executes(const struct evg_alu_group *group, const char *name)
{
	struct assembler as;
	struct rig rig;
	struct error error;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, group, 1);
	rig_start(&rig, &as, 1024);
	rig_run(&rig, &error);
	if (error.text[0])
		printf("# %s: %s\n", name, error.text);
	CU_ASSERT_EQUAL(error.text[0], '\0');
	rig_end(&rig);
}

static void test_every_instruction(void)
{
	for (int op = 0; op < EVG_ALU_COUNT; op++) {
		struct evg_alu_group group;

		if (!evg_alu_info[op].compute)
			continue;
		group = plain_group((enum evg_alu_op)op);
		check_executes(&group, evg_alu_info[op].name);
	}
	for (int op = 0; op < EVG_LDS_COUNT; op++) {
		struct evg_alu_group group;

		if (!evg_lds_info[op].compute)
			continue;
		group = group_lds((enum evg_lds_op)op, gpr(1, 0), gpr(2, 0),
				  gpr(3, 0));
		check_executes(&group, evg_lds_info[op].name);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"PRED_SET*: mask and predicate", test_predicates},
		{"SET_MODE", test_set_mode},
		{"SET_LDS_SIZE", test_set_lds_size},
		{"every compute instruction executes", test_every_instruction},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu effects", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
