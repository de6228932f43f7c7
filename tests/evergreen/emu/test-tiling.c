/* Where images lie in the hardware's memory: every byte has one place, known
 * places, what lies together; and that instructions touch these places. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/one-wavefront.h"
#include "evergreen/emu/memory/tiling.h"
#include "evergreen/isa/data-format.h"
#include "unit/harness.h"

enum { LINE = 64 };

/* Formats of 1, 2, 4, 8 and 16 bytes. */
static const uint8_t codes[] = { 1, 5, 26, 32, 35 };

static unsigned below(unsigned limit)
{
	return (random_bits() >> 7) % limit;
}

static struct evg_image image_of(enum evg_image_dimension dimension,
				 uint8_t code, uint32_t width, uint32_t height,
				 uint32_t depth)
{
	return (struct evg_image){ .dimension = dimension,
				   .width = width,
				   .height = height,
				   .depth = depth,
				   .data_format = code,
				   .select = { 0, 1, 2, 3 } };
}

static const struct evg_tiling_device cypress = { EVG_ARRAY_2D_TILED, 8, 16 };

static struct evg_tiling *cypress_2d(uint8_t code, uint32_t width,
				     uint32_t height)
{
	struct evg_image image =
		image_of(EVG_IMAGE_2D, code, width, height, 1);

	return evg_tiling_create(&cypress, &image);
}

static uint32_t bytes_of(uint8_t code)
{
	return evg_data_formats[code].bytes;
}

/* --- One place each ------------------------------------------------------- */

static bool is_bijection(const struct evg_tiling *tiling,
			 const struct evg_image *image)
{
	uint32_t bytes = bytes_of(image->data_format);
	uint8_t *taken = xcalloc(tiling->size, 1);
	bool good = tiling->size >= (uint64_t)image->width * image->height *
					    image->depth * bytes;

	for (uint32_t z = 0; z < image->depth; z++)
		for (uint32_t y = 0; y < image->height; y++)
			for (uint32_t x = 0; good && x < image->width; x++) {
				uint32_t at = evg_tiling_place(tiling, x, y, z);

				good = at % bytes == 0 && at < tiling->size &&
				       !taken[at]++;
			}
	free(taken);
	return good;
}

static void test_bijection(void)
{
	unsigned tiled[3] = { 0 };

	random_seed(20);
	for (unsigned i = 0; i < 250; i++) {
		struct evg_tiling_device device = {
			below(4) ? EVG_ARRAY_2D_TILED : EVG_ARRAY_1D_TILED,
			1u << below(5), 2u << below(4) };
		struct evg_image image =
			image_of(below(2) ? EVG_IMAGE_2D : EVG_IMAGE_3D,
				 codes[below(5)], 1 + below(330),
				 1 + below(330), 1 + below(4));
		struct evg_tiling *tiling;

		if (below(2)) /* whole macro tiles */
			image.width = 64u << below(2),
			image.height = 64u << below(3);
		tiling = evg_tiling_create(&device, &image);
		CU_ASSERT_PTR_NOT_NULL_FATAL(tiling);
		CU_ASSERT(is_bijection(tiling, &image));
		tiled[tiling->mode]++;
		evg_tiling_free(tiling);
	}
	CU_ASSERT(tiled[EVG_ARRAY_1D_TILED] > 40);
	CU_ASSERT(tiled[EVG_ARRAY_2D_TILED] > 40);
}

/* --- Known places --------------------------------------------------------- */

/* By hand, from the equations of AMD's address library: 8 pipes of two shader
 * engines with tiles of 32, 16 banks. */
static void test_places(void)
{
	static const struct {
		uint8_t code;
		uint32_t x, y, place;
	} known[] = {
		/* The order in a micro tile. */
		{ 26, 1, 0, 4 },       { 26, 2, 0, 8 },
		{ 26, 0, 1, 0x10 },    { 26, 4, 0, 0x20 },
		{ 26, 0, 2, 0x40 },    { 26, 7, 7, 0xfc },
		{ 1, 7, 0, 7 },	       { 1, 0, 2, 8 },
		{ 1, 0, 1, 0x10 },     { 1, 0, 4, 0x20 },
		{ 32, 0, 1, 0x10 },    { 32, 2, 0, 0x20 },
		{ 35, 0, 1, 0x10 },    { 35, 1, 0, 0x20 },
		/* Above 256 bytes a micro tile goes on behind all pipes and
		 * banks. */
		{ 32, 0, 4, 0x8000 },  { 35, 0, 2, 0x8000 },
		{ 35, 0, 4, 0x10000 },
		/* Pipes: x3, x4, x5; y3, y4, y5 (bits 10:8). Banks by y from
		 * y3 on (bits 14:11). */
		{ 26, 8, 0, 0x200 },   { 26, 16, 0, 0x100 },
		{ 26, 32, 0, 0x500 },  { 26, 0, 8, 0x4100 },
		{ 26, 0, 16, 0x2200 }, { 26, 0, 32, 0x1400 },
		{ 26, 0, 64, 0x1800 },
		/* The next macro tile, of 64 x 128: one bank on. */
		{ 26, 64, 0, 0x8800 }, { 26, 0, 128, 8 * 0x8000 },
		/* Bytes: banks of four micro tiles, macro tiles of 128 x 256,
		 * two banks wide. */
		{ 1, 0, 8, 0x140 },    { 1, 0, 32, 0x4400 },
		{ 1, 64, 0, 0x800 },   { 1, 128, 0, 0x9000 },
	};
	uint32_t last = 0;
	struct evg_tiling *tiling = NULL;

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].code != last) {
			evg_tiling_free(tiling);
			tiling = cypress_2d(known[i].code, 512, 512);
		}
		last = known[i].code;
		CU_ASSERT_EQUAL(evg_tiling_place(tiling, known[i].x,
						 known[i].y, 0),
				known[i].place);
		if (evg_tiling_place(tiling, known[i].x, known[i].y, 0) !=
		    known[i].place)
			printf("# %u: %u, %u: 0x%x\n", known[i].code,
			       known[i].x, known[i].y,
			       evg_tiling_place(tiling, known[i].x, known[i].y,
						0));
	}
	evg_tiling_free(tiling);
}

/* Seven banks from slice to slice. */
static void test_slices(void)
{
	struct evg_image image = image_of(EVG_IMAGE_3D, 26, 64, 128, 3);
	struct evg_tiling *tiling = evg_tiling_create(&cypress, &image);

	CU_ASSERT_EQUAL(tiling->slice_bytes, 0x8000);
	CU_ASSERT_EQUAL(evg_tiling_place(tiling, 0, 0, 1), 0x8000 + 7 * 0x800);
	CU_ASSERT_EQUAL(evg_tiling_place(tiling, 0, 0, 2),
			0x10000 + 14 * 0x800);
	CU_ASSERT_EQUAL(evg_tiling_place(tiling, 0, 8, 1),
			0x8100 + (7 ^ 8) * 0x800);
	evg_tiling_free(tiling);
}

/* --- What lies together ----------------------------------------------------- */

/* Lines of 64 bytes in a square of texels. */
static unsigned lines(const struct evg_tiling *tiling, uint32_t x, uint32_t y,
		      uint32_t side)
{
	uint32_t found[64];
	unsigned count = 0, k;

	for (uint32_t v = y; v < y + side; v++)
		for (uint32_t u = x; u < x + side; u++) {
			uint32_t line = evg_tiling_place(tiling, u, v, 0) /
					LINE;

			for (k = 0; k < count && found[k] != line; k++)
				;
			if (k == count)
				found[count++] = line;
		}
	return count;
}

static void test_together(void)
{
	static const unsigned small[] = { 1, 1, 2, 2, 4 };

	for (unsigned i = 0; i < 5; i++) {
		struct evg_tiling *tiling = cypress_2d(codes[i], 512, 512);

		for (uint32_t at = 0; at < 512; at += 8)
			CU_ASSERT_EQUAL(lines(tiling, at, 504 - at, 8),
					bytes_of(codes[i]));
		for (uint32_t at = 0; at < 512; at += 4)
			CU_ASSERT_EQUAL(lines(tiling, at, 508 - at, 4),
					small[i]);
		evg_tiling_free(tiling);
	}
}

/* A row's, a column's and a diagonal's micro tiles are on all pipes alike. */
static void test_spread(void)
{
	struct evg_tiling *tiling = cypress_2d(26, 512, 512);
	unsigned pipes[3][8] = { { 0 } };

	for (uint32_t i = 0; i < 64; i++) {
		pipes[0][evg_tiling_place(tiling, 8 * i, 0, 0) >> 8 & 7]++;
		pipes[1][evg_tiling_place(tiling, 0, 8 * i, 0) >> 8 & 7]++;
		pipes[2][evg_tiling_place(tiling, 8 * i, 0, 0) >> 8 & 7]++;
	}
	for (unsigned walk = 0; walk < 3; walk++)
		for (unsigned pipe = 0; pipe < 8; pipe++)
			CU_ASSERT_EQUAL(pipes[walk][pipe], 8);
	evg_tiling_free(tiling);
}

/* --- Which layout ------------------------------------------------------------ */

static int mode_of(enum evg_image_dimension dimension, uint8_t code,
		   uint32_t width, uint32_t height)
{
	struct evg_image image = image_of(dimension, code, width, height, 1);
	struct evg_tiling *tiling = evg_tiling_create(&cypress, &image);
	int mode = tiling ? (int)tiling->mode : EVG_ARRAY_LINEAR;

	if (tiling) {
		CU_ASSERT_EQUAL(tiling->alignment & (tiling->alignment - 1),
				0);
		CU_ASSERT_EQUAL(tiling->size % tiling->alignment, 0);
	}
	evg_tiling_free(tiling);
	return mode;
}

static void test_modes(void)
{
	struct evg_tiling_device linear = { EVG_ARRAY_LINEAR, 8, 16 };
	struct evg_image image = image_of(EVG_IMAGE_2D, 26, 512, 512, 1);

	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_1D, 26, 512, 1), EVG_ARRAY_LINEAR);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_1D_ARRAY, 26, 512, 1),
			EVG_ARRAY_LINEAR);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_BUFFER, 26, 512, 1),
			EVG_ARRAY_LINEAR);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D, 26, 512, 512),
			EVG_ARRAY_2D_TILED);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_3D, 26, 64, 128),
			EVG_ARRAY_2D_TILED);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D_ARRAY, 26, 63, 128),
			EVG_ARRAY_1D_TILED);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D, 26, 64, 127),
			EVG_ARRAY_1D_TILED);
	/* It would be three quarters larger. */
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D, 26, 65, 140),
			EVG_ARRAY_1D_TILED);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D, 26, 100, 120),
			EVG_ARRAY_1D_TILED);
	CU_ASSERT_EQUAL(mode_of(EVG_IMAGE_2D, 1, 5, 3), EVG_ARRAY_1D_TILED);
	CU_ASSERT_PTR_NULL(evg_tiling_create(&linear, &image));
}

/* --- What instructions touch --------------------------------------------------- */

enum { COORDINATES = 1, VALUE = 4 };

/* Steps to the first instruction with texels; its coordinates are in `at`. */
static void step_to(struct one_wavefront *one, uint32_t at[3][64],
		    struct evg_step *step)
{
	for (unsigned axis = 0; axis < 3; axis++)
		memcpy(register_row(one->wavefront, COORDINATES, axis),
		       at[axis], 256);
	do {
		CU_ASSERT_EQUAL_FATAL(evg_wavefront_step(one->wavefront, step,
							 &one->error), 0);
	} while (!step->memory_mask && !step->program_end);
}

static void random_texels(const struct evg_image *image, uint32_t at[3][64])
{
	for (unsigned lane = 0; lane < 64; lane++) {
		at[0][lane] = below(image->width + 2);
		at[1][lane] = below(image->height + 2);
		at[2][lane] = image->dimension == EVG_IMAGE_2D
				      ? 0
				      : below(image->depth + 1);
	}
}

static bool notes_places(const struct evg_step *step,
			 const struct evg_image *image, uint32_t at[3][64])
{
	for (unsigned lane = 0; lane < 64; lane++) {
		bool inside = at[0][lane] < image->width &&
			      at[1][lane] < image->height &&
			      at[2][lane] < image->depth;

		if (inside != (step->memory_mask >> lane & 1))
			return false;
		if (inside && step->memory_address[lane] !=
				      image->address +
					      evg_tiling_place(image->tiling,
							       at[0][lane],
							       at[1][lane],
							       at[2][lane]))
			return false;
	}
	return true;
}

static bool check_access(const struct evg_cf_inst *store,
			 const struct evg_fetch_inst *load,
			 const struct evg_simd *simd)
{
	static const struct evg_tiling_device small = { EVG_ARRAY_2D_TILED, 2,
							4 };
	struct evg_image image = image_of(below(2) ? EVG_IMAGE_2D
						   : EVG_IMAGE_3D,
					  26, 1 + below(60), 1 + below(60),
					  1 + below(3));
	uint32_t at[3][64];
	struct one_wavefront one;
	struct evg_tiling *tiling;
	struct evg_step step;
	struct assembler as;
	bool good;

	asm_begin(&as);
	if (store)
		asm_add(&as, store);
	else
		asm_fetch(&as, load, 1);
	one_begin(&one, &as, simd);
	image.address = one.block;
	image.row_pitch = 4 * image.width;
	image.slice_pitch = image.row_pitch * image.height;
	image.number_format = EVG_NUMBER_INT;
	tiling = evg_tiling_create(&small, &image);
	image.tiling = tiling;
	one.bindings.images[0] = one.bindings.rats[2] = image;
	random_texels(&image, at);
	step_to(&one, at, &step);
	good = notes_places(&step, &image, at) && step.memory_bytes == 4;
	one_end(&one);
	evg_tiling_free(tiling);
	return good;
}

/* Reads, stores and atomics of one image go by the same places. */
static void test_accesses(void)
{
	const struct evg_fetch_inst load = { .op = EVG_FETCH_LD,
					     .source_gpr = COORDINATES,
					     .source_select = { 0, 1, 2, 4 },
					     .dest_gpr = VALUE,
					     .dest_select = { 0, 1, 2, 3 } };
	struct evg_cf_inst store = { .op = EVG_CF_MEM_RAT,
				     .format = EVG_CF_EXPORT_RAT,
				     .barrier = true,
				     .type = 1,
				     .rat_op = EVG_RAT_STORE_TYPED,
				     .rat_id = 2,
				     .rw_gpr = VALUE,
				     .index_gpr = COORDINATES,
				     .component_mask = 15 };
	struct evg_cf_inst add = store;

	add.rat_op = EVG_RAT_ADD;
	random_seed(21);
	for (unsigned level = 0; level < one_levels(); level++)
		for (unsigned i = 0; i < 60; i++) {
			const struct evg_simd *simd = one_level(level);

			CU_ASSERT(check_access(NULL, &load, simd));
			CU_ASSERT(check_access(&store, NULL, simd));
			CU_ASSERT(check_access(&add, NULL, simd));
		}
}

/* All texels that a filter takes. */
static void test_corners(void)
{
	struct evg_fetch_inst sample = { .op = EVG_FETCH_SAMPLE,
					 .source_gpr = COORDINATES,
					 .source_select = { 0, 1, 2, 4 },
					 .dest_gpr = VALUE,
					 .dest_select = { 0, 1, 2, 3 } };
	struct evg_image image = image_of(EVG_IMAGE_3D, 26, 64, 64, 4);
	struct evg_tiling *tiling = evg_tiling_create(&cypress, &image);
	struct one_wavefront one;
	struct evg_step step;
	struct assembler as;
	float at[3][64];

	asm_begin(&as);
	asm_fetch(&as, &sample, 1);
	one_begin(&one, &as, one_level(0));
	image.address = one.block;
	image.row_pitch = 256;
	image.slice_pitch = 256 * 64;
	image.tiling = tiling;
	one.bindings.images[0] = image;
	one.bindings.samplers[0] = (struct evg_sampler){
		.bound = true, .filter = EVG_FILTER_LINEAR,
		.wrap = { EVG_WRAP_CLAMP_EDGE, EVG_WRAP_CLAMP_EDGE,
			  EVG_WRAP_CLAMP_EDGE } };
	for (unsigned lane = 0; lane < 64; lane++) {
		at[0][lane] = (float)lane;
		at[1][lane] = (float)(lane / 2 + 5);
		at[2][lane] = (float)(lane % 3 + 1);
	}
	step_to(&one, (uint32_t(*)[64])(void *)at, &step);
	CU_ASSERT_EQUAL(step.corners, 6);
	for (unsigned corner = 0; corner < 8; corner++)
		for (unsigned lane = 0; lane < 64; lane++) {
			/* The position is half a texel below. */
			int x = (int)lane - !(corner & 1);
			int y = (int)(lane / 2 + 5) - !(corner >> 1 & 1);
			int z = (int)(lane % 3 + 1) - !(corner >> 2 & 1);
			uint32_t noted =
				corner == 0   ? step.memory_address[lane]
				: corner == 1 ? step.memory_address2[lane]
					      : step.corner_address[corner - 2]
								   [lane];

			CU_ASSERT_EQUAL(noted,
					image.address +
						evg_tiling_place(
							tiling,
							x < 0 ? 0
							      : (uint32_t)x,
							(uint32_t)y,
							(uint32_t)z));
		}
	one_end(&one);
	evg_tiling_free(tiling);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "every texel has a place", test_bijection },
		{ "known places", test_places },
		{ "slices", test_slices },
		{ "neighbours share lines", test_together },
		{ "all pipes are used", test_spread },
		{ "which images are tiled", test_modes },
		{ "reads, stores and atomics", test_accesses },
		{ "filtered texels", test_corners },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = { { "evergreen tiled images", NULL,
					   NULL, NULL, NULL, tests },
					 CU_SUITE_INFO_NULL };

	return harness_run(suites);
}
