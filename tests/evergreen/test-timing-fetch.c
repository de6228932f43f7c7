/* What textures and scratch memory cost: blocks that are read, and cycles of
 * the texture units. */
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/memory/tiling.h"
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
	/* "68 Gtexel/s bilinear" (hd5870 figures, 1): 80 a clock, four in each
	 * of 20 compute units. */
	CU_ASSERT_EQUAL(linear.tex, 64 / 4 * WAVEFRONTS);
	CU_ASSERT_EQUAL(wide.tex, 4 * linear.tex);
	CU_ASSERT_EQUAL(deep.tex, 2 * linear.tex);
	/* LD's coordinates are the work-item: half of the wavefronts are
	 * outside of the image and read nothing. */
	CU_ASSERT_EQUAL(load.reads, 4 * WAVEFRONTS / 2);
	/* All coordinates are those of one corner, or nearly so. */
	CU_ASSERT_EQUAL(nearest.reads, WAVEFRONTS);
	CU_ASSERT(linear.reads >= WAVEFRONTS);
}

/* --- Tiled images ----------------------------------------------------------- */

enum { SIDE = 512, WALK = 8 };

static void walk_step(struct assembler *as, unsigned step, bool column)
{
	struct evg_fetch_inst inst = {.op = EVG_FETCH_LD,
				      .source_select = {4, 4, 4, 4},
				      .dest_gpr = 5};

	for (unsigned c = 0; c < 4; c++)
		inst.dest_select[c] = (uint8_t)c;
	inst.source_select[column] = 0;
	inst.texel_offset[!column] = (int8_t)(2 * step);
	asm_fetch(as, &inst, 1);
}

/* Cycles for SIDE work-items that read WALK texels each of an image of SIDE x
 * SIDE, four bytes a texel: the work-items lie along a row or a column, and go
 * on at right angles to it. */
static uint64_t walk(enum evg_array_mode mode, bool column)
{
	const struct evg_tiling_device device = { mode, 8, 16 };
	struct evg_bindings bindings;
	struct timing_machine machine;
	struct evg_tiling *tiling;
	struct assembler as;
	uint64_t cycles;

	memset(&bindings, 0, sizeof bindings);
	bindings.images[0] = (struct evg_image){ .dimension = EVG_IMAGE_2D,
						 .width = SIDE,
						 .height = SIDE,
						 .depth = 1,
						 .row_pitch = 4 * SIDE,
						 .data_format = 26,
						 .select = { 0, 1, 2, 3 } };
	tiling = evg_tiling_create(&device, &bindings.images[0]);
	bindings.images[0].tiling = tiling;
	machine_begin(&machine);
	machine.bindings = &bindings;
	/* The second time, the L2 has all of it. */
	for (unsigned time = 0; time < 2; time++) {
		asm_begin(&as);
		for (unsigned i = 0; i < WALK; i++)
			walk_step(&as, i, column);
		bindings.images[0].address = 0;
		if (machine_launch(&machine, &as, SIDE, 64))
			printf("# %s\n", machine.error.text);
		CU_ASSERT_EQUAL(machine.status, 0);
	}
	cycles = machine.cycles;
	machine_end(&machine);
	evg_tiling_free(tiling);
	return cycles;
}

/* A column costs about what a row costs when the image is tiled. */
static void test_walks(void)
{
	uint64_t row = walk(EVG_ARRAY_LINEAR, false);
	uint64_t column = walk(EVG_ARRAY_LINEAR, true);
	uint64_t tiled_row = walk(EVG_ARRAY_2D_TILED, false);
	uint64_t tiled_column = walk(EVG_ARRAY_2D_TILED, true);

	printf("# linear: %d and %d cycles, tiled: %d and %d\n", (int)row,
	       (int)column, (int)tiled_row, (int)tiled_column);
	CU_ASSERT(5 * column > 6 * row);
	CU_ASSERT(10 * tiled_column < 11 * tiled_row);
	CU_ASSERT(10 * tiled_row < 11 * tiled_column);
	CU_ASSERT(tiled_row < row);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"scratch memory", test_scratch},
		{"scratch memory is short", test_short},
		{"textures", test_textures},
		{"walks over tiled images", test_walks},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen timing of fetches", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
