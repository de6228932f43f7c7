/* Vertex fetches: every data format and way to read its numbers, from global
 * memory, constant buffers and buffers that the launch binds, against a scalar
 * reference. */
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/element-reference.h"
#include "evergreen/emu/one-wavefront.h"
#include "evergreen/isa/data-format.h"
#include "unit/harness.h"

enum { SOURCE = 1, DEST = 2, UNTOUCHED = 77 };

static unsigned below(unsigned limit)
{
	return (random_bits() >> 7) % limit;
}

struct fetch_case {
	struct evg_fetch_inst inst;
	const struct reference_format *format;
	struct reference_numbers numbers;
	struct evg_image buffer; /* a bound one */
	bool bound;
	int32_t loop_index;
	uint32_t cf_index[2];
};

static const struct reference_format *random_format(void)
{
	return &reference_formats[below(reference_format_count)];
}

static struct reference_numbers random_numbers(
	const struct reference_format *format)
{
	struct reference_numbers numbers = {
		.number_format = below(3),
		.is_signed = below(2),
	};

	if (format->kind != 'i')
		numbers.number_format = below(2);
	return numbers;
}

/* A buffer of elements, most often larger than one is. */
static void random_buffer(struct fetch_case *test)
{
	unsigned bytes;

	test->format = random_format();
	test->numbers = random_numbers(test->format);
	bytes = reference_bytes(test->format);
	test->buffer = (struct evg_image){
		.dimension = EVG_IMAGE_BUFFER,
		.width = 1 + below(100),
		.height = 1,
		.depth = 1,
		.row_pitch = below(2) * (bytes + 4 * below(3)),
		.data_format = test->format->code,
		.number_format = (enum evg_number_format)
					 test->numbers.number_format,
		.format_signed = test->numbers.is_signed,
	};
	for (unsigned c = 0; c < 4; c++)
		test->buffer.select[c] = (uint8_t)(below(2) ? c : below(6));
}

static void random_case(struct fetch_case *test)
{
	struct evg_fetch_inst *inst = &test->inst;

	memset(test, 0, sizeof *test);
	random_buffer(test);
	test->bound = below(2);
	test->loop_index = (int32_t)below(4);
	test->cf_index[0] = below(3);
	test->cf_index[1] = 5;
	inst->op = EVG_FETCH_VFETCH;
	inst->is_vertex = true;
	inst->fetch_type = (uint8_t)below(3);
	inst->resource_id = (uint8_t)(test->bound ? 10 + below(100) : 1);
	if (test->bound)
		inst->buffer_index_mode = (uint8_t)(below(2) ? 0 : 1 + below(2));
	else if (!below(3))
		inst->buffer_index_mode = 1 + below(2);
	inst->source_gpr = SOURCE;
	inst->source_select[0] = (uint8_t)below(4);
	inst->dest_gpr = DEST;
	inst->mega_fetch = below(2);
	inst->mega_fetch_count = (uint8_t)below(32);
	inst->source_relative = below(4) == 0;
	inst->dest_relative = below(4) == 0;
	inst->offset = (uint16_t)(below(2) ? 0 : below(40));
	inst->const_buf_no_stride = below(8) == 0;
	for (unsigned c = 0; c < 4; c++)
		inst->dest_select[c] = (uint8_t)(
			below(3) ? c : (unsigned[]){0, 1, 2, 3, 4, 5,
						    7}[below(7)]);
	inst->use_const_fields = test->bound && below(2);
	if (inst->use_const_fields)
		return;
	test->format = random_format();
	test->numbers = random_numbers(test->format);
	test->numbers.no_zero = below(2);
	test->numbers.endian_swap = below(3) ? 0 : below(3);
	inst->data_format = test->format->code;
	inst->num_format = (uint8_t)test->numbers.number_format;
	inst->format_signed = test->numbers.is_signed;
	inst->srf_mode = test->numbers.no_zero;
	inst->endian_swap = (uint8_t)test->numbers.endian_swap;
}

/* What channel c receives from the element at `place`; NULL: beyond. */
static uint32_t expected(const struct fetch_case *test, const uint8_t *place,
			 unsigned c)
{
	unsigned select = test->inst.dest_select[c];

	if (select < 4 && test->inst.use_const_fields)
		select = test->buffer.select[select];
	if (select == 7)
		return UNTOUCHED;
	if (select == 5)
		return test->numbers.number_format == 1 ? 1 : 0x3f800000;
	if (select > 3 || !place ||
	    select >= reference_components(test->format))
		return 0;
	return reference_read(test->format, &test->numbers, place, select);
}

static bool check_lane(const struct fetch_case *test,
		       const struct one_wavefront *one, unsigned lane,
		       uint32_t index, bool active, unsigned dest)
{
	unsigned bytes = reference_bytes(test->format);
	const struct evg_image *buffer = &test->buffer;
	const struct reference_format *own = NULL;
	const uint8_t *place;
	uint64_t stride = 1, at, size;

	for (unsigned i = 0; i < reference_format_count; i++)
		if (reference_formats[i].code == buffer->data_format)
			own = &reference_formats[i];
	if (test->bound)
		stride = buffer->row_pitch ? buffer->row_pitch
					   : reference_bytes(own);
	if (test->inst.const_buf_no_stride)
		stride = 0;
	at = index * stride + test->inst.offset;
	if (test->bound) {
		stride = buffer->row_pitch ? buffer->row_pitch
					   : reference_bytes(own);
		size = (buffer->width - 1) * stride + reference_bytes(own);
		place = at + bytes > size ? NULL
					  : one->bytes + (buffer->address -
							  one->block) + at;
	} else {
		place = one->bytes + (at - one->block);
	}
	for (unsigned c = 0; c < 4; c++) {
		uint32_t wanted = UNTOUCHED;
		uint32_t got = register_row(one->wavefront, dest, c)[lane];

		if (active)
			wanted = expected(test, place, c);
		if (got == wanted)
			continue;
		printf("# lane %u.%c index %u: %08x, wanted %08x\n", lane,
		       "xyzw"[c], index, got, wanted);
		return false;
	}
	return true;
}

static bool check_case(uint32_t seed, const struct evg_simd *simd)
{
	uint32_t index[EVG_WAVEFRONT_SIZE];
	struct fetch_case test;
	struct assembler as;
	struct one_wavefront one;
	unsigned source, dest, resource, first, stride;
	uint64_t mask;
	bool good, run;

	random_seed(seed);
	random_case(&test);
	good = text_gives_fetch(&test.inst);
	/* Nothing else is global memory by an index register. */
	if (!test.bound && test.inst.buffer_index_mode)
		test.cf_index[0] = test.cf_index[1] = below(2);
	/* Without an index, only buffers have a place of their own. */
	if (!test.bound)
		test.inst.const_buf_no_stride = false;
	one_masked(&as);
	asm_fetch(&as, &test.inst, 1);
	one_begin(&one, &as, simd);
	for (unsigned i = 0; i < ONE_BLOCK; i++)
		one.bytes[i] = (uint8_t)(random_bits() >> 9);
	one.wavefront->indices.loop = test.loop_index;
	one.wavefront->indices.has_loop = true;
	memcpy(one.wavefront->indices.cf, test.cf_index, sizeof test.cf_index);
	source = SOURCE + (test.inst.source_relative ? (unsigned)test.loop_index
						     : 0);
	dest = DEST + (test.inst.dest_relative ? (unsigned)test.loop_index : 0);
	resource = test.inst.resource_id;
	if (test.inst.buffer_index_mode)
		resource += test.cf_index[test.inst.buffer_index_mode - 1];
	test.buffer.address = one.block + 4 * below(100);
	if (test.bound)
		one.bindings.images[resource] = test.buffer;
	mask = below(3) ? ~UINT64_C(0)
			: (uint64_t)random_bits() << 32 | random_bits() | 2;
	if (!below(4)) /* few lanes */
		mask = UINT64_C(1) << below(64) | UINT64_C(1) << below(64);
	/* Consecutive elements, or with gaps, or one for all; or anywhere. */
	run = below(2);
	first = below(2000);
	stride = below(3) ? reference_bytes(test.format) : below(20);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		index[lane] = test.bound ? below(8) ? below(110) : random_bits()
			      : run      ? one.block + first + stride * lane
					 : one.block + below(ONE_BLOCK - 100);
		for (unsigned r = 1; r < 12; r++)
			for (unsigned c = 0; c < 4; c++)
				register_row(one.wavefront, r, c)[lane] =
					UNTOUCHED;
		register_row(one.wavefront, source,
			     test.inst.source_select[0])[lane] = index[lane];
	}
	/* The destination may be the source, whose lanes are not UNTOUCHED. */
	if (source == dest)
		mask = ~UINT64_C(0);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		register_row(one.wavefront, ONE_MASK, 0)[lane] =
			mask >> lane & 1;
	if (one_run(&one)[0]) {
		printf("# %s\n", one.error.text);
		good = false;
	}
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++) {
		/* What is masked in the source register stays as it was. */
		if (source == dest && test.inst.dest_select[test.inst
						.source_select[0]] == 7)
			break;
		good = check_lane(&test, &one, lane, index[lane],
				  mask >> lane & 1, dest);
	}
	if (!good) {
		char text[512];

		evg_fetch_format(text, sizeof text, &test.inst);
		printf("# %s\n", text);
	}
	one_end(&one);
	return good;
}

static void test_random(void)
{
	for (uint32_t seed = 1; seed <= 6000; seed++) {
		bool good = check_case(seed, one_level(seed % one_levels()));

		if (!good)
			printf("# seed %u\n", seed);
		CU_ASSERT_FATAL(good);
	}
}

/* Every format, every bit pattern of up to 16 bits, in each number format. */
static bool check_patterns(const struct reference_format *format,
			   unsigned numbers_code)
{
	struct fetch_case test = {
		.format = format,
		.numbers = {.number_format = numbers_code % 3,
			    .is_signed = numbers_code / 3 & 1,
			    .no_zero = numbers_code / 6 & 1},
	};
	struct evg_fetch_inst *inst = &test.inst;
	struct assembler as;
	struct one_wavefront one;
	bool good = true;

	*inst = vertex_fetch(DEST, SOURCE, 0, format->code, 1);
	inst->num_format = (uint8_t)test.numbers.number_format;
	inst->format_signed = test.numbers.is_signed;
	inst->srf_mode = test.numbers.no_zero;
	asm_begin(&as);
	asm_fetch(&as, inst, 1);
	one_begin(&one, &as, one_level(numbers_code % one_levels()));
	for (unsigned i = 0; i < ONE_BLOCK / 2; i++)
		memcpy(one.bytes + 2 * i, &i, 2);
	for (unsigned first = 0; good && first < ONE_BLOCK;
	     first += 64 * 16 * (1 + format->code % 3)) {
		evg_work_group_start(one.group, 0);
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			register_row(one.wavefront, SOURCE, 0)[lane] =
				one.block + first + 16 * lane;
		good = !one_run(&one)[0];
		for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE;
		     lane++)
			good = check_lane(&test, &one, lane,
					  one.block + first + 16 * lane, true,
					  DEST);
	}
	one_end(&one);
	return good;
}

/* Every format that buffers and images can have is in the reference. */
static void test_formats(void)
{
	unsigned count = 0;

	for (unsigned code = 0; code < EVG_DATA_FORMATS; code++)
		count += evg_data_formats[code].kind != EVG_FORMAT_NONE;
	CU_ASSERT_EQUAL(count, reference_format_count);
	for (unsigned i = 0; i < reference_format_count; i++) {
		const struct reference_format *format = &reference_formats[i];

		CU_ASSERT_NOT_EQUAL(evg_data_formats[format->code].kind,
				    EVG_FORMAT_NONE);
		for (unsigned k = 0; k < i; k++)
			CU_ASSERT_NOT_EQUAL(reference_formats[k].code,
					    format->code);
	}
}

static void test_patterns(void)
{
	for (unsigned i = 0; i < reference_format_count; i++)
		for (unsigned code = 0; code < 12; code++)
			CU_ASSERT(check_patterns(&reference_formats[i], code));
}

/* A constant buffer by an index register, and its size. */
static void test_constants(void)
{
	struct evg_fetch_inst inst[3] = {
		vertex_fetch(DEST, SOURCE, 0, 13, 2),
		vertex_fetch(DEST + 1, SOURCE, 0, 0, 3),
		vertex_fetch(DEST + 2, SOURCE, 0, 0, 20),
	};
	struct assembler as;
	struct one_wavefront one;

	inst[0].buffer_index_mode = 1;
	inst[0].offset = 12;
	inst[1].op = inst[2].op = EVG_FETCH_GET_BUFFER_RESINFO;
	inst[2].buffer_index_mode = 1;
	asm_begin(&as);
	asm_fetch(&as, inst, 3);
	one_begin(&one, &as, evg_simd_best());
	one.wavefront->indices.cf[0] = 1;
	one.bindings.images[21] = (struct evg_image){
		.dimension = EVG_IMAGE_BUFFER,
		.address = one.block,
		.width = 1234,
		.height = 1,
		.depth = 1,
		.data_format = 26};
	memset(register_row(one.wavefront, SOURCE, 0), 0, EVG_ROW_BYTES);
	CU_ASSERT_STRING_EQUAL(one_run(&one), "");
	CU_ASSERT_EQUAL(register_row(one.wavefront, DEST, 0)[5], 64);
	CU_ASSERT_EQUAL(register_row(one.wavefront, DEST + 1, 0)[5],
			one.ndrange->constants[0].size);
	CU_ASSERT_EQUAL(register_row(one.wavefront, DEST + 2, 0)[63], 1234);
	one_end(&one);
}

static void test_errors(void)
{
	static const char *const texts[] = {
		"nothing is bound to fetch resource 30",
		"TEX instructions read images", "has no format",
		"not a format of buffers", "ALT_CONST", "aL outside of a loop", "not below 16",
		"SEMFETCH"};

	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct evg_fetch_inst inst =
			vertex_fetch(DEST, SOURCE, 0, 13, i < 2 ? 30 : 1);
		struct assembler as;
		struct one_wavefront one;

		inst.use_const_fields = i == 2;
		if (i == 3)
			inst.data_format = 18;
		inst.alt_const = i == 4;
		inst.dest_relative = i == 5 || i == 6;
		if (i == 7)
			inst.op = EVG_FETCH_SEMFETCH;
		asm_begin(&as);
		asm_fetch(&as, &inst, 1);
		one_begin(&one, &as, evg_simd_best());
		if (i == 1)
			one.bindings.images[30].dimension = EVG_IMAGE_2D;
		if (i == 6) {
			one.wavefront->indices.has_loop = true;
			one.wavefront->indices.loop = 14;
		}
		one_expect(&one, texts[i]);
		one_end(&one);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random fetches", test_random},
		{"every format has a reference", test_formats},
		{"every format's bit patterns", test_patterns},
		{"constants and sizes", test_constants},
		{"errors", test_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu vertex", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
