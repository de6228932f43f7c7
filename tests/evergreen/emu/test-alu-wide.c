/* Operations that join slots: sums, packing, results of the next lower slot,
 * double precision. Each against a scalar definition, with modifiers,
 * predicates and partial masks, in random float modes, on each host
 * instruction set. */
#include <stdio.h>

#include "evergreen/emu/wide-reference.h"
#include "unit/harness.h"

enum { ROUNDS = 10, VARIATIONS = 40 };

static const struct evg_source unused;

/* --- Modifiers and modes -------------------------------------------------- */

struct variation {
	struct evg_float_mode mode;
	bool negate[3], absolute[3]; /* of high dwords, or singles */
	bool clamp;
	uint8_t output_modifier, predicate_select;
};

static bool on_doubles(enum evg_alu_op op)
{
	return (evg_alu_info[op].slots == EVG_SLOTS_PAIR ||
		evg_alu_info[op].slots == EVG_SLOTS_FOUR) &&
	       op != EVG_ALU_DOT4 && op != EVG_ALU_DOT4_IEEE;
}

/* Whether results are doubles in slots x y and, in pairs, z w. */
static bool gives_double(enum evg_alu_op op)
{
	switch (op) {
	case EVG_ALU_ADD_64:
	case EVG_ALU_MUL_64:
	case EVG_ALU_FMA_64:
	case EVG_ALU_MIN_64:
	case EVG_ALU_MAX_64:
	case EVG_ALU_CNDNE_64:
	case EVG_ALU_FRACT_64:
	case EVG_ALU_LDEXP_64:
	case EVG_ALU_FLT32_TO_FLT64:
		return true;
	default:
		return false;
	}
}

static bool gives_single(enum evg_alu_op op)
{
	return op == EVG_ALU_DOT4 || op == EVG_ALU_DOT4_IEEE ||
	       op == EVG_ALU_FLT64_TO_FLT32 || evg_alu_info[op].is_predicate;
}

static bool is_low_slot(enum evg_alu_op op, unsigned slot)
{
	return on_doubles(op) &&
	       (evg_alu_info[op].slots == EVG_SLOTS_FOUR ? slot == 3
							 : slot % 2 == 1);
}

static struct variation some_variation(enum evg_alu_op op)
{
	struct variation v = {.mode = some_mode(random_bits())};

	for (unsigned k = 0; k < 3; k++) {
		/* The exponent is an integer. */
		if (op == EVG_ALU_LDEXP_64 && k == 1)
			continue;
		v.negate[k] = random_bits() >> 31;
		v.absolute[k] = !evg_alu_info[op].op3 && k < 2 &&
				random_bits() >> 31;
	}
	if (gives_single(op) && !evg_alu_info[op].op3)
		v.output_modifier = random_bits() % 4;
	if (gives_single(op) || gives_double(op))
		v.clamp = random_bits() >> 31;
	v.predicate_select = (uint8_t)(random_bits() % 4);
	if (v.predicate_select == 1)
		v.predicate_select = 0;
	return v;
}

static void vary(struct evg_alu_inst *inst, const struct variation *v,
		 enum evg_alu_op op)
{
	for (unsigned k = 0; k < evg_alu_info[op].source_count; k++) {
		inst->source[k].negate = v->negate[k];
		inst->source[k].absolute = v->absolute[k];
	}
	inst->clamp = v->clamp;
	inst->output_modifier = v->output_modifier;
	inst->predicate_select = v->predicate_select;
}

static void modify_operands(uint32_t source[3][4], const struct variation *v,
			    const struct operation *operation)
{
	for (unsigned k = 0; k < 3; k++)
		for (unsigned s = 0; s < 4; s++) {
			if (!(operation->slots >> s & 1) ||
			    is_low_slot(operation->op, s))
				continue;
			if (v->absolute[k])
				source[k][s] &= 0x7fffffff;
			if (v->negate[k])
				source[k][s] ^= 0x80000000;
		}
}

static uint32_t modified_single(uint32_t bits, const struct variation *v)
{
	static const float scale[] = {1, 2, 4, 0.5f};

	if (v->output_modifier)
		bits = out_double((double)f(bits) * scale[v->output_modifier]);
	if (!v->clamp || (reference_mode.clamp_keeps_nan && isnan(f(bits))))
		return bits;
	return f(bits) > 1 ? 0x3f800000 : f(bits) > 0 ? bits : 0;
}

static void modify_results(uint32_t result[4], const struct variation *v,
			   const struct operation *operation)
{
	bool is_double = gives_double(operation->op);

	for (unsigned s = 0; s < 4; s++) {
		double d;

		if (!(operation->slots >> s & 1))
			continue;
		if (gives_single(operation->op))
			result[s] = modified_single(result[s], v);
		if (!is_double || !v->clamp || s % 2)
			continue;
		d = join_bits(result[s + 1], result[s]);
		if (isnan(d) ? !reference_mode.clamp_keeps_nan
			     : join(result[s + 1], result[s]) <= 0)
			d = 0;
		else if (d > 1)
			d = 1;
		split_same(d, &result[s], &result[s + 1]);
	}
}

/* --- Runs --------------------------------------------------------------- */

struct trial {
	uint32_t source[3][4][EVG_WAVEFRONT_SIZE];
	uint32_t mask[EVG_WAVEFRONT_SIZE], predicate[EVG_WAVEFRONT_SIZE];
	uint32_t after[LEVELS][4][EVG_WAVEFRONT_SIZE];
};

static void run_trial(struct trial *trial, struct evg_ndrange *ndrange,
		      unsigned level)
{
	struct evg_work_group *group = evg_work_group_create(ndrange, 0);
	struct evg_wavefront *wavefront = evg_work_group_wavefront(group, 0);
	unsigned mode = evg_float_mode_begin();

	for (unsigned k = 0; k < 3; k++)
		for (unsigned s = 0; s < 4; s++)
			memcpy(register_row(wavefront, 1 + k, s),
			       trial->source[k][s], EVG_ROW_BYTES);
	memcpy(register_row(wavefront, 15, 0), trial->mask, EVG_ROW_BYTES);
	memcpy(register_row(wavefront, 14, 0), trial->predicate, EVG_ROW_BYTES);
	CU_ASSERT_EQUAL(evg_wavefront_run(wavefront), EVG_RUN_ENDED);
	evg_float_mode_end(mode);
	for (unsigned s = 0; s < 4; s++)
		memcpy(trial->after[level][s], register_row(wavefront, 5, s),
		       EVG_ROW_BYTES);
	evg_work_group_free(group);
}

static bool check_lane(const struct trial *trial,
		       const struct operation *operation,
		       const struct variation *v, unsigned lane)
{
	uint32_t source[3][4], wanted[4] = {0};
	bool runs = trial->mask[lane] &&
		    (!v->predicate_select ||
		     trial->predicate[lane] == (v->predicate_select == 3));
	unsigned defined = 0xf;

	for (unsigned k = 0; k < 3; k++)
		for (unsigned s = 0; s < 4; s++)
			source[k][s] = trial->source[k][s][lane];
	modify_operands(source, v, operation);
	if (runs) {
		defined = operation->define(source, lane, wanted);
		modify_results(wanted, v, operation);
	}
	for (unsigned s = 0; s < 4; s++)
		for (unsigned level = 0; level < level_count(); level++) {
			uint32_t got = trial->after[level][s][lane];

			/* The other slots are MOVs. */
			if (trial->mask[lane] && !(operation->slots >> s & 1))
				wanted[s] = source[0][s];

			if (got == trial->after[0][s][lane] &&
			    (!(defined >> s & 1) || got == wanted[s]))
				continue;
			printf("# %s lane %u slot %u level %u mode %02x: %08x, "
			       "wanted %08x\n",
			       evg_alu_info[operation->op].name, lane, s,
			       level, evg_float_mode_encode(&v->mode), got,
			       wanted[s]);
			return false;
		}
	return true;
}

static struct evg_program *operation_program(const struct operation *operation,
					     const struct variation *v)
{
	struct evg_alu_group groups[2] = {
		group_predicate(gpr(14, 0), false, true), group_begin()};
	struct evg_alu_group mask = group_predicate(gpr(15, 0), true, false);
	struct evg_program *program;
	struct evg_alu_inst *inst;
	struct assembler as;
	unsigned count = evg_alu_info[operation->op].source_count;

	for (unsigned s = 0; s < 4; s++) {
		bool is_it = operation->slots >> s & 1;

		inst = group_add(&groups[1], s,
				 is_it ? operation->op : EVG_ALU_MOV, 5, s,
				 gpr(1, s),
				 is_it && count > 1 ? gpr(2, s) : unused,
				 is_it && count > 2 ? gpr(3, s) : unused);
		if (is_it)
			vary(inst, v, operation->op);
	}
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &mask, 1);
	asm_alu(&as, EVG_CF_ALU_POP_AFTER, groups, 2);
	program = asm_program(&as);
	program->kernels[0].float_mode = v->mode;
	return program;
}

static unsigned rounding(enum evg_alu_op op, const struct evg_float_mode *mode)
{
	return on_doubles(op) && op != EVG_ALU_FLT64_TO_FLT32
		       ? mode->double_round
		       : mode->single_round;
}

static bool check_operation(const struct operation *operation,
			    const struct variation *v)
{
	struct evg_program *program = operation_program(operation, v);
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch = launch_of(program, memory, 64, 64);
	bool good = true;

	for (unsigned round = 0; good && round < ROUNDS; round++) {
		struct trial trial;

		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			trial.mask[lane] = round == 0	? 1
					   : round == 1 ? lane / 3 == 7
							: random_bits() >> 31;
			trial.predicate[lane] = random_bits() >> 31;
			for (unsigned k = 0; k < 3; k++)
				for (unsigned s = 0; s < 4; s++)
					trial.source[k][s][lane] =
						operation->make(s);
		}
		for (unsigned level = 0; level < level_count(); level++) {
			struct evg_ndrange *ndrange = level_ndrange(&launch, level);

			run_trial(&trial, ndrange, level);
			evg_ndrange_free(ndrange);
		}
		reference_begin(&v->mode, rounding(operation->op, &v->mode));
		for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE;
		     lane++)
			good = check_lane(&trial, operation, v, lane);
		reference_end();
	}
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static void test_joined_slots(void)
{
	random_seed(5870);
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		/* Its operand and its result have modes of their own. */
		unsigned rounds = operations[i].op == EVG_ALU_FLT64_TO_FLT32
					  ? 8 * VARIATIONS
					  : VARIATIONS;

		for (unsigned round = 0; round < rounds; round++) {
			struct variation v = {0};

			if (round)
				v = some_variation(operations[i].op);
			CU_ASSERT(check_operation(&operations[i], &v));
		}
	}
}

/* The t slot's double functions: high dword in source 0, low in source 1, the
 * channel says which half of the result. */
static bool check_function(enum evg_alu_op op, double (*function)(double))
{
	struct evg_alu_group groups[2] = {
		group_of(op, 5, 0, gpr(1, 0), gpr(2, 0), unused),
		group_of(op, 5, 1, gpr(1, 0), gpr(2, 0), unused)};
	struct assembler as;
	struct evg_program *program;
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch;
	struct trial trial;
	struct evg_float_mode mode = some_mode(random_bits());
	bool good = true;

	memset(&trial, 0, sizeof trial);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, groups, 2);
	program = asm_program(&as);
	program->kernels[0].float_mode = mode;
	launch = launch_of(program, memory, 64, 64);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		trial.source[0][0][lane] = double_high();
		trial.source[1][0][lane] = double_low();
	}
	for (unsigned level = 0; level < level_count(); level++) {
		struct evg_ndrange *ndrange =
			level_ndrange(&launch, level);

		run_trial(&trial, ndrange, level);
		evg_ndrange_free(ndrange);
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			uint32_t low, high;

			reference_begin(&mode, mode.double_round);
			split(function(join(trial.source[0][0][lane],
					    trial.source[1][0][lane])),
			      &low, &high);
			reference_end();
			good &= trial.after[level][0][lane] == low &&
				trial.after[level][1][lane] == high;
		}
	}
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static double reciprocal(double x)
{
	return 1 / x;
}

static double reciprocal_root(double x)
{
	return 1 / sqrt(x);
}

static void test_double_functions(void)
{
	random_seed(64);
	for (int round = 0; round < 20; round++) {
		CU_ASSERT(check_function(EVG_ALU_RECIP_64, reciprocal));
		CU_ASSERT(
			check_function(EVG_ALU_RECIPSQRT_64, reciprocal_root));
		CU_ASSERT(check_function(EVG_ALU_SQRT_64, sqrt));
	}
}

/* proof.def names this test for just what it runs. */
static void test_proofs(void)
{
	static const struct {
		enum evg_alu_op op;
		const char *test;
	} rows[] = {
#define PROOF_ALU(id, how, test) {EVG_ALU_##id, test},
#include "evergreen/proof.def"
	};
	size_t named = 0, count = sizeof operations / sizeof *operations;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool runs = rows[i].op == EVG_ALU_RECIP_64 ||
			    rows[i].op == EVG_ALU_RECIPSQRT_64 ||
			    rows[i].op == EVG_ALU_SQRT_64;

		for (size_t k = 0; k < count; k++)
			runs |= operations[k].op == rows[i].op;
		CU_ASSERT_EQUAL(runs, !strcmp(rows[i].test, "alu-wide"));
		named += runs;
	}
	CU_ASSERT_EQUAL(named, count + 3);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"operations over several slots", test_joined_slots},
		{"double functions of the t slot", test_double_functions},
		{"what is listed as proved here", test_proofs},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu wide", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
