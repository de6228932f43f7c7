/* Branch target buffer, return stack and predictors of indirect targets: against
 * slow models, on sequences whose answers are known, and after repair. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"
#include "x86/timing/predict/btb.h"
#include "x86/timing/predict/return-stack.h"
#include "x86/timing/predict/target.h"

enum { STEPS = 8000 };

/* All updates so far, the newest last: a set of w ways holds the w addresses
 * updated last among those that fall into it. */
struct log {
	uint32_t count;
	uint64_t addresses[STEPS], targets[STEPS];
};

static bool log_find(const struct log *log, uint64_t address, uint32_t sets,
		     uint32_t ways, uint64_t *target)
{
	uint64_t seen[64];
	uint32_t distinct = 0;

	for (uint32_t i = log->count; i-- > 0;) {
		bool known = false;

		if (log->addresses[i] % sets != address % sets)
			continue;
		if (log->addresses[i] == address) {
			*target = log->targets[i];
			return true;
		}
		for (uint32_t k = 0; k < distinct; k++)
			known |= seen[k] == log->addresses[i];
		if (known)
			continue;
		seen[distinct++] = log->addresses[i];
		if (distinct == ways)
			return false;
	}
	return false;
}

static void btb_round(uint64_t *seed, unsigned found[3])
{
	struct log *log = xcalloc(1, sizeof *log);
	struct predict_config config;
	struct btb btb;
	unsigned differ = 0;

	predict_config_defaults(&config);
	config.btb_sets = 1u << random_draw(seed) % 5;
	config.btb_ways = 1 + random_draw(seed) % 5;
	config.btb2_sets = random_draw(seed) % 3
				   ? 1u << (2 + random_draw(seed) % 5)
				   : 0;
	config.btb2_ways = 1 + random_draw(seed) % 7;
	CU_ASSERT_EQUAL_FATAL(predict_config_check(&config, NULL), 0);
	btb_init(&btb, &config);
	for (int i = 0; i < STEPS; i++) {
		uint64_t draw = random_draw(seed);
		struct branch branch = {
			.address = 0x1000 + draw % (1 + (draw >> 8) % 200),
			.target = 1 + (draw >> 32),
			.kind = (enum branch_kind)(draw >> 16 & 1),
		};
		struct btb_answer answer = btb_look(&btb, branch.address);
		uint64_t target = 0;
		unsigned level = 0;

		if (log_find(log, branch.address, config.btb_sets,
			     config.btb_ways, &target))
			level = 1;
		else if (config.btb2_sets &&
			 log_find(log, branch.address, config.btb2_sets,
				  config.btb2_ways, &target))
			level = 2;
		found[level]++;
		differ += answer.level != level ||
			  (level && answer.target != target);
		if (draw >> 24 & 1) {
			btb_update(&btb, &branch);
			log->addresses[log->count] = branch.address;
			log->targets[log->count++] = branch.target;
		}
	}
	CU_ASSERT_EQUAL(differ, 0);
	btb_free(&btb);
	free(log);
}

static void test_btb(void)
{
	uint64_t seed = 1;
	unsigned found[3] = { 0 };
	struct predict_config config;

	for (int round = 0; round < 10; round++)
		btb_round(&seed, found);
	CU_ASSERT(found[0] && found[1] && found[2]);
	predict_config_defaults(&config);
	/* 256 x 4 of tag 40, target 48, kind 3, age 2. */
	CU_ASSERT_EQUAL(btb_storage_bits(&config), 1024 * 93);
}

/* A stack of any depth, of which the ring keeps the newest. */
static void test_return_stack(void)
{
	static uint64_t model[STEPS];
	struct predict_config config;
	struct return_stack stack;
	struct return_record records[16];
	uint64_t seed = 4;
	uint32_t depth = 0, lowest = 0;
	unsigned right = 0, returns = 0;

	predict_config_defaults(&config);
	config.ras_size = 8;
	return_stack_init(&stack, &config);
	CU_ASSERT_EQUAL(return_stack_bits(&config), 8 * 48 + 3);
	for (int i = 0; i < STEPS; i++) {
		uint64_t draw = random_draw(&seed), before[9];
		bool call = depth == 0 || (draw & 1 && depth < 40);
		uint32_t length = (uint32_t)(draw >> 8) % 17;
		uint64_t said;

		/* A wrong path first, which leaves nothing behind. */
		memcpy(before, stack.state, sizeof before);
		for (uint32_t k = 0; k < length; k++)
			return_stack_fetch(&stack, &records[k],
					   (enum branch_kind)((draw >>
							       (16 + k)) &
							      1
								      ? BRANCH_CALL
								      : BRANCH_RETURN),
					   77 + k);
		return_stack_repair(&stack, records, length);
		CU_ASSERT_EQUAL_FATAL(
			memcmp(before, stack.state, sizeof before), 0);
		if (call) {
			model[depth++] = draw;
			return_stack_fetch(&stack, records, BRANCH_CALL, draw);
			/* Eight newest are kept. */
			if (depth > lowest + 8)
				lowest = depth - 8;
			continue;
		}
		depth--;
		said = return_stack_fetch(&stack, records, BRANCH_RETURN, 0);
		returns++;
		right += said == model[depth];
		if (depth >= lowest)
			CU_ASSERT_EQUAL(said, model[depth]);
		if (depth < lowest)
			lowest = depth;
	}
	CU_ASSERT(right < returns && right > returns / 2);
	return_stack_free(&stack);
}

/* Call a, call b; then a wrong path returns twice and calls twice, or returns
 * once and calls once. What each repair saves. */
static void returns_after(int repair, unsigned times, uint64_t *first,
			  uint64_t *second)
{
	struct predict_config config;
	struct return_stack stack;
	struct return_record records[4], other;

	predict_config_defaults(&config);
	config.ras_repair = repair;
	return_stack_init(&stack, &config);
	return_stack_fetch(&stack, &other, BRANCH_CALL, 10);
	return_stack_fetch(&stack, &other, BRANCH_CALL, 20);
	for (unsigned i = 0; i < 2 * times; i++)
		return_stack_fetch(&stack, &records[i],
				   i < times ? BRANCH_RETURN : BRANCH_CALL,
				   30 + i);
	return_stack_repair(&stack, records, 2 * times);
	*first = return_stack_fetch(&stack, &other, BRANCH_RETURN, 0);
	*second = return_stack_fetch(&stack, &other, BRANCH_RETURN, 0);
	return_stack_free(&stack);
}

static void test_repairs(void)
{
	uint64_t first, second;

	returns_after(RAS_REPAIR_FULL, 2, &first, &second);
	CU_ASSERT(first == 20 && second == 10);
	returns_after(RAS_REPAIR_TOP, 2, &first, &second);
	CU_ASSERT(first == 20 && second == 32);
	returns_after(RAS_REPAIR_POINTER, 1, &first, &second);
	CU_ASSERT(first == 31 && second == 10);
	returns_after(RAS_REPAIR_NONE, 1, &first, &second);
	CU_ASSERT(first == 31 && second == 10);
}

/* An interpreter: one indirect jump whose targets repeat with a period, with
 * conditional branches between. */
static struct branch dispatch(uint32_t number, uint32_t period)
{
	uint32_t turn = number % period;

	return (struct branch){
		.address = 0x7000,
		.target = 0x8000 + (turn * turn * 7 + turn * 3) % 31 * 64,
		.kind = BRANCH_INDIRECT_JUMP,
	};
}

static unsigned wrong_targets(int kind, uint32_t period, uint32_t from,
			      uint32_t until)
{
	struct predict_config config;
	struct target target;
	uint64_t record[128];
	unsigned wrong = 0;

	predict_config_defaults(&config);
	config.indirect = kind;
	target_init(&target, &config);
	CU_ASSERT_FATAL(target.kind->record_bytes <= sizeof record);
	for (uint32_t i = 0; i < until; i++) {
		struct branch branch = dispatch(i, period);
		uint64_t said = target_predict(&target, record,
					       branch.address);

		wrong += i >= from && said != branch.target;
		target_history(&target, record, &branch, true);
		target_update(&target, record, branch.address, branch.target);
	}
	target_free(&target);
	return wrong;
}

static void test_indirect(void)
{
	/* First seen, unknown; one target, known ever after. */
	CU_ASSERT_EQUAL(wrong_targets(TARGET_cache, 1, 0, 1), 1);
	CU_ASSERT_EQUAL(wrong_targets(TARGET_ittage, 1, 0, 1), 1);
	CU_ASSERT_EQUAL(wrong_targets(TARGET_cache, 1, 100, 500), 0);
	CU_ASSERT_EQUAL(wrong_targets(TARGET_ittage, 1, 100, 500), 0);
	/* Short patterns: both; without a history, never. */
	CU_ASSERT_EQUAL(wrong_targets(TARGET_none, 5, 0, 500), 500);
	CU_ASSERT_EQUAL(wrong_targets(TARGET_cache, 5, 200, 1000), 0);
	CU_ASSERT_EQUAL(wrong_targets(TARGET_ittage, 5, 500, 2000), 0);
	/* A period of 120 of 31 targets at most: long histories only. */
	CU_ASSERT(wrong_targets(TARGET_ittage, 120, 10000, 20000) <
		  wrong_targets(TARGET_cache, 120, 10000, 20000) / 4 + 100);
}

/* With one way in a set that all share, the cache is the last target of each
 * address and path; a model that keeps all past says the same. */
static void test_cache_model(void)
{
	static struct {
		uint64_t address, path, target;
	} seen[STEPS];
	struct predict_config config;
	struct target target;
	uint64_t seed = 8, record[16], path = 0;
	unsigned differ = 0, known = 0;
	uint32_t count = 0;

	predict_config_defaults(&config);
	config.indirect = TARGET_cache;
	/* So large that nothing is replaced, and sets are paths. */
	config.indirect_sets = 512;
	config.indirect_ways = 64;
	config.indirect_history = 9;
	target_init(&target, &config);
	for (int i = 0; i < STEPS; i++) {
		uint64_t draw = random_draw(&seed), expected = 0, said;
		struct branch branch = {
			.address = 0x200 * (1 + draw % 4),
			.target = 16 * (1 + (draw >> 8) % 5),
			.kind = BRANCH_INDIRECT_CALL,
		};

		for (uint32_t k = 0; k < count; k++)
			if (seen[k].address == branch.address &&
			    seen[k].path == path)
				expected = seen[k].target;
		said = target_predict(&target, record, branch.address);
		differ += said != expected;
		known += expected != 0;
		target_history(&target, record, &branch, true);
		target_update(&target, record, branch.address, branch.target);
		seen[count].address = branch.address;
		seen[count].path = path;
		seen[count++].target = branch.target;
		path = (path * 8 ^ branch.target ^ branch.target / 16) % 512;
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(known > STEPS / 2);
	target_free(&target);
}

static struct branch any_branch(uint64_t draw)
{
	return (struct branch){
		.address = 0x9000 + draw % 50,
		.target = 0xa000 + (draw >> 16) % 9 * 8,
		.kind = (enum branch_kind)((draw >> 32) % 6),
	};
}

static void target_wrong_paths(int kind)
{
	struct predict_config config;
	struct target plain, mistaken;
	uint64_t seed = 6, record[128], wrong[12][128];
	unsigned differ = 0;

	predict_config_defaults(&config);
	config.indirect = kind;
	target_init(&plain, &config);
	target_init(&mistaken, &config);
	for (int i = 0; i < 4000; i++) {
		struct branch branch = any_branch(random_draw(&seed));
		int length = (int)(random_draw(&seed) % 13);
		bool taken = random_draw(&seed) & 1;
		uint64_t said = 0, other = 0;

		for (int k = 0; k < length; k++) {
			struct branch path = any_branch(random_draw(&seed));

			if (branch_is_indirect(&path))
				target_predict(&mistaken, wrong[k],
					       path.address);
			target_history(&mistaken, wrong[k], &path, k & 1);
		}
		while (length-- > 0)
			target_undo(&mistaken, wrong[length]);
		if (branch_is_indirect(&branch)) {
			other = target_predict(&mistaken, wrong[0],
					       branch.address);
			said = target_predict(&plain, record, branch.address);
		}
		target_history(&mistaken, wrong[0], &branch, taken);
		target_history(&plain, record, &branch, taken);
		if (branch_is_indirect(&branch)) {
			target_update(&mistaken, wrong[0], branch.address,
				      branch.target);
			target_update(&plain, record, branch.address,
				      branch.target);
		}
		differ += said != other ||
			  memcmp(plain.state, mistaken.state,
				 target_state_bytes(&plain));
	}
	CU_ASSERT_EQUAL(differ, 0);
	target_free(&plain);
	target_free(&mistaken);
}

static void test_target_repair(void)
{
	for (int kind = 0; kind < TARGET_COUNT; kind++)
		target_wrong_paths(kind);
}

static CU_TestInfo tests[] = {
	{ "branch target buffer of two levels", test_btb },
	{ "return stack, repaired", test_return_stack },
	{ "what each repair of the return stack saves", test_repairs },
	{ "indirect targets, known answers", test_indirect },
	{ "the target cache's slow model", test_cache_model },
	{ "indirect targets: repair equals never having speculated",
	  test_target_repair },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "predict targets", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
