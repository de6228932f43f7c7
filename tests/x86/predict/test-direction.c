/* Predictors of directions: against slow models on random streams, on small
 * sequences whose answers are known, and repaired against never mistaken. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/predict/tage.h"
#include "unit/harness.h"
#include "unit/random.h"
#include "x86/predict/model.h"

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
	against_model(DIRECTION_backward_taken, model_backward);
	against_model(DIRECTION_bimodal, model_bimodal);
	against_model(DIRECTION_two_level, model_two_level);
	against_model(DIRECTION_gshare, model_gshare);
	against_model(DIRECTION_combined, model_combined);
	against_model(DIRECTION_tournament, model_tournament);
	against_model(DIRECTION_perceptron, model_perceptron);
	against_model(DIRECTION_hashed_perceptron, model_hashed);
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
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_perfect, "1001", 100, 0), 0);
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_taken, "1001", 100, 0), 50);
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_not_taken, "1000", 100, 0), 25);
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_backward_taken, "1110", 100, 0), 25);
	/* From weakly taken: each 0 of a loop is missed and does no harm. */
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_bimodal, "1110", 100, 0), 25);
	/* Alternation, first 0: 2 -> 1 -> 2 ...: never right. */
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_bimodal, "01", 100, 0), 100);
	/* Its two misses from weakly taken down, then right for ever. */
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_bimodal, "0", 100, 0), 1);
	/* Loops of one length: two runs or so to learn it, some to believe. */
	CU_ASSERT_EQUAL(wrong_of(DIRECTION_loop, "1111111110", 2000, 1000), 0);
	CU_ASSERT(wrong_of(DIRECTION_loop, "01", 1000, 500) > 0);
	/* Whoever has a history learns alternation and short loops. */
	for (int kind = DIRECTION_two_level; kind < DIRECTION_COUNT; kind++) {
		if (kind == DIRECTION_loop)
			continue;
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
	char *before;
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
	before = xmalloc(bytes + 1);
	CU_ASSERT_FATAL(direction_record_bytes(&plain) <= sizeof wrong[0]);
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
		memcpy(before, mistaken.state, bytes);
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
		differ += memcmp(before, mistaken.state, bytes) != 0;
		direction_history(&mistaken, ring[slot][1], branch, found,
				  outcomes[slot]);
		differ += memcmp(plain.state, mistaken.state, bytes) != 0;
	}
	CU_ASSERT_EQUAL(differ, 0);
	free(before);
	direction_free(&plain);
	direction_free(&mistaken);
}

static void test_repair(void)
{
	for (int kind = 0; kind < DIRECTION_COUNT; kind++)
		with_wrong_paths(kind);
}

/* Mispredictions of a kind in 40,000 branches of one stream. */
typedef struct branch stream(uint64_t *state, uint32_t number, bool *taken);

static unsigned wrong_on(int kind, stream *next)
{
	struct predict_config config;
	struct direction direction;
	uint64_t record[128], state = 9;
	unsigned wrong = 0;

	predict_config_defaults(&config);
	config.kind = kind;
	direction_init(&direction, &config);
	for (uint32_t i = 0; i < 40000; i++) {
		bool taken, found;
		struct branch branch = next(&state, i, &taken);

		found = direction_predict(&direction, record, &branch, taken);
		direction_history(&direction, record, &branch, found, taken);
		direction_update(&direction, record, &branch, taken);
		wrong += found != taken;
	}
	direction_free(&direction);
	return wrong;
}

/* Chance, eleven branches that are always taken, and one that does as chance
 * did: correlated, at a distance of 12. A counter for each address is right
 * half the time. */
static struct branch near_copy(uint64_t *state, uint32_t number, bool *taken)
{
	uint32_t phase = number % 13;

	if (phase == 0)
		*state = random_draw(state);
	*taken = phase == 0 || phase == 12 ? *state >> 40 & 1 : true;
	return (struct branch){ .address = 0x5000 + 16 * phase,
				.target = 0x4000 };
}

/* The same at a distance of 60: only long histories reach it. */
static struct branch far_copy(uint64_t *state, uint32_t number, bool *taken)
{
	uint32_t phase = number % 61;

	if (phase == 0)
		*state = random_draw(state);
	*taken = phase == 0 || phase == 60 ? *state >> 40 & 1 : true;
	return (struct branch){ .address = 0x5000 + 16 * phase,
				.target = 0x4000 };
}

/* A loop of 500 turns, with nothing in it. */
static struct branch long_loop(uint64_t *state, uint32_t number, bool *taken)
{
	(void)state;
	*taken = number % 500 != 499;
	return (struct branch){ .address = 0x5003, .target = 0x4000 };
}

static void test_theory(void)
{
	unsigned near_bimodal = wrong_on(DIRECTION_bimodal, near_copy);
	unsigned near_gshare = wrong_on(DIRECTION_gshare, near_copy);
	unsigned far_gshare = wrong_on(DIRECTION_gshare, far_copy);

	/* 3,077 pairs: chance half wrong, and its copy by some. */
	CU_ASSERT(near_bimodal > 2600);
	CU_ASSERT(near_gshare < 1800);
	CU_ASSERT(wrong_on(DIRECTION_tage, near_copy) < 1800);
	/* 656 pairs. */
	CU_ASSERT(far_gshare > 550);
	CU_ASSERT(wrong_on(DIRECTION_tage, far_copy) < far_gshare * 4 / 5);
	CU_ASSERT(wrong_on(DIRECTION_tage_sc_l_64, far_copy) <
		  far_gshare * 4 / 5);
	/* 80 ends. */
	CU_ASSERT(wrong_on(DIRECTION_gshare, long_loop) >= 80);
	CU_ASSERT(wrong_on(DIRECTION_loop, long_loop) < 40);
}

/* Folds that are stepped against folds made anew from all bits. */
static void test_folds(void)
{
	const struct tage_sizes *sizes = &tage_sizes_64;
	struct tage *tage = xcalloc(1, tage_bytes(sizes));
	uint64_t seed = 3;
	unsigned differ = 0;

	for (int i = 0; i < 3000; i++) {
		uint64_t draw = random_draw(&seed);
		struct branch branch = { .address = draw >> 20,
					 .kind = draw % 6 };
		struct tage_undo undo;

		tage_push(sizes, tage, &undo, &branch, draw >> 10 & 1);
	}
	for (unsigned lane = 0; lane < sizes->lanes; lane++) {
		unsigned pair = (sizes->level[lane] - 1u) / 2;
		unsigned tag = pair < 6 ? 8 : 12;
		unsigned widths[3] = { 10, tag, tag - 1 };

		for (unsigned k = 0; k < 3; k++) {
			unsigned fold = 0;

			for (unsigned age = 0; age < sizes->lengths[pair];
			     age++)
				fold ^= (tage->ring[(unsigned)(tage->now.head +
							       (int)age) %
						    TAGE_HISTORY_RING] & 1u)
					<< age % widths[k];
			differ += fold != tage->now.folds[k][lane];
		}
	}
	CU_ASSERT_EQUAL(differ, 0);
	free(tage);
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
	CU_ASSERT_EQUAL(bits_of(DIRECTION_perfect), 0);
	CU_ASSERT_EQUAL(bits_of(DIRECTION_bimodal), 2048);
	CU_ASSERT_EQUAL(bits_of(DIRECTION_two_level), 8 + 2 * 256 * 1024);
	CU_ASSERT_EQUAL(bits_of(DIRECTION_gshare), 14 + 2 * 16384);
	/* Kessler: 29 K bits of storage. */
	CU_ASSERT_EQUAL(bits_of(DIRECTION_tournament) / 1024, 29);
	CU_ASSERT_EQUAL(bits_of(DIRECTION_perceptron), 28 + 512 * 29 * 8);
	/* Seznec's own count, from the sizes that he published. */
	CU_ASSERT_EQUAL(bits_of(DIRECTION_tage), 463917);
	CU_ASSERT_EQUAL(bits_of(DIRECTION_loop), 32 * 39 + 2048);
	CU_ASSERT(bits_of(DIRECTION_tage_sc_l_64) <= 65536 * 8);
	CU_ASSERT(bits_of(DIRECTION_tage_sc_l_8) <= 8192 * 8);
}

static void test_config(void)
{
	struct predict_config config;
	struct error error;

	predict_config_defaults(&config);
	CU_ASSERT_EQUAL(config.kind, DIRECTION_two_level);
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
    {"who should be better is better", test_theory},
    {"TAGE folds its histories", test_folds},
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
