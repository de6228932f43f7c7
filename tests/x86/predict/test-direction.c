/* Predictors of directions: against slow models on random streams, on small
 * sequences whose answers are known, and repaired against never mistaken. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "unit/random.h"
#include "x86/predict/model.h"

enum {
#define PREDICTOR(id, ...) KIND_##id,
#include "x86/timing/predict/kinds.def"
	KIND_COUNT
};

/* A program of a few branches: constant, loops, copies of earlier outcomes, and
 * pure chance. */
struct program {
	uint64_t seed;
	uint64_t past;
	uint32_t turns[64];
};

static struct branch next_branch(struct program *program, bool *taken)
{
	uint64_t draw = random_draw(&program->seed);
	uint32_t which = draw % 64;
	struct branch branch = {
	    .address = 0x401000 + which * 37,
	    .kind = BRANCH_CONDITIONAL,
	};

	branch.target = branch.address + (which & 1 ? 64 : -64);
	switch (which % 4) {
	case 0:
		*taken = which & 4;
		break;
	case 1:
		*taken = ++program->turns[which] % (3 + which / 4) != 0;
		break;
	case 2:
		*taken = program->past >> (which / 4) & 1;
		break;
	default:
		*taken = draw >> 32 & 1;
	}
	program->past = program->past << 1 | *taken;
	return branch;
}

static void choose_sizes(struct predict_config *config, uint64_t *seed)
{
	uint64_t draw = random_draw(seed);

	predict_config_defaults(config);
	config->bimodal_size = 2u << draw % 10;
	config->choice_size = 2u << (draw >> 8) % 8;
	config->two_level_first = 1u << (draw >> 16) % 6;
	config->two_level_second = 1u << (draw >> 20) % 6;
	config->two_level_history = 1 + (draw >> 24) % 12;
	config->gshare_history = 1 + (draw >> 28) % 12;
	config->gshare_size = 2u << (config->gshare_history + (draw >> 32) % 3);
	config->perceptron_count = 1 + (draw >> 36) % 100;
	config->perceptron_history = 1 + (draw >> 44) % 63;
	config->hashed_tables = 2 + (draw >> 50) % 9;
	config->hashed_size = 16u << (draw >> 54) % 7;
	config->hashed_history = 2 + (draw >> 58) % 62;
	CU_ASSERT_EQUAL_FATAL(predict_config_check(config, NULL), 0);
}

static void against_model(int kind, model_step *step)
{
	struct model *model = xmalloc(sizeof *model);
	struct predict_config config;
	struct direction direction;
	uint64_t seed = (uint64_t)kind, record[128];
	unsigned differ = 0, taken_count = 0;

	for (int round = 0; round < 12; round++) {
		struct program program = {.seed = seed + 1};

		choose_sizes(&config, &seed);
		config.kind = kind;
		model_init(model, &config);
		direction_init(&direction, &config);
		CU_ASSERT_FATAL(direction_record_bytes(&direction) <=
				sizeof record);
		for (int i = 0; i < 6000; i++) {
			bool taken, expected, found;
			struct branch branch = next_branch(&program, &taken);

			expected = step(model, &branch, taken);
			found = direction_predict(&direction, record, &branch,
						  taken);
			direction_history(&direction, record, &branch, found,
					  taken);
			direction_update(&direction, record, &branch, taken);
			differ += found != expected;
			taken_count += found;
		}
		direction_free(&direction);
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(taken_count > 0 && taken_count < 12 * 6000);
	free(model);
}

static void test_models(void)
{
	against_model(KIND_backward_taken, model_backward);
	against_model(KIND_bimodal, model_bimodal);
	against_model(KIND_two_level, model_two_level);
	against_model(KIND_gshare, model_gshare);
	against_model(KIND_combined, model_combined);
	against_model(KIND_tournament, model_tournament);
	against_model(KIND_perceptron, model_perceptron);
	against_model(KIND_hashed_perceptron, model_hashed);
}

/* How many of `count` outcomes of one branch are mispredicted, by "1101...",
 * repeated. */
static unsigned wrong_of(int kind, const char *outcomes, unsigned count,
			 unsigned skip)
{
	struct branch branch = {.address = 0x1003, .target = 0x1000};
	struct predict_config config;
	struct direction direction;
	uint64_t record[128];
	unsigned wrong = 0;

	predict_config_defaults(&config);
	config.kind = kind;
	direction_init(&direction, &config);
	for (unsigned i = 0; i < count; i++) {
		bool taken = outcomes[i % strlen(outcomes)] == '1';
		bool found =
		    direction_predict(&direction, record, &branch, taken);

		direction_history(&direction, record, &branch, found, taken);
		direction_update(&direction, record, &branch, taken);
		wrong += i >= skip && found != taken;
	}
	direction_free(&direction);
	return wrong;
}

static void test_known(void)
{
	CU_ASSERT_EQUAL(wrong_of(KIND_perfect, "1001", 100, 0), 0);
	CU_ASSERT_EQUAL(wrong_of(KIND_taken, "1001", 100, 0), 50);
	CU_ASSERT_EQUAL(wrong_of(KIND_not_taken, "1000", 100, 0), 25);
	CU_ASSERT_EQUAL(wrong_of(KIND_backward_taken, "1110", 100, 0), 25);
	/* From weakly taken: each 0 of a loop is missed and does no harm. */
	CU_ASSERT_EQUAL(wrong_of(KIND_bimodal, "1110", 100, 0), 25);
	/* Alternation, first 0: 2 -> 1 -> 2 ...: never right. */
	CU_ASSERT_EQUAL(wrong_of(KIND_bimodal, "01", 100, 0), 100);
	/* Its two misses from weakly taken down, then right for ever. */
	CU_ASSERT_EQUAL(wrong_of(KIND_bimodal, "0", 100, 0), 1);
	/* Whoever has a history learns alternation and short loops. */
	for (int kind = KIND_two_level; kind < KIND_COUNT; kind++) {
		CU_ASSERT_EQUAL(wrong_of(kind, "01", 1000, 500), 0);
		CU_ASSERT_EQUAL(wrong_of(kind, "11101", 1000, 500), 0);
	}
}

/* The same branches with and without wrong paths between: states are equal byte
 * by byte, in each step. Updates come some branches late. */
enum { LATE = 7, WRONG = 9 };

static void with_wrong_paths(int kind)
{
	struct predict_config config;
	struct direction plain, mistaken;
	size_t bytes;
	uint64_t seed = 77, ring[LATE][2][128], wrong[WRONG][128];
	struct branch branches[LATE];
	bool outcomes[LATE];
	struct program program = {.seed = 5};
	unsigned differ = 0;

	choose_sizes(&config, &seed);
	config.kind = kind;
	direction_init(&plain, &config);
	direction_init(&mistaken, &config);
	bytes = direction_state_bytes(&plain);
	for (int i = 0; i < 5000; i++) {
		int slot = i % LATE;
		struct branch *branch = &branches[slot];
		struct branch path[WRONG];
		struct program astray;
		int length = (int)(random_draw(&seed) % (WRONG + 1));
		bool found;

		if (i >= LATE) {
			direction_update(&plain, ring[slot][0], branch,
					 outcomes[slot]);
			direction_update(&mistaken, ring[slot][1], branch,
					 outcomes[slot]);
		}
		*branch = next_branch(&program, &outcomes[slot]);
		found = direction_predict(&plain, ring[slot][0], branch,
					  outcomes[slot]);
		direction_history(&plain, ring[slot][0], branch, found,
				  outcomes[slot]);
		differ += found != direction_predict(&mistaken, ring[slot][1],
						     branch, outcomes[slot]);
		direction_history(&mistaken, ring[slot][1], branch, found,
				  !outcomes[slot]);
		astray = program;
		astray.seed += 1000;
		for (int k = 0; k < length; k++) {
			bool taken;

			path[k] = next_branch(&astray, &taken);
			if (k % 3 == 2)
				path[k].kind = BRANCH_INDIRECT_JUMP;
			else
				taken = direction_predict(&mistaken, wrong[k],
							  &path[k], taken);
			direction_history(&mistaken, wrong[k], &path[k], taken,
					  taken);
		}
		while (length-- > 0)
			direction_undo(&mistaken, wrong[length], &path[length]);
		direction_undo(&mistaken, ring[slot][1], branch);
		direction_history(&mistaken, ring[slot][1], branch, found,
				  outcomes[slot]);
		differ += memcmp(plain.state, mistaken.state, bytes) != 0;
	}
	CU_ASSERT_EQUAL(differ, 0);
	direction_free(&plain);
	direction_free(&mistaken);
}

static void test_repair(void)
{
	for (int kind = 0; kind < KIND_COUNT; kind++)
		with_wrong_paths(kind);
}

static uint64_t bits_of(int kind)
{
	struct predict_config config;
	struct direction direction;
	uint64_t bits;

	predict_config_defaults(&config);
	config.kind = kind;
	direction_init(&direction, &config);
	bits = direction_storage_bits(&direction);
	direction_free(&direction);
	return bits;
}

static void test_storage(void)
{
	CU_ASSERT_EQUAL(bits_of(KIND_perfect), 0);
	CU_ASSERT_EQUAL(bits_of(KIND_bimodal), 2048);
	CU_ASSERT_EQUAL(bits_of(KIND_two_level), 8 + 2 * 256 * 1024);
	CU_ASSERT_EQUAL(bits_of(KIND_gshare), 14 + 2 * 16384);
	/* Kessler: 29 K bits of storage. */
	CU_ASSERT_EQUAL(bits_of(KIND_tournament) / 1024, 29);
	CU_ASSERT_EQUAL(bits_of(KIND_perceptron), 28 + 512 * 29 * 8);
}

static void test_config(void)
{
	struct predict_config config;
	struct error error;

	predict_config_defaults(&config);
	CU_ASSERT_EQUAL(config.kind, KIND_two_level);
	CU_ASSERT_EQUAL(predict_config_check(&config, &error), 0);
	config.bimodal_size = 1000;
	CU_ASSERT_EQUAL(predict_config_check(&config, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Bimod.Size"));
	predict_config_defaults(&config);
	config.gshare_size = 1024;
	CU_ASSERT_EQUAL(predict_config_check(&config, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "Gshare.HistorySize"));
	predict_config_defaults(&config);
	config.two_level_history = 20;
	CU_ASSERT_EQUAL(predict_config_check(&config, &error), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "TwoLevel.L2Size"));
}

static CU_TestInfo tests[] = {
    {"slow models say the same", test_models},
    {"known answers", test_known},
    {"repair equals never having speculated", test_repair},
    {"storage in bits", test_storage},
    {"sizes are checked", test_config},
    CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
	    {"predict", NULL, NULL, NULL, NULL, tests},
	    CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
