/* What is counted beside instructions: memory blocks, bank conflicts, paths of
 * work-items. */
#include <stdlib.h>
#include <string.h>

#include "evergreen/emu/paths.h"
#include "evergreen/emu/state.h"
#include "evergreen/emu/count/traffic.h"
#include "unit/harness.h"

/* Every test runs with each host instruction set's functions. */
static const struct evg_simd *simd;

/* Addresses start + lane * stride of all lanes. */
static struct evg_step make_step(uint32_t start, uint32_t stride,
				 uint8_t bytes)
{
	struct evg_step step = { .memory_mask = ~UINT64_C(0),
				 .memory_bytes = bytes };

	for (uint32_t i = 0; i < EVG_WAVEFRONT_SIZE; i++)
		step.memory_address[i] = start + i * stride;
	return step;
}

static struct evg_traffic_count count(const struct evg_step *step)
{
	const struct evg_traffic_model model = { 64, 32, 32, 0 };
	struct evg_traffic *traffic = evg_traffic_create(&model, 1, simd);
	struct evg_traffic_count result;

	evg_traffic_count(traffic, 0, step);
	result = traffic->counts[0];
	evg_traffic_free(traffic);
	return result;
}

static uint64_t transactions(struct evg_step step)
{
	return count(&step).transactions;
}

static void test_transactions(void)
{
	struct evg_step step;

	CU_ASSERT_EQUAL(transactions(make_step(0x10000, 4, 4)), 4);
	CU_ASSERT_EQUAL(transactions(make_step(0x10004, 4, 4)), 5);
	CU_ASSERT_EQUAL(transactions(make_step(0x10000, 0, 4)), 1);
	CU_ASSERT_EQUAL(transactions(make_step(0x10000, 64, 4)), 64);
	CU_ASSERT_EQUAL(transactions(make_step(0x10000, 16, 16)), 16);
	/* Each element lies in two blocks, which neighbours share. */
	CU_ASSERT_EQUAL(transactions(make_step(0x10038, 64, 16)), 65);
	/* Downwards, and from the ends to the middle: order is no matter. */
	CU_ASSERT_EQUAL(transactions(make_step(0x20000, -4u, 4)), 5);
	step = make_step(0x10000, 4, 4);
	for (int i = 0; i < EVG_WAVEFRONT_SIZE; i += 2)
		step.memory_address[i] = 0x20000 + 4 * (uint32_t)i;
	CU_ASSERT_EQUAL(transactions(step), 8);
	step = make_step(0x10000, 64, 4);
	step.memory_mask = 5;
	CU_ASSERT_EQUAL(transactions(step), 2);
	step = make_step(0x10000, 0, 4);
	step.memory_atomic = true;
	CU_ASSERT_EQUAL(transactions(step), 64);
	step = make_step(0x10000, 4, 4);
	step.memory_constant = true;
	CU_ASSERT_EQUAL(transactions(step), 0);
}

static uint64_t conflicts(uint32_t stride, bool write)
{
	struct evg_step step = make_step(0, stride, 4);

	step.memory_local = true;
	step.memory_write = write;
	return count(&step).conflicts;
}

static void test_conflicts(void)
{
	CU_ASSERT_EQUAL(conflicts(4, false), 0);
	CU_ASSERT_EQUAL(conflicts(0, false), 0);
	/* Two windows of 32: two addresses a bank, then all in one. */
	CU_ASSERT_EQUAL(conflicts(8, false), 2);
	CU_ASSERT_EQUAL(conflicts(128, false), 2 * 31);
	CU_ASSERT_EQUAL(conflicts(0, true), 2 * 31);
}

/* --- By definition ------------------------------------------------------- */

static bool is_first(const uint32_t *values, unsigned index)
{
	for (unsigned i = 0; i < index; i++)
		if (values[i] == values[index])
			return false;
	return true;
}

static uint64_t reference_blocks(const struct evg_step *step)
{
	uint32_t blocks[4 * EVG_WAVEFRONT_SIZE];
	unsigned touched = 0;
	uint64_t count = 0;

	if (step->memory_atomic)
		return (uint64_t)__builtin_popcountll(step->memory_mask);
	for (int k = 0; k < 2; k++)
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			uint32_t from = k ? step->memory_address2[lane]
					  : step->memory_address[lane];
			uint64_t mask = k ? step->memory_mask2
					  : step->memory_mask;

			if (!(mask >> lane & 1))
				continue;
			blocks[touched++] = from / 64;
			blocks[touched++] =
				(from + step->memory_bytes - 1) / 64;
		}
	for (unsigned i = 0; i < touched; i++)
		count += is_first(blocks, i);
	return count;
}

static uint64_t reference_conflicts(const struct evg_step *step)
{
	bool merge = !step->memory_write && !step->memory_atomic;
	uint64_t conflicts = 0;

	for (unsigned start = 0; start < EVG_WAVEFRONT_SIZE; start += 32) {
		uint32_t words[64], load[32] = { 0 }, most = 0;
		unsigned requests = 0, count = 0;

		for (unsigned lane = start; lane < start + 32; lane++) {
			if (step->memory_mask >> lane & 1)
				words[requests++] =
					step->memory_address[lane] / 4;
			if (step->memory_mask2 >> lane & 1)
				words[requests++] =
					step->memory_address2[lane] / 4;
		}
		for (unsigned i = 0; i < requests; i++) {
			if (merge && !is_first(words, i))
				continue;
			count++;
			if (++load[words[i] % 32] > most)
				most = load[words[i] % 32];
		}
		conflicts += most - (count + 31) / 32;
	}
	return conflicts;
}

/* Steps of every kind at many instructions, with few and with many shapes. */
static struct evg_step random_step(void)
{
	static const uint32_t strides[] = { 0, 4, 8, 20, 64, 128, 4096 };
	struct evg_step step = make_step(
		0x100000 + 4 * ((uint32_t)rand() % 64), strides[rand() % 7],
		(uint8_t)(4 << rand() % 3));
	uint32_t range = 4u << rand() % 22;

	if (rand() % 2)
		for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
			step.memory_address[i] =
				0x100000 + (uint32_t)rand() % range / 4 * 4;
	if (rand() % 2)
		step.memory_mask = (uint64_t)rand() << 40 ^
				   (uint64_t)rand() << 17 ^ (uint64_t)rand();
	step.memory_local = rand() % 2;
	step.memory_atomic = rand() % 5 == 0;
	step.memory_write = step.memory_atomic || rand() % 2;
	if (step.memory_atomic || rand() % 4)
		return step;
	step.memory_mask2 = step.memory_mask;
	for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
		step.memory_address2[i] =
			step.memory_address[i] + 4 * (uint32_t)(rand() % 2);
	return step;
}

static void test_definition(void)
{
	enum { LINES = 4, STEPS = 20000 };
	const struct evg_traffic_model model = { 64, 32, 32, 0 };
	struct evg_traffic *traffic = evg_traffic_create(&model, LINES, simd);
	uint64_t transactions[LINES] = { 0 }, conflicts[LINES] = { 0 };
	unsigned wrong = 0;

	srand(4);
	for (int i = 0; i < STEPS; i++) {
		struct evg_step step = random_step();
		unsigned line = (unsigned)rand() % LINES;
		struct evg_traffic_count *now = &traffic->counts[line];

		evg_traffic_count(traffic, line, &step);
		if (step.memory_local)
			conflicts[line] += reference_conflicts(&step);
		else
			transactions[line] += reference_blocks(&step);
		wrong += now->transactions != transactions[line] ||
			 now->conflicts != conflicts[line];
	}
	CU_ASSERT_EQUAL(wrong, 0);
	evg_traffic_free(traffic);
}

/* What is remembered of an instruction changes nothing: addresses moved by
 * whole blocks, by less, and others, with other masks. */
static void test_patterns(void)
{
	const struct evg_traffic_model model = { 64, 32, 32, 0 };
	struct evg_traffic *traffic = evg_traffic_create(&model, 1, simd);
	uint64_t transactions = 0, conflicts = 0;

	srand(2);
	for (int i = 0; i < 2000; i++) {
		static const uint32_t strides[] = { 0, 4, 8, 20, 64, 128 };
		struct evg_step step =
			make_step(0x10000 + 4 * ((uint32_t)rand() % 64),
				  strides[i / 16 % 6], 4);
		struct evg_traffic_count once;

		if (i % 3 == 0)
			step.memory_mask = 0xffff;
		step.memory_local = i / 1000;
		if (i % 5 == 0 && step.memory_local) {
			step.memory_mask2 = step.memory_mask;
			memcpy(step.memory_address2, step.memory_address,
			       sizeof step.memory_address2);
			step.memory_address2[7] += 4 * (i % 2);
		}
		if (i == 1000)
			memset(traffic->kind, 0, sizeof traffic->kind);
		once = count(&step);
		transactions += once.transactions;
		conflicts += once.conflicts;
		evg_traffic_count(traffic, 0, &step);
	}
	CU_ASSERT_EQUAL(traffic->counts[0].transactions, transactions);
	CU_ASSERT_EQUAL(traffic->counts[0].conflicts, conflicts);
	evg_traffic_free(traffic);
}

/* The definition: which active masks a lane was in. */
static void test_paths(void)
{
	srand(1);
	for (int round = 0; round < 200; round++) {
		uint32_t history[EVG_WAVEFRONT_SIZE] = { 0 };
		struct evg_path_counts counts = { { 0 }, { 0 } };
		uint64_t valid = round % 3 ? ~UINT64_C(0) : 0xffffff;
		uint32_t different = 0, most = 0;
		struct evg_paths paths;

		evg_paths_start(&paths, valid);
		for (int step = 0; step < round % 20; step++) {
			uint64_t active = valid;

			for (int i = 0; i <= round % 4; i++)
				active &= (uint64_t)rand() << 33 ^
					  (uint64_t)rand() << 11 ^
					  (uint64_t)rand();
			evg_paths_note(&paths, active);
			if (active)
				for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++)
					history[i] |= (uint32_t)(active >> i &
								 1) << step;
		}
		evg_paths_add(&paths, &counts);
		for (int i = 0; i < EVG_WAVEFRONT_SIZE; i++) {
			uint32_t same = 0;
			bool first = true;

			if (!(valid >> i & 1))
				continue;
			for (int j = 0; j < EVG_WAVEFRONT_SIZE; j++)
				if (valid >> j & 1 && history[j] == history[i]) {
					same++;
					first &= j >= i;
				}
			different += first;
			most = same > most ? same : most;
		}
		CU_ASSERT_EQUAL(counts.wavefronts[different], 1);
		CU_ASSERT_EQUAL(counts.work_items[0], most);
	}
}

static void with_each(void (*test)(void))
{
	const struct evg_simd *best = evg_simd_best();

	simd = &evg_simd_v2;
	test();
	if (best->vector_bytes >= evg_simd_v3.vector_bytes) {
		simd = &evg_simd_v3;
		test();
	}
	simd = best;
	test();
}

#define WITH_EACH(name)                                                        \
	static void name##_each(void)                                          \
	{                                                                      \
		with_each(name);                                               \
	}
WITH_EACH(test_transactions)
WITH_EACH(test_conflicts)
WITH_EACH(test_definition)
WITH_EACH(test_patterns)

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "transactions", test_transactions_each },
		{ "bank conflicts", test_conflicts_each },
		{ "by definition", test_definition_each },
		{ "patterns", test_patterns_each },
		{ "paths", test_paths },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "Traffic and paths", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
