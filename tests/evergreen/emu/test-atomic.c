/* Atomics without results by any number of threads, which keep them to
 * themselves for a while: what memory holds at the end, and what a work-item
 * sees of its own. */
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/memory/combine.h"
#include "evergreen/emu/fixture.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/rat-reference.h"
#include "unit/harness.h"

enum { ITEMS = 256 * 24, ARGUMENT = 9, MANY = 2 * EVG_COMBINED, FEW = 16 };

static const struct evg_source unused;

static struct evg_source constant(unsigned dword)
{
	return selector(EVG_SELECT_KCACHE0 + dword / 4, dword % 4);
}

static uint32_t value_of(uint32_t id)
{
	return id * 0x9e3779b1u;
}

static uint32_t bin_of(uint32_t id, uint32_t bins)
{
	return (id * 0x85ebca6bu >> 16) & (bins - 1);
}

static struct evg_alu_group with(enum evg_alu_op op, unsigned dest,
				 unsigned channel, struct evg_source a,
				 uint32_t value)
{
	struct evg_alu_group group = group_begin();
	unsigned slot = op == EVG_ALU_MULLO_INT ? EVG_T : channel;

	group_add(&group, slot, op, dest, channel, a,
		  group_literal(&group, value), unused);
	return group;
}

/* Work-item `id` does operation `a` in bin_of(id) of argument 0, `b` in the
 * same bin of argument 1, then adds to its dword of argument 2, which it reads
 * back and stores in its dword of argument 3. All with value_of(id). */
static struct evg_program *atomic_program(enum evg_rat_op a, enum evg_rat_op b,
					  uint32_t bins)
{
	struct evg_fetch_inst back = vertex_fetch(9, 8, 3, 13, 1);
	struct evg_alu_group groups[24];
	struct assembler as;
	unsigned n = 0;

	for (unsigned c = 1; c < 4; c++)
		back.dest_select[c] = 7;
	asm_begin(&as);
	groups[n++] = group_of(EVG_ALU_MULLO_INT, 2, 0, gpr(1, 0), constant(6),
			       unused);
	groups[n++] = group_of(EVG_ALU_ADD_INT, 2, 0, gpr(2, 0), gpr(0, 0),
			       unused);
	groups[n++] = with(EVG_ALU_MULLO_INT, 5, 0, gpr(2, 0), 0x9e3779b1u);
	groups[n++] = with(EVG_ALU_MULLO_INT, 2, 1, gpr(2, 0), 0x85ebca6bu);
	groups[n++] = with(EVG_ALU_LSHR_INT, 2, 1, gpr(2, 1), 16);
	groups[n++] = with(EVG_ALU_AND_INT, 2, 1, gpr(2, 1), bins - 1);
	for (unsigned k = 0; k < 4; k++) {
		groups[n++] = with(EVG_ALU_LSHR_INT, 3 + (k > 1 ? k + 1 : k), 0,
				   constant(ARGUMENT + k), 2);
		groups[n] = group_of(EVG_ALU_ADD_INT, 3 + (k > 1 ? k + 1 : k),
				     0, gpr(3 + (k > 1 ? k + 1 : k), 0),
				     gpr(2, k < 2), unused);
		n++;
	}
	groups[n++] = with(EVG_ALU_LSHL_INT, 8, 3, gpr(6, 0), 2);
	asm_alu(&as, EVG_CF_ALU, groups, n);
	asm_store(&as, a, 5, 3, 15);
	asm_store(&as, b, 5, 4, 15);
	asm_store(&as, EVG_RAT_ADD, 5, 6, 15);
	asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
	asm_fetch(&as, &back, 1);
	asm_store(&as, EVG_RAT_STORE_RAW, 9, 7, 1);
	return asm_program(&as);
}

/* What the four arguments hold. */
struct contents {
	uint32_t a[MANY], b[MANY], own[ITEMS], seen[ITEMS];
};

static void fill(struct contents *contents)
{
	for (unsigned i = 0; i < MANY; i++) {
		contents->a[i] = random_bits();
		contents->b[i] = random_bits();
	}
	for (unsigned i = 0; i < ITEMS; i++)
		contents->own[i] = contents->seen[i] = random_bits();
}

static void expect(struct contents *contents, enum evg_rat_op a,
		   enum evg_rat_op b, uint32_t bins)
{
	for (uint32_t id = 0; id < ITEMS; id++) {
		uint32_t value = value_of(id), bin = bin_of(id, bins);

		contents->a[bin] =
			reference_atomic(a, contents->a[bin], value, 0);
		contents->b[bin] =
			reference_atomic(b, contents->b[bin], value, 0);
		contents->own[id] += value;
		contents->seen[id] = contents->own[id];
	}
}

static bool right(enum evg_rat_op a, enum evg_rat_op b, uint32_t bins,
		  const struct evg_simd *simd, unsigned threads)
{
	static struct contents wanted;
	const uint32_t offset[] = {0, sizeof wanted.a, 2 * sizeof wanted.a,
				   2 * sizeof wanted.a + sizeof wanted.own};
	struct evg_program *program = atomic_program(a, b, bins);
	uint32_t arguments[ASM_TAIL / 4] = {0}, address;
	struct evg_ndrange *ndrange;
	struct evg_memory *memory;
	struct evg_launch launch;
	struct error error = {.text = ""};
	void *bytes;
	bool good;

	memory = evg_memory_create(1 << 24, &error);
	address = evg_memory_allocate(memory, sizeof wanted, false, "all");
	bytes = evg_memory_host(memory, address, sizeof wanted);
	for (unsigned k = 0; k < 4; k++)
		arguments[ARGUMENT + k] = address + offset[k];
	fill(&wanted);
	memcpy(bytes, &wanted, sizeof wanted);
	expect(&wanted, a, b, bins);
	launch = launch_of(program, memory, ITEMS, 256);
	launch.arguments = (const uint8_t *)arguments;
	ndrange = evg_ndrange_create_for(&launch, simd, &error);
	good = ndrange && !evg_ndrange_run(ndrange, threads, 0, &error) &&
	       !memcmp(bytes, &wanted, sizeof wanted);
	if (!good)
		printf("# %s, %s: %u bins, %u threads: %s\n",
		       evg_rat_info[a].name, evg_rat_info[b].name, bins,
		       threads, error.text);
	evg_ndrange_free(ndrange);
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static void test_threads(void)
{
	static const enum evg_rat_op ops[] = {
		EVG_RAT_ADD, EVG_RAT_SUB, EVG_RAT_MIN_INT, EVG_RAT_MIN_UINT,
		EVG_RAT_MAX_INT, EVG_RAT_MAX_UINT, EVG_RAT_AND, EVG_RAT_OR,
		EVG_RAT_XOR,
	};
	enum { OPS = sizeof ops / sizeof ops[0] };
	const struct evg_simd *simds[] = {&evg_simd_v2, evg_simd_best()};

	random_seed(77);
	for (unsigned i = 0; i < OPS; i++)
		for (unsigned k = 0; k < 2; k++)
			for (unsigned threads = 1; threads <= 3; threads++) {
				CU_ASSERT(right(ops[i], ops[(i + 1) % OPS],
						FEW, simds[k], threads));
				CU_ASSERT(right(ops[i], ops[i], MANY, simds[k],
						threads));
			}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"atomics without results, by any number of threads",
		 test_threads},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu atomics", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
