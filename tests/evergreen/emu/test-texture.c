/* Texture instructions against the formulas of OpenCL 1.2, section 8.2, in
 * double precision but for the position in texels, a single, and one work-item
 * at a time: random images, formats, samplers and coordinates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/element-reference.h"
#include "evergreen/emu/one-wavefront.h"
#include "unit/harness.h"

enum { SOURCE = 1, DEST = 2, UNTOUCHED = 77 };

struct texture_case {
	const struct reference_format *format;
	struct reference_numbers numbers;
	struct evg_image *image;
	struct evg_sampler *sampler;
	struct evg_fetch_inst inst;
	unsigned dimensions;
	const uint8_t *bytes; /* of the image */
};

static unsigned below(unsigned limit)
{
	return (random_bits() >> 7) % limit;
}

/* --- The reference ------------------------------------------------------ */

static bool is_array(const struct evg_image *image)
{
	return image->dimension == EVG_IMAGE_1D_ARRAY ||
	       image->dimension == EVG_IMAGE_2D_ARRAY;
}

static uint32_t one_of(const struct texture_case *test)
{
	return test->numbers.number_format == 1 ? 1 : 0x3f800000;
}

/* A texel's component after the resource's select; outside: the border. */
static uint32_t texel(const struct texture_case *test, double x, double y,
		      double z, unsigned c, const uint32_t border[4])
{
	const struct evg_image *image = test->image;
	unsigned select = image->select[c];
	unsigned bytes = reference_bytes(test->format);
	bool inside = x >= 0 && x < image->width && y >= 0 &&
		      y < image->height && z >= 0 && z < image->depth;
	size_t stride = image->dimension == EVG_IMAGE_BUFFER &&
					image->row_pitch
				? image->row_pitch
				: bytes;

	if (!inside && image->plain_border)
		return border[c];
	if (select == 4)
		return 0;
	if (select == 5)
		return one_of(test);
	if (!inside)
		return border[select];
	if (select >= reference_components(test->format))
		return 0;
	return reference_read(test->format, &test->numbers,
			      test->bytes + (size_t)x * stride +
				      (size_t)y * image->row_pitch +
				      (size_t)z * image->slice_pitch,
			      select);
}

static double modulo(double x, double m)
{
	x = fmod(x, m);
	return x < 0 ? x + m : x;
}

/* Section 8.2's address_mode, with what the repeating modes do to a texel
 * that an offset has moved. */
static double address_mode(double i, double size, enum evg_wrap wrap)
{
	switch (wrap) {
	case EVG_WRAP_REPEAT:
		return modulo(i, size);
	case EVG_WRAP_MIRROR:
		i = modulo(i, 2 * size);
		return i < size ? i : 2 * size - 1 - i;
	case EVG_WRAP_CLAMP_EDGE:
		return fmin(fmax(i, 0), size - 1);
	default:
		return fmin(fmax(i, -1), size);
	}
}

/* The coordinate in texels. */
static double position(const struct texture_case *test, unsigned axis,
		       double s, double size)
{
	enum evg_wrap wrap = test->sampler->wrap[axis];
	bool normalized = test->inst.normalized[axis];

	if (isnan(s))
		s = 0;
	if (isinf(s) && (wrap == EVG_WRAP_REPEAT || wrap == EVG_WRAP_MIRROR))
		s = 0;
	if (!test->inst.texel_offset[axis] && normalized) {
		/* As the specification has it. */
		if (wrap == EVG_WRAP_REPEAT)
			return (s - floor(s)) * size;
		if (wrap == EVG_WRAP_MIRROR)
			return fabs(s - 2 * rint(0.5 * s)) * size;
	}
	if (normalized && wrap == EVG_WRAP_REPEAT)
		s -= floor(s);
	if (normalized && wrap == EVG_WRAP_MIRROR)
		s -= 2 * floor(s / 2);
	if (normalized)
		s *= size;
	s += 0.5 * test->inst.texel_offset[axis];
	if (wrap == EVG_WRAP_REPEAT)
		return modulo(s, size);
	if (wrap == EVG_WRAP_MIRROR)
		return fmin(modulo(s, 2 * size),
			    2 * size - modulo(s, 2 * size));
	return fmax(fmin(s, 1e6), -1e6);
}

static double axis_size(const struct evg_image *image, unsigned axis)
{
	return axis == 0   ? image->width
	       : axis == 1 ? image->height
			   : image->depth;
}

/* Texels and weights of one axis: two (linear) or one. */
static void choose(const struct texture_case *test, unsigned axis, double s,
		   bool linear, double index[2], double *weight)
{
	double size = axis_size(test->image, axis);
	double u = (float)position(test, axis, s, size);

	if (linear)
		u -= 0.5;
	*weight = u - floor(u);
	for (int i = 0; i < 2; i++)
		index[i] = address_mode(floor(u) + i, size,
					test->sampler->wrap[axis]);
}

struct expected {
	uint32_t bits[4];
	bool exact;        /* or within `tolerance` */
	double tolerance[4];
};

static double layer_of(const struct texture_case *test, const uint32_t *s)
{
	double layer = reference_single(s[test->dimensions]);

	layer = isnan(layer) ? 0 : rint(layer);
	return fmin(fmax(layer, 0), test->image->depth - 1.0);
}

static void expect_load(const struct texture_case *test, const uint32_t s[4],
			struct expected *expected)
{
	static const uint32_t zero[4];
	double at[3] = {0, 0, 0};

	for (unsigned axis = 0; axis < test->dimensions; axis++)
		at[axis] = (double)(s[axis] +
				    (uint32_t)(int32_t)floor(
					    test->inst.texel_offset[axis] *
					    0.5));
	if (is_array(test->image))
		at[2] = s[test->dimensions];
	expected->exact = true;
	for (unsigned c = 0; c < 4; c++)
		expected->bits[c] = texel(test, at[0], at[1], at[2], c, zero);
}

static void expect_sample(const struct texture_case *test, const uint32_t s[4],
			  struct expected *expected)
{
	static const unsigned gather[4] = {2, 3, 1, 0};
	bool gathers = test->inst.op == EVG_FETCH_GATHER4;
	bool linear = gathers || (test->sampler->filter == EVG_FILTER_LINEAR &&
				  !(test->format->kind == 'i' &&
				    test->numbers.number_format == 1));
	double index[3][2] = {{0}}, weight[3] = {0};
	unsigned corners = linear ? 1u << test->dimensions : 1;
	double sum[4] = {0};

	for (unsigned axis = 0; axis < test->dimensions; axis++)
		choose(test, axis, reference_single(s[axis]), linear,
		       index[axis], &weight[axis]);
	if (is_array(test->image))
		index[2][0] = index[2][1] = layer_of(test, s);
	expected->exact = gathers || !linear;
	memset(expected->tolerance, 0, sizeof expected->tolerance);
	for (unsigned corner = 0; corner < (gathers ? 4 : corners); corner++) {
		unsigned which = gathers ? gather[corner] : corner;
		double x = index[0][which & 1], y = index[1][which >> 1 & 1];
		double z = index[2][which >> 2], part = 1;

		for (unsigned axis = 0; axis < test->dimensions; axis++)
			part *= which >> axis & 1 ? weight[axis]
						  : 1 - weight[axis];
		for (unsigned c = 0; c < 4; c++) {
			uint32_t bits = texel(test, x, y, z,
					      gathers ? test->inst.inst_mod
						      : c,
					      test->sampler->border);
			double value = reference_single(bits);

			if (gathers) {
				expected->bits[corner] = bits;
			} else if (!linear) {
				expected->bits[c] = bits;
			} else {
				sum[c] += part * value;
				expected->tolerance[c] +=
					fabs(part * value) * 0x1p-23;
			}
		}
	}
	if (!expected->exact)
		for (unsigned c = 0; c < 4; c++)
			expected->bits[c] = reference_bits(sum[c]);
}

static void expect_info(const struct texture_case *test,
			struct expected *expected)
{
	const struct evg_image *image = test->image;
	bool row_array = image->dimension == EVG_IMAGE_1D_ARRAY;

	expected->exact = true;
	expected->bits[0] = image->width;
	expected->bits[1] = row_array ? image->depth : image->height;
	expected->bits[2] = row_array ? 1 : image->depth;
	expected->bits[3] = 1;
}

static bool agrees(const struct expected *expected, unsigned c, uint32_t got)
{
	double wanted = reference_single(expected->bits[c]);
	double value = reference_single(got);

	if (expected->exact || got == expected->bits[c])
		return got == expected->bits[c];
	if (isnan(wanted))
		return isnan(value);
	/* The smallest results are flushed to 0. */
	return fabs(value - wanted) <= expected->tolerance[c] + 0x1p-126;
}

/* --- Cases -------------------------------------------------------------- */

static void random_image(struct texture_case *test, struct evg_image *image,
			 uint32_t address)
{
	static const uint8_t dimensions[] = {1, 1, 2, 3, 1, 2};
	static const uint8_t codes[] = {26, 26, 14, 35, 32, 34, 13, 8, 25};
	unsigned kind = below(6), bytes;

	do {
		test->format = &reference_formats[below(
			reference_format_count)];
	} while (below(2) && !memchr(codes, test->format->code, sizeof codes));
	bytes = reference_bytes(test->format);
	test->numbers = (struct reference_numbers){
		.number_format = below(3), .is_signed = below(2)};
	/* A format of floats says what its numbers are. */
	if (test->format->kind != 'i')
		test->numbers.number_format = 0;
	*image = (struct evg_image){
		.dimension = (enum evg_image_dimension)(EVG_IMAGE_BUFFER +
							kind),
		.width = 1 + below(17),
		.height = 1,
		.depth = 1,
		.data_format = test->format->code,
		.number_format =
			(enum evg_number_format)test->numbers.number_format,
		.format_signed = test->numbers.is_signed,
		.plain_border = below(4) == 0,
	};
	test->image = image;
	test->dimensions = dimensions[kind];
	if (test->dimensions > 1)
		image->height = 1 + below(9);
	if (test->dimensions > 2 || is_array(image))
		image->depth = 1 + below(5);
	image->row_pitch = image->width * bytes + below(3) * bytes;
	image->slice_pitch = image->height * image->row_pitch + below(2) * 64;
	if (image->dimension == EVG_IMAGE_BUFFER)
		image->row_pitch = below(2) * (bytes + 4);
	image->address = address + 16 * below(64);
	for (unsigned c = 0; c < 4; c++)
		image->select[c] = below(2) ? (uint8_t)c : (uint8_t)below(6);
}

static void random_sampler(struct evg_sampler *sampler)
{
	sampler->bound = true;
	sampler->filter = below(2) ? EVG_FILTER_LINEAR : EVG_FILTER_NEAREST;
	for (unsigned axis = 0; axis < 3; axis++)
		sampler->wrap[axis] = (enum evg_wrap)below(4);
	for (unsigned c = 0; c < 4; c++)
		sampler->border[c] = reference_bits(below(8) * 0.25 - 0.5);
}

static void random_inst(struct texture_case *test)
{
	static const enum evg_fetch_op ops[] = {
		EVG_FETCH_LD, EVG_FETCH_SAMPLE, EVG_FETCH_SAMPLE_L,
		EVG_FETCH_SAMPLE_LB, EVG_FETCH_SAMPLE_LZ, EVG_FETCH_SAMPLE_G,
		EVG_FETCH_SAMPLE_G_LB, EVG_FETCH_GATHER4, EVG_FETCH_SAMPLE,
		EVG_FETCH_GET_TEXTURE_RESINFO, EVG_FETCH_SAMPLE_L};
	struct evg_fetch_inst *inst = &test->inst;

	do {
		memset(inst, 0, sizeof *inst);
		inst->op = ops[below(sizeof ops / sizeof *ops)];
	} while (inst->op == EVG_FETCH_GATHER4 && test->dimensions != 2);
	inst->resource_id = (uint8_t)below(EVG_FETCH_RESOURCES);
	inst->sampler_id = (uint8_t)below(EVG_SAMPLERS);
	inst->resource_index_mode = (uint8_t)(below(4) ? 0 : 1 + below(2));
	inst->sampler_index_mode = (uint8_t)(below(4) ? 0 : 1 + below(2));
	inst->source_gpr = SOURCE;
	inst->dest_gpr = DEST;
	if (inst->op == EVG_FETCH_GATHER4)
		inst->inst_mod = (uint8_t)below(4);
	for (unsigned c = 0; c < 4; c++) {
		inst->source_select[c] =
			(uint8_t)(below(8) ? c : (unsigned)below(6));
		inst->dest_select[c] =
			(uint8_t)(below(4) ? c : (below(2) ? 4 + below(2) : 7));
	}
	for (unsigned c = 0; c < 3; c++) {
		inst->normalized[c] = below(2);
		if (!below(4))
			inst->texel_offset[c] = (int8_t)((int)below(32) - 16);
	}
	inst->lod_bias = (int8_t)below(3);
}

/* Repeating modes are defined for normalized coordinates only; others are not
 * reduced exactly when they are huge. */
static bool defined_coordinate(const struct texture_case *test, unsigned axis,
			       uint32_t bits)
{
	return axis >= test->dimensions || test->inst.op == EVG_FETCH_LD ||
	       test->inst.normalized[axis] ||
	       test->sampler->wrap[axis] > EVG_WRAP_MIRROR ||
	       !(fabs(reference_single(bits)) > 0x1p40) ||
	       isinf(reference_single(bits));
}

static uint32_t random_coordinate(const struct texture_case *test,
				  unsigned axis)
{
	static const uint32_t odd[] = {
		0x7fc00000, 0x7f800000, 0xff800000, 0x7149f2ca, 0xf149f2ca,
		0x80000000, 0x00000001, 0x4f000000, 0xcf800000, 0x3f7fffff,
		0xb3800000};
	double size = axis_size(test->image, axis), value;

	if (test->inst.op == EVG_FETCH_LD)
		return below(16) ? below((unsigned)size + 2) - (below(8) == 0)
				 : random_bits();
	if (axis == test->dimensions)
		value = below(40) * 0.25 - 2;
	else
		switch (below(4)) {
		case 0: /* between, on and around texels' middles and edges */
			value = (below(64) - 16.0) / 2;
			break;
		case 1:
			return odd[below(sizeof odd / sizeof *odd)];
		default:
			value = (below(1 << 20) / 262144.0 - 1.5) * size;
		}
	if (axis < test->dimensions && test->inst.normalized[axis])
		value /= size;
	return reference_bits(value);
}

static bool check_lane(const struct texture_case *test,
		       const struct one_wavefront *one,
		       uint32_t source[4][EVG_WAVEFRONT_SIZE],
		       unsigned lane, bool active)
{
	const struct evg_fetch_inst *inst = &test->inst;
	struct expected expected = {.exact = true};
	uint32_t s[4];

	for (unsigned c = 0; c < 4; c++) {
		unsigned select = inst->source_select[c];

		s[c] = select < 4    ? source[select][lane]
		       : select == 5 ? (inst->op == EVG_FETCH_LD ? 1
								 : 0x3f800000)
				     : 0;
		if (!defined_coordinate(test, c, s[c]))
			return true;
	}
	if (inst->op == EVG_FETCH_LD)
		expect_load(test, s, &expected);
	else if (inst->op == EVG_FETCH_GET_TEXTURE_RESINFO)
		expect_info(test, &expected);
	else
		expect_sample(test, s, &expected);
	for (unsigned c = 0; c < 4; c++) {
		unsigned select = inst->dest_select[c];
		uint32_t got = register_row(one->wavefront, DEST, c)[lane];
		bool good;

		if (!active || select == 7)
			good = got == UNTOUCHED;
		else if (select == 5 &&
			 inst->op == EVG_FETCH_GET_TEXTURE_RESINFO)
			good = got == 1;
		else if (select > 3)
			good = got == (select == 5 ? one_of(test) : 0);
		else
			good = agrees(&expected, select, got);
		if (!good) {
			printf("# lane %u.%u: %08x (%g), wanted %08x (%g); "
			       "coordinates %g %g %g\n",
			       lane, c, got, reference_single(got),
			       expected.bits[select & 3],
			       reference_single(expected.bits[select & 3]),
			       reference_single(s[0]), reference_single(s[1]),
			       reference_single(s[2]));
			return false;
		}
	}
	return true;
}

static void describe(const struct texture_case *test)
{
	const struct evg_image *image = test->image;
	char text[512];

	evg_fetch_format(text, sizeof text, &test->inst);
	printf("# %s\n# dimension %d %ux%ux%u format %u number %u signed %d "
	       "select %u%u%u%u filter %d wrap %d %d %d\n",
	       text, image->dimension, image->width, image->height,
	       image->depth, image->data_format, test->numbers.number_format,
	       test->numbers.is_signed, image->select[0], image->select[1],
	       image->select[2], image->select[3], test->sampler->filter,
	       test->sampler->wrap[0], test->sampler->wrap[1],
	       test->sampler->wrap[2]);
}

/* Index registers hold what leads from the instruction's number to where the
 * image and sampler are bound. */
static bool check_case(uint32_t seed, const struct evg_simd *simd)
{
	uint32_t source[4][EVG_WAVEFRONT_SIZE];
	struct evg_image image;
	struct texture_case test;
	struct assembler as;
	struct one_wavefront one;
	unsigned resource, sampler;
	uint64_t mask;
	bool good;

	random_seed(seed);
	random_image(&test, &image, 0);
	random_inst(&test);
	if (!text_gives_fetch(&test.inst))
		return false;
	one_masked(&as);
	asm_fetch(&as, &test.inst, 1);
	one_begin(&one, &as, simd);
	for (unsigned i = 0; i < ONE_BLOCK; i++)
		one.bytes[i] = (uint8_t)(random_bits() >> 9);
	one.wavefront->indices.cf[0] = 3;
	one.wavefront->indices.cf[1] = (uint32_t)-2;
	resource = test.inst.resource_id;
	sampler = test.inst.sampler_id;
	if (test.inst.resource_index_mode)
		resource += one.wavefront->indices
				.cf[test.inst.resource_index_mode - 1];
	if (test.inst.sampler_index_mode)
		sampler +=
		    one.wavefront->indices.cf[test.inst.sampler_index_mode - 1];
	if (resource >= EVG_FETCH_RESOURCES || sampler >= EVG_SAMPLERS) {
		one_end(&one);
		return true;
	}
	test.bytes = one.bytes + image.address;
	image.address += one.block;
	one.bindings.images[resource] = image;
	test.sampler = &one.bindings.samplers[sampler];
	random_sampler(test.sampler);
	mask = below(3) ? ~UINT64_C(0)
			: (uint64_t)random_bits() << 32 | random_bits() | 1;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		register_row(one.wavefront, ONE_MASK, 0)[lane] =
			mask >> lane & 1;
		for (unsigned c = 0; c < 4; c++) {
			source[c][lane] = random_coordinate(&test, c);
			register_row(one.wavefront, SOURCE, c)[lane] =
				source[c][lane];
			register_row(one.wavefront, DEST, c)[lane] = UNTOUCHED;
		}
	}
	one_run(&one);
	good = !one.error.text[0];
	if (!good)
		printf("# %s\n", one.error.text);
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++)
		good = check_lane(&test, &one, source, lane, mask >> lane & 1);
	if (!good)
		describe(&test);
	one_end(&one);
	return good;
}

static void test_random(void)
{
	for (uint32_t seed = 1; seed <= 4000; seed++) {
		bool good = check_case(seed, one_level(seed % one_levels()));

		if (!good)
			printf("# seed %u\n", seed);
		CU_ASSERT_FATAL(good);
	}
}

/* Every instruction set gives the same bits. */
static void test_levels(void)
{
	for (unsigned level = 0; level < one_levels(); level++)
		for (uint32_t seed = 10001; seed <= 10200; seed++)
			CU_ASSERT_FATAL(check_case(seed, one_level(level)));
}

/* What is not bound, or does not lie in memory, is an error. */
static void test_errors(void)
{
	struct evg_fetch_inst inst = {.op = EVG_FETCH_SAMPLE,
				      .resource_id = 7,
				      .sampler_id = 2,
				      .source_gpr = SOURCE,
				      .dest_gpr = DEST};
	static const char *const texts[] = {
		"nothing is bound to texture resource 7",
		"nothing is bound to sampler 2", "is not inside a block",
		"a format that images cannot have", ""};
	struct assembler as;
	struct one_wavefront one;

	for (unsigned i = 0; i < 5; i++) {
		struct evg_image *image = &one.bindings.images[7];

		asm_begin(&as);
		asm_fetch(&as, &inst, 1);
		one_begin(&one, &as, evg_simd_best());
		if (i > 0)
			*image = (struct evg_image){
				.dimension = EVG_IMAGE_2D,
				.address = one.block,
				.width = 100,
				.height = 100,
				.depth = 1,
				.row_pitch = 400,
				.data_format = 26};
		if (i > 1)
			one.bindings.samplers[2].bound = true;
		if (i == 2)
			image->height = 1000;
		if (i == 3)
			image->data_format = 50;
		one_expect(&one, texts[i]);
		CU_ASSERT_EQUAL(one.error.text[0] == '\0', i == 4);
		one_end(&one);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random images, samplers and coordinates", test_random},
		{"every instruction set", test_levels},
		{"errors", test_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu texture", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
