/* Every ALU operation on one slot, against its scalar definition: corner and
 * random operands, every slot, operand and output modifiers, partial active
 * masks, predicates, float modes, and on each host instruction set that this
 * machine has. */
#include <stdio.h>

#include "evergreen/emu/alu-reference.h"
#include "evergreen/emu/fixture.h"
#include "unit/harness.h"

#define REF(id, sources, tolerance, ...)                                       \
	static uint32_t ref_##id(uint32_t a, uint32_t b, uint32_t c)           \
	{                                                                      \
		(void)a, (void)b, (void)c;                                     \
		__VA_ARGS__                                                    \
	}
#include "evergreen/emu/alu-reference.def"

static const struct reference {
	enum evg_alu_op op;
	unsigned sources, tolerance;
	uint32_t (*function)(uint32_t a, uint32_t b, uint32_t c);
} references[] = {
#define REF(id, sources, tolerance, ...)                                       \
	{EVG_ALU_##id, sources, tolerance, ref_##id},
#include "evergreen/emu/alu-reference.def"
};

enum { REFERENCES = sizeof references / sizeof references[0] };

/* Operations over several slots, or not on values: test-alu-wide.c and the
 * other tests. */
static const enum evg_alu_op elsewhere[] = {
	EVG_ALU_ALU_NOP, EVG_ALU_GROUP_BARRIER, EVG_ALU_SET_MODE,
	EVG_ALU_SET_CF_IDX0, EVG_ALU_SET_CF_IDX1, EVG_ALU_SET_LDS_SIZE,
	EVG_ALU_RECIP_64, EVG_ALU_RECIPSQRT_64, EVG_ALU_SQRT_64,
	EVG_ALU_FLT_TO_UINT4, EVG_ALU_MBCNT_32HI_INT,
	EVG_ALU_BCNT_ACCUM_PREV_INT, EVG_ALU_MBCNT_32LO_ACCUM_PREV_INT,
	EVG_ALU_SETE_64, EVG_ALU_SETNE_64, EVG_ALU_SETGT_64, EVG_ALU_SETGE_64,
	EVG_ALU_MIN_64, EVG_ALU_MAX_64, EVG_ALU_DOT4, EVG_ALU_DOT4_IEEE,
	EVG_ALU_FREXP_64, EVG_ALU_LDEXP_64, EVG_ALU_FRACT_64,
	EVG_ALU_PRED_SETGT_64, EVG_ALU_PRED_SETE_64, EVG_ALU_PRED_SETGE_64,
	EVG_ALU_MUL_64, EVG_ALU_ADD_64, EVG_ALU_MOVA_INT,
	EVG_ALU_FLT64_TO_FLT32, EVG_ALU_FLT32_TO_FLT64,
	EVG_ALU_SAD_ACCUM_PREV_UINT, EVG_ALU_CNDNE_64, EVG_ALU_FMA_64,
	EVG_ALU_LDS_IDX_OP,
};

static void test_every_row_has_a_reference(void)
{
	for (int op = 0; op < EVG_ALU_COUNT; op++) {
		int found = 0;

		for (int i = 0; i < REFERENCES; i++)
			found += (int)references[i].op == op;
		for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere;
		     i++)
			found += (int)elsewhere[i] == op;
		if (found != evg_alu_info[op].compute)
			printf("# %s\n", evg_alu_info[op].name);
		CU_ASSERT_EQUAL(found, evg_alu_info[op].compute);
	}
}

/* --- Operands ----------------------------------------------------------- */

static const uint32_t corners[] = {
	0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
	1, 2, 31, 32, 33, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x7ffffffe,
	0x00800000, 0x80800000, 0x007fffff, 0x807fffff, 0x00000fff,
	0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
	0x7f800001, 0x4b000000, 0xcb000000, 0x4b000001, 0x4effffff, 0x4f000000,
	0xcf000000, 0x4f7fffff, 0x4f800000, 0x3effffff, 0x3f7fffff, 0xb3000000,
	0x3e800000, 0xbe800000, 0x42fe0000, 0xc2fc0000, 0xc3150000, 0x477fe000,
	0x477ff000, 0x38800000, 0x387fffff, 0x33000000, 0x00ffffff, 0x01000000,
};

static uint32_t operand(void)
{
	uint32_t r = random_bits();

	switch (random_bits() % 6) {
	case 0:
		return r;
	case 1: /* a float of moderate size */
		return (r & 0x807fffff) | ((117 + (r >> 8) % 24) << 23);
	case 2:
		return r % 1024;
	case 3: /* few bits */
		return 1u << r % 32;
	default:
		return corners[r % (sizeof corners / sizeof *corners)];
	}
}

static uint32_t modified(uint32_t bits, const struct evg_source *source)
{
	if (source->absolute)
		bits &= 0x7fffffff;
	return source->negate ? bits ^ 0x80000000 : bits;
}

static uint32_t output(uint32_t bits, const struct evg_alu_inst *inst)
{
	static const float scale[] = {1, 2, 4, 0.5f};

	if (inst->output_modifier)
		bits = out_double((double)f(bits) *
				  scale[inst->output_modifier]);
	if (inst->clamp && reference_mode.clamp_keeps_nan && isnan(f(bits)))
		return bits;
	if (inst->clamp)
		bits = f(bits) > 1 ? 0x3f800000 : f(bits) > 0 ? bits : 0;
	return bits;
}

static bool is_close(uint32_t a, uint32_t b, unsigned tolerance)
{
	int64_t x = (int32_t)a < 0 ? -(int64_t)(a & 0x7fffffff) : (int64_t)a;
	int64_t y = (int32_t)b < 0 ? -(int64_t)(b & 0x7fffffff) : (int64_t)b;

	return a == b || (tolerance && llabs(x - y) <= tolerance);
}

/* --- Runs --------------------------------------------------------------- */

enum { DEST = 4, PREDICATE = 14, MASK = 15 };

/* The operation under a random active mask and a random predicate. */
static struct evg_program *one_operation(const struct evg_alu_group *group)
{
	struct evg_alu_group mask = group_predicate(gpr(MASK, 0), true, false);
	struct evg_alu_group groups[2] = {
		group_predicate(gpr(PREDICATE, 0), false, true), *group};
	struct assembler as;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &mask, 1);
	asm_alu(&as, EVG_CF_ALU, groups, 2);
	asm_cf(&as, EVG_CF_POP, as.count + 1, 1);
	return asm_program(&as);
}

/* What went into a wavefront and what it left in the destination. */
struct trial {
	uint32_t source[3][EVG_WAVEFRONT_SIZE];
	uint32_t mask[EVG_WAVEFRONT_SIZE], predicate[EVG_WAVEFRONT_SIZE];
	uint32_t before[EVG_WAVEFRONT_SIZE];
	uint32_t after[LEVELS][EVG_WAVEFRONT_SIZE];
};

static void fill(struct trial *trial, unsigned round)
{
	for (int lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		for (int k = 0; k < 3; k++)
			trial->source[k][lane] = operand();
		trial->mask[lane] = round == 0	  ? 1
				    : round == 1 ? lane >= 20 && lane < 23
						  : random_bits() >> 31;
		trial->predicate[lane] = random_bits() >> 31;
		trial->before[lane] = random_bits();
	}
}

static void run_trial(struct trial *trial, struct evg_ndrange *ndrange,
		      unsigned channel, uint32_t after[EVG_WAVEFRONT_SIZE])
{
	struct evg_work_group *group = evg_work_group_create(ndrange, 0);
	struct evg_wavefront *wavefront = evg_work_group_wavefront(group, 0);
	unsigned mode = evg_float_mode_begin();

	for (unsigned k = 0; k < 3; k++)
		memcpy(register_row(wavefront, k + 1, k), trial->source[k],
		       sizeof trial->source[k]);
	memcpy(register_row(wavefront, MASK, 0), trial->mask,
	       sizeof trial->mask);
	memcpy(register_row(wavefront, PREDICATE, 0), trial->predicate,
	       sizeof trial->predicate);
	memcpy(register_row(wavefront, DEST, channel), trial->before,
	       sizeof trial->before);
	CU_ASSERT_EQUAL(evg_wavefront_run(wavefront), EVG_RUN_ENDED);
	evg_float_mode_end(mode);
	memcpy(after, register_row(wavefront, DEST, channel),
	       sizeof trial->before);
	evg_work_group_free(group);
}

static bool check_trial(const struct trial *trial,
			const struct reference *reference,
			const struct evg_alu_inst *inst)
{
	for (int lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t v[3], wanted = trial->before[lane];
		bool runs = trial->mask[lane] &&
			    (!inst->predicate_select ||
			     trial->predicate[lane] ==
				     (inst->predicate_select == 3));

		for (int k = 0; k < 3; k++)
			v[k] = modified(trial->source[k][lane],
					&inst->source[k]);
		if (runs)
			wanted = output(reference->function(v[0], v[1], v[2]),
					inst);
		for (unsigned level = 0; level < level_count(); level++) {
			uint32_t got = trial->after[level][lane];

			if (trial->after[0][lane] == got &&
			    is_close(got, wanted,
				     runs ? reference->tolerance : 0))
				continue;
			printf("# %s lane %d level %u mask %d mode %02x: "
			       "%08x %08x %08x -> %08x (v2 %08x), wanted "
			       "%08x\n",
			       evg_alu_info[inst->op].name, lane, level, runs,
			       evg_float_mode_encode(&reference_mode), v[0], v[1], v[2], got,
			       trial->after[0][lane], wanted);
			return false;
		}
	}
	return true;
}

static bool check_group(const struct evg_alu_group *group,
			const struct reference *reference, unsigned slot,
			struct evg_float_mode mode)
{
	const struct evg_alu_inst *inst = &group->inst[slot];
	struct evg_program *program = one_operation(group);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch = launch_of(program, memory, 64, 64);
	struct evg_ndrange *ndrange[LEVELS];
	bool good = true;

	program->kernels[0].float_mode = mode;
	for (unsigned level = 0; level < level_count(); level++)
		ndrange[level] =
			level_ndrange(&launch, level);
	for (unsigned round = 0; good && round < 40; round++) {
		struct trial trial;

		fill(&trial, round);
		for (unsigned level = 0; level < level_count(); level++)
			run_trial(&trial, ndrange[level], inst->dest_channel,
				  trial.after[level]);
		reference_begin(&mode, mode.single_round);
		good = check_trial(&trial, reference, inst);
		reference_end();
	}
	for (unsigned level = 0; level < level_count(); level++)
		evg_ndrange_free(ndrange[level]);
	evg_memory_free(memory);
	program_free(program);
	return good;
}

/* The operation in a slot; round 0 without modifiers or predicate and in the
 * default float mode. */
static bool check_slot(const struct reference *reference, unsigned slot,
		       unsigned round)
{
	const struct evg_alu_info *info = &evg_alu_info[reference->op];
	struct evg_alu_group group = group_begin();
	unsigned channel = slot == EVG_T ? EVG_Y : slot;
	struct evg_source source[3] = {gpr(1, 0), gpr(2, 1), gpr(3, 2)};
	struct evg_float_mode mode = some_mode(round ? random_bits() : 0);
	struct evg_alu_inst *inst;

	/* An operation that fits everywhere takes t when its channel's slot
	 * is taken. */
	if (slot == EVG_T && info->slots != EVG_SLOTS_T)
		group_add(&group, EVG_Y, EVG_ALU_MOV, 14, EVG_Y, gpr(1, 0),
			  gpr(0, 0), gpr(0, 0));
	for (unsigned k = 0; round && k < 3; k++) {
		source[k].negate = random_bits() >> 31;
		source[k].absolute = !info->op3 && k < 2 && random_bits() >> 31;
	}
	inst = group_add(&group, slot, reference->op, DEST, channel, source[0],
			 source[1], source[2]);
	if (round && info->is_float) {
		inst->output_modifier = info->op3 ? 0 : random_bits() % 4;
		inst->clamp = random_bits() >> 31;
	}
	if (round && random_bits() % 3)
		inst->predicate_select = random_bits() % 2 ? 2 : 3;
	for (unsigned k = reference->sources; k < 3; k++)
		inst->source[k] = selector(0, 0);
	return check_group(&group, reference, slot, mode);
}

static bool check_reference(const struct reference *reference)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned round = 0; round < 12; round++)
			if (evg_alu_info[reference->op].slots >> slot & 1 &&
			    !check_slot(reference, slot, round))
				return false;
	return true;
}

static void test_operations(void)
{
	random_seed(5);
	for (int i = 0; i < REFERENCES; i++) {
		bool good = check_reference(&references[i]);

		if (!good)
			printf("# %s is wrong\n",
			       evg_alu_info[references[i].op].name);
		CU_ASSERT(good);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"every compute row has a reference",
		 test_every_row_has_a_reference},
		{"operations on one slot", test_operations},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu alu", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
