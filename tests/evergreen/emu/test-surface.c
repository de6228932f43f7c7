/* Stores and atomics: typed and raw RATs, bursts, element sizes, registers
 * relative to aL, index registers; and that nothing which a compute kernel may
 * hold is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/element-reference.h"
#include "evergreen/emu/one-wavefront.h"
#include "evergreen/emu/rat-reference.h"
#include "unit/harness.h"

enum { INDEX = 1, DATA = 2, BACK = 14, BACK_FETCH = 160 };

static unsigned below(unsigned limit)
{
	return (random_bits() >> 7) % limit;
}

struct store_case {
	struct evg_cf_inst inst;
	const struct reference_format *format;
	struct reference_numbers numbers;
	struct evg_image image; /* dimension NONE: global memory */
	int32_t loop_index;
	uint32_t cf_index[2];
	uint64_t mask;
	uint32_t index[3][EVG_WAVEFRONT_SIZE];
	uint32_t value[8][4][EVG_WAVEFRONT_SIZE]; /* from R2 on */
};

/* --- The reference ------------------------------------------------------ */

/* The texel's place in `bytes`, the image's, or NULL when outside. */
static uint8_t *texel(const struct store_case *test, uint8_t *bytes,
		      unsigned lane, unsigned burst)
{
	const struct evg_image *image = &test->image;
	uint32_t x = test->index[0][lane] + burst, y = test->index[1][lane];
	uint32_t z = test->index[2][lane];
	uint64_t stride = reference_bytes(test->format);

	switch (image->dimension) {
	case EVG_IMAGE_BUFFER:
		stride = image->row_pitch ? image->row_pitch : stride;
		/* fallthrough */
	case EVG_IMAGE_1D:
		y = z = 0;
		break;
	case EVG_IMAGE_2D:
		z = 0;
		break;
	case EVG_IMAGE_1D_ARRAY:
		z = y;
		y = 0;
		break;
	default:
		break;
	}
	if (x >= image->width || y >= image->height || z >= image->depth)
		return NULL;
	return bytes + x * stride + (uint64_t)y * image->row_pitch +
	       (uint64_t)z * image->slice_pitch;
}

static void store_texel(const struct store_case *test, uint8_t *place,
			uint32_t value[8][4][EVG_WAVEFRONT_SIZE], unsigned gpr,
			unsigned lane)
{
	uint32_t component[4] = {0};
	unsigned mask = test->inst.component_mask;

	for (unsigned c = 0; c < reference_components(test->format); c++) {
		/* The first channel that shows the component writes it. */
		for (unsigned channel = 4; channel--;)
			if (mask >> channel & 1 &&
			    test->image.select[channel] == c)
				component[c] = value[gpr - DATA][channel][lane];
	}
	reference_write(test->format, &test->numbers, component, place);
}

/* What the instruction does to `bytes`, memory from `base` on; the old value
 * that a returning operation leaves goes to `back`. */
static void apply(struct store_case *test, uint8_t *bytes, uint32_t base,
		  unsigned lane, unsigned k, uint32_t *back)
{
	const struct evg_cf_inst *inst = &test->inst;
	unsigned gpr = inst->rw_gpr + k, size = 0;
	uint8_t *place, *image;
	uint32_t *x;
	uint32_t old, new;
	uint64_t at;

	if (inst->rw_relative)
		gpr += (unsigned)test->loop_index;
	x = &test->value[gpr - DATA][0][lane];
	image = bytes + (test->image.address - base);
	if (inst->rat_op == EVG_RAT_STORE_TYPED) {
		place = texel(test, image, lane, k);
		if (place)
			store_texel(test, place, test->value, gpr, lane);
		return;
	}
	at = ((uint64_t)test->index[0][lane] + k) * 4 *
	     (inst->element_size + 1u);
	if (test->image.dimension) {
		const struct evg_image *i = &test->image;
		unsigned stride = reference_bytes(test->format);

		if (i->dimension == EVG_IMAGE_BUFFER && i->row_pitch)
			stride = i->row_pitch;
		size = (i->width - 1) * stride +
		       (i->height - 1) * i->row_pitch +
		       (i->depth - 1) * i->slice_pitch +
		       reference_bytes(test->format);
	}
	if (inst->rat_op == EVG_RAT_STORE_RAW) {
		unsigned first = 4, last = 0;

		for (unsigned c = 0; c < 4; c++)
			if (inst->component_mask >> c & 1) {
				first = first < 4 ? first : c;
				last = c;
			}
		place = test->image.dimension ? image + at
					      : bytes + (uint32_t)(at - base);
		if (test->image.dimension && at + 4 * first + 4 * (last - first +
								   1) > size)
			return;
		for (unsigned c = 0; c < 4; c++)
			if (inst->component_mask >> c & 1)
				memcpy(place + 4 * c,
				       &test->value[gpr - DATA][c][lane], 4);
		return;
	}
	place = test->image.dimension ? texel(test, image, lane, k)
				      : bytes + (uint32_t)(at - base);
	*back = 0;
	if (!place)
		return;
	memcpy(&old, place, 4);
	new = reference_atomic(inst->rat_op, old, *x, test->value[gpr - DATA][3][lane]);
	memcpy(place, &new, 4);
	*back = old;
}

/* --- Random cases --------------------------------------------------------- */

static void random_image(struct store_case *test, bool dwords)
{
	struct evg_image *image = &test->image;
	static const struct reference_format *format;
	unsigned bytes;

	do
		format = &reference_formats[below(reference_format_count)];
	while (format->kind == 's' ||
	       (dwords && reference_bytes(format) != 4));
	test->format = format;
	test->numbers = (struct reference_numbers){
		.number_format = below(3), .is_signed = below(2)};
	bytes = reference_bytes(format);
	*image = (struct evg_image){
		.dimension = (enum evg_image_dimension)(EVG_IMAGE_BUFFER +
							below(6)),
		.width = 1 + below(20),
		.height = 1,
		.depth = 1,
		.data_format = format->code,
		.number_format =
			(enum evg_number_format)test->numbers.number_format,
		.format_signed = test->numbers.is_signed,
	};
	if (image->dimension == EVG_IMAGE_2D ||
	    image->dimension == EVG_IMAGE_3D ||
	    image->dimension == EVG_IMAGE_2D_ARRAY)
		image->height = 1 + below(8);
	if (image->dimension >= EVG_IMAGE_3D)
		image->depth = 1 + below(4);
	image->row_pitch = (image->width + below(3)) * bytes;
	image->slice_pitch = image->row_pitch * image->height + 4 * below(3);
	if (image->dimension == EVG_IMAGE_BUFFER)
		image->row_pitch = below(2) * (bytes + 4);
	for (unsigned c = 0; c < 4; c++)
		image->select[c] = (uint8_t)c;
	if (below(2)) /* BGRA */
		image->select[0] = 2, image->select[2] = 0;
	if (below(8) == 0) /* A */
		image->select[0] = image->select[1] = image->select[2] = 4,
		image->select[3] = 0;
}

static const enum evg_rat_op stores[] = {EVG_RAT_STORE_TYPED,
					 EVG_RAT_STORE_RAW};

static bool is_atomic(enum evg_rat_op op)
{
	return op != EVG_RAT_STORE_TYPED && op != EVG_RAT_STORE_RAW &&
	       op != EVG_RAT_NOP;
}

static void random_case(struct store_case *test)
{
	static const enum evg_cf_op ops[] = {EVG_CF_MEM_RAT,
					     EVG_CF_MEM_RAT_NOCACHE,
					     EVG_CF_MEM_RAT_COMBINED_NOCACHE};
	struct evg_cf_inst *inst = &test->inst;
	bool atomic;

	memset(test, 0, sizeof *test);
	inst->op = ops[below(3)];
	inst->format = EVG_CF_EXPORT_RAT;
	inst->barrier = true;
	do
		inst->rat_op = below(2) ? stores[below(2)]
					: (enum evg_rat_op)below(EVG_RAT_COUNT);
	while (!evg_rat_info[inst->rat_op].compute ||
	       inst->rat_op == EVG_RAT_NOP);
	atomic = is_atomic(inst->rat_op);
	if (inst->rat_op == EVG_RAT_STORE_TYPED || below(2))
		random_image(test, atomic);
	inst->type = (uint8_t)(1 + 2 * below(2));
	inst->mark = below(2);
	inst->rw_gpr = (uint8_t)(DATA + below(3));
	inst->rw_relative = below(4) == 0;
	inst->index_gpr = INDEX;
	inst->element_size = (uint8_t)(below(2) ? 0 : below(4));
	inst->burst_count = (uint8_t)(below(2) || atomic ? 0 : below(3));
	inst->component_mask = (uint8_t)(below(2) ? 15 : 1 + below(15));
	/* The components that are left come from other lanes' stores. */
	if (inst->rat_op == EVG_RAT_STORE_TYPED)
		inst->component_mask = 15;
	inst->array_size = (uint16_t)below(4096);
	test->loop_index = (int32_t)below(3);
	test->cf_index[0] = below(3);
	test->cf_index[1] = 4;
	inst->rat_id = (uint8_t)(test->image.dimension ? below(8) : 0);
	if (test->image.dimension)
		inst->rat_index_mode = (uint8_t)(below(2) ? 0 : 1 + below(2));
	else if (below(4) == 0)
		inst->rat_index_mode = 1, test->cf_index[0] = 0;
}

/* A texel each, so that the order of lanes makes no difference; some are
 * outside. Elements of global memory and raw dwords lie apart, too. */
static void random_operands(struct store_case *test, uint32_t block)
{
	const struct evg_image *image = &test->image;
	bool typed = image->dimension &&
		     test->inst.rat_op != EVG_RAT_STORE_RAW;
	unsigned element = 4 * (test->inst.element_size + 1u);
	unsigned apart = (test->inst.burst_count + 1u) * 4;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		unsigned n = lane * (test->inst.burst_count + 1u);

		for (unsigned r = 0; r < 8; r++)
			for (unsigned c = 0; c < 4; c++) {
				uint32_t value = random_bits();

				if (below(2))
					value = reference_bits(
						(below(4000) - 2000.0) /
						(double)(1 + below(1000)));
				if (below(16) == 0)
					value = below(3) ? 0x7fc00000
							 : 0xff800000;
				test->value[r][c][lane] = value;
			}
		test->index[0][lane] = n;
		test->index[1][lane] = test->index[2][lane] = 0;
		if (typed && is_atomic(test->inst.rat_op)) {
			/* Atomics may meet. */
			test->index[0][lane] = below(image->width + 1);
			test->index[1][lane] = below(4);
			test->index[2][lane] = below(4);
		} else if (typed) {
			unsigned row = image->width /
				       (test->inst.burst_count + 1u);

			row = row ? row : 1;
			test->index[0][lane] =
				lane % row * (test->inst.burst_count + 1u);
			test->index[1][lane] = lane / row % image->height;
			test->index[2][lane] = lane / row / image->height;
			if (image->dimension == EVG_IMAGE_1D_ARRAY)
				test->index[1][lane] = lane / row;
			if (image->dimension <= EVG_IMAGE_1D)
				test->index[0][lane] = n;
			if (image->dimension == EVG_IMAGE_2D)
				test->index[1][lane] = lane / row;
		} else if (image->dimension) {
			test->index[0][lane] = lane * apart;
		} else {
			test->index[0][lane] =
				(block + element - 1) / element +
				(is_atomic(test->inst.rat_op) ? below(40)
							      : lane * apart);
		}
	}
}

static bool check_case(uint32_t seed, const struct evg_simd *simd)
{
	struct store_case *test = xmalloc(sizeof *test);
	uint32_t backs[EVG_WAVEFRONT_SIZE] = {0};
	uint8_t *wanted = xmalloc(ONE_BLOCK);
	struct evg_fetch_inst back = vertex_fetch(BACK, 0, 0, 13, BACK_FETCH);
	struct assembler as;
	struct one_wavefront one;
	unsigned rat;
	bool good;

	random_seed(seed);
	random_case(test);
	good = text_gives_cf(&test->inst);
	for (unsigned c = 1; c < 4; c++)
		back.dest_select[c] = 7;
	one_masked(&as);
	asm_add(&as, &test->inst);
	asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
	asm_fetch(&as, &back, 1);
	one_begin(&one, &as, simd);
	one.wavefront->indices.loop = test->loop_index;
	one.wavefront->indices.has_loop = true;
	memcpy(one.wavefront->indices.cf, test->cf_index,
	       sizeof test->cf_index);
	test->image.address = one.block + 256 * below(8);
	rat = test->inst.rat_id;
	if (test->inst.rat_index_mode)
		rat += test->cf_index[test->inst.rat_index_mode - 1];
	if (test->image.dimension)
		one.bindings.rats[rat] = test->image;
	for (unsigned i = 0; i < ONE_BLOCK; i++)
		one.bytes[i] = (uint8_t)(random_bits() >> 9);
	memcpy(wanted, one.bytes, ONE_BLOCK);
	random_operands(test, one.block);
	test->mask = below(3) ? ~UINT64_C(0)
			      : (uint64_t)random_bits() << 32 | random_bits();
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		register_row(one.wavefront, ONE_MASK, 0)[lane] =
			test->mask >> lane & 1;
		for (unsigned c = 0; c < 4; c++) {
			if (c < 3)
				register_row(one.wavefront, INDEX, c)[lane] =
					test->index[c][lane];
			for (unsigned r = 0; r < 8; r++)
				register_row(one.wavefront, DATA + r, c)[lane] =
					test->value[r][c][lane];
		}
	}
	if (one_run(&one)[0]) {
		printf("# %s\n", one.error.text);
		good = false;
	}
	for (unsigned k = 0; k <= test->inst.burst_count; k++)
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			if (test->mask >> lane & 1)
				apply(test, wanted, one.block, lane, k,
				      &backs[lane]);
	for (unsigned i = 0; good && i < ONE_BLOCK; i++) {
		good = one.bytes[i] == wanted[i];
		if (!good)
			printf("# byte %u (%u of the image): %02x, wanted "
			       "%02x\n",
			       i, i - (test->image.address - one.block),
			       one.bytes[i], wanted[i]);
	}
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++)
		if (evg_rat_info[test->inst.rat_op].returns &&
		    test->mask >> lane & 1)
			good = register_row(one.wavefront, BACK, 0)[lane] ==
			       backs[lane];
	if (!good) {
		char text[512];

		evg_cf_format(text, sizeof text, &test->inst);
		printf("# %s\n# dimension %d %ux%ux%u format %u number %u "
		       "signed %d\n",
		       text, test->image.dimension, test->image.width,
		       test->image.height, test->image.depth,
		       test->image.data_format, test->numbers.number_format,
		       test->numbers.is_signed);
	}
	one_end(&one);
	free(wanted);
	free(test);
	return good;
}

static void test_random(void)
{
	for (uint32_t seed = 1; seed <= 3000; seed++) {
		bool good = check_case(seed, one_level(seed % one_levels()));

		if (!good)
			printf("# seed %u\n", seed);
		CU_ASSERT_FATAL(good);
	}
}

/* Components of a texel that are masked stay; the shared exponent comes back
 * as it was read; a store without an index goes to element 0. */
static void test_single(void)
{
	struct evg_cf_inst inst = {.op = EVG_CF_MEM_RAT,
				   .format = EVG_CF_EXPORT_RAT,
				   .barrier = true,
				   .rat_op = EVG_RAT_STORE_TYPED,
				   .type = 0,
				   .rw_gpr = DATA,
				   .index_gpr = INDEX,
				   .component_mask = 5};
	struct assembler as;
	struct one_wavefront one;

	asm_begin(&as);
	asm_add(&as, &inst);
	inst.rat_id = 1;
	inst.component_mask = 15;
	asm_add(&as, &inst);
	one_begin(&one, &as, evg_simd_best());
	one.bindings.rats[0] = (struct evg_image){
		.dimension = EVG_IMAGE_2D,
		.address = one.block,
		.width = 4,
		.height = 4,
		.depth = 1,
		.row_pitch = 16,
		.data_format = 26,
		.number_format = EVG_NUMBER_INT,
		.select = {0, 1, 2, 3}};
	one.bindings.rats[1] = one.bindings.rats[0];
	one.bindings.rats[1].address += 1024;
	one.bindings.rats[1].data_format = 43;
	memset(one.bytes, 0x55, 8);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		for (unsigned c = 0; c < 4; c++) {
			register_row(one.wavefront, INDEX, c)[lane] = 3;
			register_row(one.wavefront, DATA, c)[lane] =
				reference_bits(c ? 0.25 * c : 200);
		}
	CU_ASSERT_STRING_EQUAL(one_run(&one), "");
	/* Bits of floats saturate as integers. */
	CU_ASSERT_EQUAL(one.bytes[0], 0xff);
	CU_ASSERT_EQUAL(one.bytes[1], 0x55);
	CU_ASSERT_EQUAL(one.bytes[2], 0xff);
	CU_ASSERT_EQUAL(one.bytes[3], 0x55);
	{
		static const struct reference_format shared = {43, 's',
							       {9, 9, 9}};
		struct reference_numbers numbers = {0};
		const uint8_t *place = one.bytes + 1024;

		CU_ASSERT_EQUAL(reference_read(&shared, &numbers, place, 0),
				reference_bits(200));
		/* 0.25 is half of what the last place is worth. */
		CU_ASSERT_EQUAL(reference_read(&shared, &numbers, place, 1),
				reference_bits(0));
		CU_ASSERT_EQUAL(reference_read(&shared, &numbers, place, 2),
				reference_bits(0.5));
	}
	one_end(&one);
}

/* --- Nothing is refused --------------------------------------------------- */

static void bind_all(struct one_wavefront *one)
{
	struct evg_image image = {.dimension = EVG_IMAGE_2D,
				  .address = one->block,
				  .width = 8,
				  .height = 8,
				  .depth = 1,
				  .row_pitch = 32,
				  .data_format = 13,
				  .number_format = EVG_NUMBER_INT,
				  .select = {0, 1, 2, 3}};

	one->bindings.rats[0] = one->bindings.images[5] = image;
	one->bindings.samplers[0].bound = true;
}

static void test_every_fetch(void)
{
	for (int op = 0; op < EVG_FETCH_COUNT; op++) {
		const struct evg_fetch_info *info = &evg_fetch_info[op];
		struct evg_fetch_inst inst = {.op = (enum evg_fetch_op)op,
					      .source_gpr = INDEX,
					      .dest_gpr = DATA};
		struct assembler as;
		struct one_wavefront one;

		/* GDS instructions have clauses and tests of their own. */
		if (!info->compute || info->layout == EVG_LAYOUT_GDS)
			continue;
		inst.is_vertex = info->layout == EVG_LAYOUT_VTX;
		inst.resource_id = inst.is_vertex ? 1 : 5;
		inst.use_const_fields = info->layout == EVG_LAYOUT_MEM_RD;
		inst.indexed = true;
		inst.data_format = 13;
		asm_begin(&as);
		as.scratch = 64;
		asm_fetch(&as, &inst, 1);
		one_begin(&one, &as, evg_simd_best());
		bind_all(&one);
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			register_row(one.wavefront, INDEX, 0)[lane] =
				op == EVG_FETCH_READ_SCRATCH ? 3
				: op == EVG_FETCH_READ_MEM   ? one.block / 4
							     : one.block;
		if (one_run(&one)[0])
			printf("# %s: %s\n", info->name, one.error.text);
		CU_ASSERT_EQUAL(one.error.text[0], '\0');
		one_end(&one);
	}
}

static void test_every_store(void)
{
	for (int cf = 0; cf < EVG_CF_COUNT; cf++) {
		bool rat = evg_cf_info[cf].format == EVG_CF_EXPORT_RAT;

		if (!evg_cf_info[cf].compute ||
		    (!rat && evg_cf_info[cf].format != EVG_CF_EXPORT_BUF))
			continue;
		for (int op = 0; op < (rat ? EVG_RAT_COUNT : 1); op++) {
			struct evg_cf_inst inst = {
				.op = (enum evg_cf_op)cf,
				.format = evg_cf_info[cf].format,
				.barrier = true,
				.rat_op = (enum evg_rat_op)op,
				.type = 1,
				.rw_gpr = DATA,
				.index_gpr = INDEX,
				.component_mask = 1};
			struct assembler as;
			struct one_wavefront one;

			if (rat && !evg_rat_info[op].compute)
				continue;
			asm_begin(&as);
			as.scratch = 64;
			asm_add(&as, &inst);
			one_begin(&one, &as, evg_simd_best());
			bind_all(&one);
			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE;
			     lane++)
				register_row(one.wavefront, INDEX, 0)[lane] =
					cf == EVG_CF_MEM_EXPORT
						? one.block / 4
						: 3;
			if (one_run(&one)[0])
				printf("# %s %s: %s\n", evg_cf_info[cf].name,
				       evg_rat_info[op].name, one.error.text);
			CU_ASSERT_EQUAL(one.error.text[0], '\0');
			one_end(&one);
		}
	}
}

static void test_errors(void)
{
	static const char *const texts[] = {
		"nothing is bound to RAT 9", "nothing is bound to typed RAT 0",
		"do not have 32 bits", "burst that goes beyond", "without a component",
		"is not inside a block", "does not exist in compute kernels"};

	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct evg_cf_inst inst = {.op = EVG_CF_MEM_RAT,
					   .format = EVG_CF_EXPORT_RAT,
					   .barrier = true,
					   .rat_op = EVG_RAT_STORE_TYPED,
					   .type = 1,
					   .rw_gpr = DATA,
					   .index_gpr = INDEX,
					   .component_mask = 15};
		struct assembler as;
		struct one_wavefront one;

		if (i == 0)
			inst.rat_id = 9;
		if (i == 2)
			inst.rat_op = EVG_RAT_ADD;
		if (i == 3)
			inst.burst_count = 15;
		if (i == 4)
			inst.component_mask = 0;
		if (i == 6)
			inst.rat_op = EVG_RAT_CMPXCHG_FLT;
		asm_begin(&as);
		asm_add(&as, &inst);
		one_begin(&one, &as, evg_simd_best());
		if (i == 2 || i == 5) {
			bind_all(&one);
			one.bindings.rats[0].data_format = 26 + 4 * (i == 2);
			if (i == 5)
				one.bindings.rats[0].height = 100000;
		}
		one_expect(&one, texts[i]);
		one_end(&one);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random stores and atomics", test_random},
		{"masked, shared exponent, direct", test_single},
		{"every fetch of compute kernels", test_every_fetch},
		{"every store of compute kernels", test_every_store},
		{"errors", test_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu surface", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
