/* Branch prediction as a whole: known answers, and wrong paths that leave
 * nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "x86/predict/program.h"

/* One branch, resolved and retired at once. */
static struct predict_answer once(struct predict_unit *unit,
				  const struct branch *branch, uint64_t behind,
				  bool taken, uint64_t next)
{
	struct predict_outcome outcome = { next, taken };
	struct predict_answer answer =
		predict_unit_predict(unit, branch, behind, NULL);
	bool right = predict_unit_resolve(unit, answer.checkpoint, &outcome);

	CU_ASSERT_EQUAL(right, answer.next == next);
	predict_unit_commit(unit);
	return answer;
}

static void test_sources(void)
{
	struct predict_config config;
	struct predict_unit unit;
	struct predict_answer answer;
	struct branch jump = { .address = 0x100, .target = 0x900,
			       .kind = BRANCH_JUMP };
	struct branch call = { .address = 0x200, .target = 0x800,
			       .kind = BRANCH_CALL };
	struct branch back = { .address = 0x810, .kind = BRANCH_RETURN };
	struct branch far = { .address = 0x300, .kind = BRANCH_INDIRECT_JUMP };
	struct branch if_not = { .address = 0x400, .target = 0x440 };

	predict_config_defaults(&config);
	config.kind = DIRECTION_not_taken;
	predict_unit_init(&unit, &config, 1);
	answer = once(&unit, &jump, 0x105, true, 0x900);
	CU_ASSERT(answer.next == 0x900 && answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_DECODE);
	answer = once(&unit, &jump, 0x105, true, 0x900);
	CU_ASSERT(answer.next == 0x900);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_BTB);
	/* Code that was written over. */
	jump.target = 0x980;
	answer = once(&unit, &jump, 0x105, true, 0x980);
	CU_ASSERT(answer.next == 0x980);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_DECODE);
	once(&unit, &call, 0x205, true, 0x800);
	answer = once(&unit, &back, 0x811, true, 0x205);
	CU_ASSERT(answer.next == 0x205 && answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_DECODE);
	answer = once(&unit, &far, 0x302, true, 0x700);
	CU_ASSERT(answer.next == 0 && answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_NOTHING);
	answer = once(&unit, &far, 0x302, true, 0x760);
	CU_ASSERT(answer.next == 0x700);
	answer = once(&unit, &if_not, 0x402, false, 0x402);
	CU_ASSERT(answer.next == 0x402 && !answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_FALL_THROUGH);
	once(&unit, &if_not, 0x402, true, 0x440);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_CONDITIONAL].branches, 2);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_CONDITIONAL].taken, 1);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_CONDITIONAL].wrong, 1);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_CONDITIONAL].wrong_way, 1);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_INDIRECT_JUMP].wrong, 2);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_INDIRECT_JUMP].wrong_way, 0);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_JUMP].wrong, 0);
	predict_unit_free(&unit);
}

static void test_second_level(void)
{
	struct predict_config config;
	struct predict_unit unit;
	struct branch jump = { .target = 0x900, .kind = BRANCH_JUMP };
	struct predict_answer answer;

	predict_config_defaults(&config);
	config.btb_sets = config.btb_ways = 1;
	config.btb2_sets = 16;
	config.btb_miss = PREDICT_MISS_FALL_THROUGH;
	predict_unit_init(&unit, &config, 1);
	jump.address = 1;
	answer = once(&unit, &jump, 6, true, 0x900);
	CU_ASSERT(answer.next == 6 && !answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_FALL_THROUGH);
	CU_ASSERT_EQUAL(unit.counts[BRANCH_JUMP].wrong_way, 1);
	jump.address = 2;
	once(&unit, &jump, 7, true, 0x900);
	jump.address = 1;
	answer = once(&unit, &jump, 6, true, 0x900);
	CU_ASSERT(answer.next == 0x900 && answer.taken);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_BTB2);
	answer = once(&unit, &jump, 6, true, 0x900);
	CU_ASSERT_EQUAL(answer.source, PREDICT_FROM_BTB);
	predict_unit_free(&unit);
}

static void choose_config(struct predict_config *config, uint64_t *seed,
			  int kind)
{
	uint64_t draw = random_draw(seed);

	predict_config_defaults(config);
	config->kind = kind;
	config->indirect = (int)(draw % TARGET_COUNT);
	config->btb_sets = 1u << (draw >> 8) % 7;
	config->btb_ways = 1 + (draw >> 12) % 4;
	config->btb2_sets = (draw >> 16) % 2 ? 64 : 0;
	config->btb_miss = (int)(draw >> 20 & 1);
	config->ras_size = 1 + (draw >> 24) % 20;
	config->train = (int)(draw >> 32 & 1);
	CU_ASSERT_EQUAL_FATAL(predict_config_check(config, NULL), 0);
}

static bool same_state(const struct predict_unit *one,
		       const struct predict_unit *other)
{
	return !memcmp(one->direction.state, other->direction.state,
		       direction_state_bytes(&one->direction)) &&
	       !memcmp(one->target.state, other->target.state,
		       target_state_bytes(&one->target)) &&
	       !memcmp(one->btb.state, other->btb.state,
		       btb_state_bytes(one->config)) &&
	       !memcmp(one->stack.state, other->stack.state,
		       return_stack_bytes(one->config));
}

enum { LATE = 8, WRONG = 24, STEPS = 2500 };

/* A wrong path: branches of another program, some of which resolve and go wrong
 * there, too. */
static void stray(struct predict_unit *unit, uint64_t *seed, uint32_t at)
{
	struct program astray = { .seed = random_draw(seed), .at = at };
	uint32_t length = (uint32_t)(random_draw(seed) % WRONG);

	while (length-- > 0) {
		struct program_step step = program_next(&astray);
		struct predict_answer answer = predict_unit_predict(
			unit, &step.branch, step.behind, &step.outcome);

		/* Where tables learn from wrong paths, nothing resolves
		 * there: the other unit does not see them. */
		if (unit->config->train == PREDICT_TRAIN_COMMIT &&
		    random_draw(seed) % 2)
			predict_unit_resolve(unit, answer.checkpoint,
					     &step.outcome);
	}
}

/* One unit sees the right path alone, the other what a pipeline fetches. */
static void with_wrong_paths(int kind, uint64_t round)
{
	uint64_t seed = 40 * round + (uint64_t)kind, wrong = 0, right = 0;
	struct program program = { .seed = 3 };
	struct predict_config config;
	struct predict_unit plain, mistaken;
	unsigned differ = 0;

	choose_config(&config, &seed, kind);
	predict_unit_init(&plain, &config, LATE + 1);
	predict_unit_init(&mistaken, &config, LATE + 1 + WRONG);
	for (int i = 0; i < STEPS; i++) {
		struct program_step step = program_next(&program);
		struct predict_answer first, second;
		uint64_t checkpoint;
		bool found;

		first = predict_unit_predict(&plain, &step.branch, step.behind,
					     &step.outcome);
		second = predict_unit_predict(&mistaken, &step.branch,
					      step.behind, &step.outcome);
		checkpoint = second.checkpoint;
		differ += first.next != second.next ||
			  first.taken != second.taken ||
			  first.source != second.source;
		found = predict_unit_resolve(&plain, first.checkpoint,
					     &step.outcome);
		/* What comes in by a machine clear, or behind a branch that
		 * went wrong. */
		stray(&mistaken, &seed, program.at);
		if (random_draw(&seed) % 2 || found)
			predict_unit_squash(&mistaken, checkpoint + 1);
		differ += found != predict_unit_resolve(&mistaken, checkpoint,
							&step.outcome);
		wrong += !found;
		right += found;
		if (i >= LATE) {
			predict_unit_commit(&plain);
			predict_unit_commit(&mistaken);
		}
		differ += !same_state(&plain, &mistaken);
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(right > 0 && (wrong > 0 || kind == DIRECTION_perfect));
	if (kind == DIRECTION_perfect)
		CU_ASSERT_EQUAL(wrong, 0);
	predict_unit_free(&plain);
	predict_unit_free(&mistaken);
}

static void test_wrong_paths(void)
{
	for (uint64_t round = 0; round < 3; round++)
		for (int kind = 0; kind < DIRECTION_COUNT; kind++)
			with_wrong_paths(kind, round);
}

/* One unit passes branches at once, the other step by step: later both give the
 * same answers, and are the same when these are dropped. */
static void at_once(int kind, uint64_t round)
{
	uint64_t seed = 50 * round + (uint64_t)kind;
	struct program program = { .seed = 5 + round };
	struct predict_config config;
	struct predict_unit passing, stepping;
	unsigned differ = 0;

	choose_config(&config, &seed, kind);
	predict_unit_init(&passing, &config, 2);
	predict_unit_init(&stepping, &config, 2);
	for (int i = 0; i < STEPS; i++) {
		struct program_step step = program_next(&program);
		struct predict_answer first, second;

		if (random_draw(&seed) % 4 == 0) {
			first = predict_unit_predict(&passing, &step.branch,
						     step.behind,
						     &step.outcome);
			second = predict_unit_predict(&stepping, &step.branch,
						      step.behind,
						      &step.outcome);
			differ += first.next != second.next ||
				  first.taken != second.taken ||
				  first.source != second.source;
			predict_unit_squash(&passing, first.checkpoint);
			predict_unit_squash(&stepping, second.checkpoint);
			differ += !same_state(&passing, &stepping);
		}
		predict_unit_pass(&passing, &step.branch, step.behind,
				  &step.outcome);
		first = predict_unit_predict(&stepping, &step.branch,
					     step.behind, &step.outcome);
		predict_unit_resolve(&stepping, first.checkpoint,
				     &step.outcome);
		predict_unit_commit(&stepping);
	}
	CU_ASSERT_EQUAL(differ, 0);
	for (int i = 0; i < BRANCH_KINDS; i++)
		CU_ASSERT_EQUAL(passing.counts[i].branches, 0);
	predict_unit_free(&passing);
	predict_unit_free(&stepping);
}

static void test_at_once(void)
{
	for (uint64_t round = 0; round < 6; round++)
		for (int kind = 0; kind < DIRECTION_COUNT; kind++)
			at_once(kind, round);
}

static CU_TestInfo tests[] = {
	{ "who knows where a branch goes", test_sources },
	{ "second level of the target buffer", test_second_level },
	{ "wrong paths leave nothing behind", test_wrong_paths },
	{ "at once, or step by step", test_at_once },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "predict unit", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
