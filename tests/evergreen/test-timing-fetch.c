/* What textures and scratch memory cost: blocks that are read, and cycles of
 * the texture units. */
#include <stdio.h>
#include <string.h>

#include "evergreen/timing-machine.h"
#include "evergreen/timing/compute-unit.h"
#include "unit/harness.h"

enum { ITEMS = 1024, GROUP = 128, WAVEFRONTS = ITEMS / 64 };

/* --- Scratch memory ------------------------------------------------------- */

struct cost {
	uint64_t cycles, reads, writes, tex;
};

static struct cost run(struct assembler *as, struct evg_bindings *bindings)
{
	struct timing_machine machine;
	struct cost cost;

	machine_begin(&machine);
	machine.bindings = bindings;
	if (machine_launch(&machine, as, ITEMS, GROUP))
		printf("# %s\n", machine.error.text);
	CU_ASSERT_EQUAL(machine.status, 0);
	cost = (struct cost){
		.cycles = machine.cycles,
		.reads = machine_sum(&machine, "GlobalMemory.ReadBlocks"),
		.writes = machine_sum(&machine, "GlobalMemory.WriteBlocks"),
		.tex = machine_sum(&machine, "TEXEngine.Cycles"),
	};
	machine_end(&machine);
	return cost;
}

/* Stores R0.x to scratch and reads it back; the index is R4.x, which is 0, or
 * R0.x, the work-item. */
static struct cost scratch_cost(unsigned index_gpr)
{
	struct evg_cf_inst store = {.op = EVG_CF_MEM_SCRATCH,
				    .format = EVG_CF_EXPORT_BUF,
				    .barrier = true,
				    .mark = true,
				    .type = 3,
				    .rw_gpr = 0,
				    .index_gpr = (uint8_t)index_gpr,
				    .component_mask = 1};
	struct evg_fetch_inst load = {.op = EVG_FETCH_READ_SCRATCH,
				      .indexed = true,
				      .use_const_fields = true,
				      .source_gpr = (uint8_t)index_gpr,
				      .dest_gpr = 5};
	struct assembler as;

	asm_begin(&as);
	as.scratch = 4 * GROUP;
	asm_add(&as, &store);
	asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
	asm_fetch(&as, &load, 1);
	return run(&as, NULL);
}

static void test_scratch(void)
{
	struct cost together = scratch_cost(4), apart = scratch_cost(0);

	/* A wavefront's dwords lie side by side. */
	CU_ASSERT_EQUAL(together.reads, together.writes);
	CU_ASSERT(together.reads <= 4 * WAVEFRONTS);
	CU_ASSERT_EQUAL(apart.reads, ITEMS);
	CU_ASSERT_EQUAL(apart.writes, ITEMS);
	CU_ASSERT(apart.cycles > 2 * together.cycles);
}

/* When scratch memory is short, fewer work-groups run at once: the machine has
 * 16 MB of memory, a work-group wants 4 MB. */
static void test_short(void)
{
	struct evg_fetch_inst load = {.op = EVG_FETCH_READ_SCRATCH,
				      .use_const_fields = true,
				      .dest_gpr = 5};
	struct timing_machine machine;
	struct assembler as;

	machine_begin(&machine);
	asm_begin(&as);
	as.scratch = 1 << 15;
	asm_fetch(&as, &load, 1);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, ITEMS, GROUP), 0);
	CU_ASSERT_EQUAL(machine_sum(&machine, "PeakWorkGroups"), 3);
	CU_ASSERT_EQUAL(machine_sum(&machine, "WorkGroupCount"), ITEMS / GROUP);
	/* So do functional runs, whatever the number of threads. */
	CU_ASSERT_EQUAL(evg_ndrange_run(machine.ndrange, 8, 0, &machine.error),
			0);
	machine_end(&machine);
}

/* --- Textures ------------------------------------------------------------- */

static struct cost texture_cost(enum evg_fetch_op op, unsigned format,
				enum evg_filter filter,
				enum evg_image_dimension dimension)
{
	struct evg_bindings bindings;
	struct evg_fetch_inst inst = {.op = op, .dest_gpr = 5};
	struct assembler as;

	memset(&bindings, 0, sizeof bindings);
	bindings.images[0] = (struct evg_image){
		.dimension = dimension,
		.width = 64,
		.height = 16,
		.depth = dimension == EVG_IMAGE_3D ? 4 : 1,
		.row_pitch = 64 * 16,
		.slice_pitch = 64 * 16 * 16,
		.data_format = (uint8_t)format,
		.number_format = EVG_NUMBER_NORM,
		.select = {0, 1, 2, 3}};
	bindings.samplers[0] = (struct evg_sampler){
		.bound = true,
		.filter = filter,
		.wrap = {EVG_WRAP_CLAMP_EDGE, EVG_WRAP_CLAMP_EDGE,
			 EVG_WRAP_CLAMP_EDGE}};
	for (unsigned c = 0; c < 4; c++)
		inst.dest_select[c] = inst.source_select[c] = (uint8_t)c;
	asm_begin(&as);
	asm_fetch(&as, &inst, 1);
	return run(&as, &bindings);
}

static void test_textures(void)
{
	enum { BYTES_8 = 26, FLOATS = 35 };
	struct cost load = texture_cost(EVG_FETCH_LD, BYTES_8,
					EVG_FILTER_NEAREST, EVG_IMAGE_2D);
	struct cost nearest = texture_cost(EVG_FETCH_SAMPLE, BYTES_8,
					   EVG_FILTER_NEAREST, EVG_IMAGE_2D);
	struct cost linear = texture_cost(EVG_FETCH_SAMPLE, BYTES_8,
					  EVG_FILTER_LINEAR, EVG_IMAGE_2D);
	struct cost wide = texture_cost(EVG_FETCH_SAMPLE, FLOATS,
					EVG_FILTER_LINEAR, EVG_IMAGE_2D);
	struct cost deep = texture_cost(EVG_FETCH_SAMPLE, BYTES_8,
					EVG_FILTER_LINEAR, EVG_IMAGE_3D);

	/* Bilinear filtering of 32 bits is free; more bits or a second slice
	 * take as many passes. */
	CU_ASSERT_EQUAL(load.tex, nearest.tex);
	CU_ASSERT_EQUAL(linear.tex, nearest.tex);
	CU_ASSERT_EQUAL(wide.tex, 4 * linear.tex);
	CU_ASSERT_EQUAL(deep.tex, 2 * linear.tex);
	/* LD's coordinates are the work-item: half of the wavefronts are
	 * outside of the image and read nothing. */
	CU_ASSERT_EQUAL(load.reads, 4 * WAVEFRONTS / 2);
	/* All coordinates are those of one corner, or nearly so. */
	CU_ASSERT_EQUAL(nearest.reads, WAVEFRONTS);
	CU_ASSERT(linear.reads >= WAVEFRONTS);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"scratch memory", test_scratch},
		{"scratch memory is short", test_short},
		{"textures", test_textures},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen timing of fetches", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
