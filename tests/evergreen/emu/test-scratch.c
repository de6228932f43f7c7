/* Scratch memory and the export buffer: random writes and reads of every
 * element size, burst and type, against an array for each work-item. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/emu/element-reference.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/one-wavefront.h"
#include "unit/harness.h"

enum {
	DWORDS = 256, /* of scratch memory per work-item */
	STEPS = 12,
	INDEX = 1,    /* R1 .. R2: indexes */
	FIRST = 3,    /* R3 .. R14: data */
	REGISTERS = 12,
};

static unsigned below(unsigned limit)
{
	return (random_bits() >> 7) % limit;
}

/* --- The reference ------------------------------------------------------ */

struct item {
	uint32_t data[REGISTERS][4];
	uint32_t index[2][4];
	uint32_t scratch[DWORDS];
};

static uint32_t element_of(const struct item *item, bool indexed,
			   unsigned gpr, unsigned channel, unsigned base)
{
	return base + (indexed ? item->index[gpr - INDEX][channel] : 0);
}

static void do_write(struct item *item, uint32_t *memory,
		     const struct evg_cf_inst *inst)
{
	uint32_t element = element_of(item, inst->type & 1, inst->index_gpr, 0,
				      inst->array_base);
	unsigned dwords = inst->element_size + 1u;

	for (unsigned k = 0; k <= inst->burst_count; k++)
		for (unsigned c = 0; c < 4; c++)
			if (inst->component_mask >> c & 1)
				memory[(element + k) * dwords + c] =
					item->data[inst->rw_gpr - FIRST + k][c];
}

static const struct reference_format *find_format(unsigned code)
{
	for (unsigned i = 0; i < reference_format_count; i++)
		if (reference_formats[i].code == code)
			return &reference_formats[i];
	return NULL;
}

static void do_read(struct item *item, const uint32_t *memory,
		    const struct evg_fetch_inst *inst)
{
	static const uint8_t raw[] = {13, 29, 47, 34};
	uint32_t element = element_of(item, inst->indexed, inst->source_gpr,
				      inst->source_select[0],
				      inst->array_base);
	const struct reference_format *format = find_format(
		inst->use_const_fields ? raw[inst->element_size]
				       : inst->data_format);
	struct reference_numbers numbers = {
		.number_format = inst->use_const_fields ? 1 : inst->num_format,
		.is_signed = inst->format_signed,
		.no_zero = inst->srf_mode,
		.endian_swap = inst->endian_swap,
	};

	if (inst->use_const_fields)
		numbers.is_signed = numbers.no_zero = false;
	for (unsigned k = 0; k <= inst->burst_count; k++)
		for (unsigned c = 0; c < 4; c++) {
			unsigned select = inst->dest_select[c];
			uint32_t value = select == 5;

			if (select == 7)
				continue;
			if (select == 5 && numbers.number_format != 1)
				value = 0x3f800000;
			if (select < reference_components(format))
				value = reference_read(
					format, &numbers,
					(const uint8_t *)&memory
						[(element + k) *
						 (inst->element_size + 1u)],
					select);
			item->data[inst->dest_gpr - FIRST + k][c] = value;
		}
}

/* --- Random instructions -------------------------------------------------- */

/* Elements that the index registers, 0 to 7, and a burst may add. */
static unsigned random_base(unsigned dwords)
{
	return below(DWORDS / dwords - 8 - 4);
}

static struct evg_cf_inst random_write(enum evg_cf_op op)
{
	struct evg_cf_inst inst = {
		.op = op,
		.format = EVG_CF_EXPORT_BUF,
		.barrier = true,
		.mark = below(2),
		.type = (uint8_t)below(4),
		.rw_gpr = (uint8_t)(FIRST + below(REGISTERS - 3)),
		.index_gpr = (uint8_t)(INDEX + below(2)),
		.element_size = (uint8_t)below(4),
		.array_size = 4095,
	};

	inst.burst_count = (uint8_t)(below(2) ? 0 : below(3));
	/* The fourth dword of a burst of short elements is overwritten. */
	inst.component_mask = (uint8_t)(1 + below((1u << (inst.element_size +
							  1)) - 1));
	if (!inst.burst_count && below(4) == 0)
		inst.component_mask = 15;
	inst.array_base = (uint16_t)random_base(inst.element_size + 1u);
	return inst;
}

static struct evg_fetch_inst random_read(enum evg_fetch_op op)
{
	struct evg_fetch_inst inst = {
		.op = op,
		.element_size = (uint8_t)below(4),
		.uncached = below(2),
		.indexed = below(2),
		.source_gpr = (uint8_t)(INDEX + below(2)),
		.dest_gpr = (uint8_t)(FIRST + below(REGISTERS - 3)),
		.use_const_fields = below(2),
		.array_size = 4095,
	};

	inst.source_select[0] = (uint8_t)below(4);
	inst.burst_count = (uint8_t)(below(2) ? 0 : below(3));
	inst.array_base = (uint16_t)random_base(inst.element_size + 1u);
	for (unsigned c = 0; c < 4; c++)
		inst.dest_select[c] =
			(uint8_t)(below(3) ? c : below(2) ? 4 + below(2) : 7);
	inst.endian_swap = (uint8_t)(below(3) ? 0 : below(3));
	if (inst.use_const_fields)
		return inst;
	inst.data_format =
		reference_formats[below(reference_format_count)].code;
	inst.num_format = (uint8_t)below(3);
	inst.format_signed = below(2);
	inst.srf_mode = below(2);
	return inst;
}

/* --- Programs ------------------------------------------------------------- */

struct program {
	unsigned count;
	bool is_read[STEPS];
	struct evg_cf_inst write[STEPS];
	struct evg_fetch_inst read[STEPS];
};

static bool random_program(struct program *program, struct assembler *as,
			   bool scratch)
{
	bool good = true;

	program->count = 1 + below(STEPS);
	for (unsigned i = 0; i < program->count; i++) {
		program->is_read[i] = below(2);
		if (program->is_read[i]) {
			program->read[i] = random_read(
				scratch ? EVG_FETCH_READ_SCRATCH
					: EVG_FETCH_READ_MEM);
			good &= text_gives_fetch(&program->read[i]);
			asm_fetch(as, &program->read[i], 1);
		} else {
			program->write[i] = random_write(
				scratch    ? EVG_CF_MEM_SCRATCH
				: below(2) ? EVG_CF_MEM_EXPORT
					   : EVG_CF_MEM_MEM_COMBINED);
			good &= text_gives_cf(&program->write[i]);
			asm_add(as, &program->write[i]);
		}
	}
	return good;
}

/* Registers of every lane at random. */
static void fill(struct one_wavefront *one, struct item *items, uint64_t mask)
{
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		struct item *item = &items[lane];

		register_row(one->wavefront, ONE_MASK, 0)[lane] =
			mask >> lane & 1;
		for (unsigned c = 0; c < 4; c++) {
			for (unsigned r = 0; r < REGISTERS; r++)
				register_row(one->wavefront, FIRST + r,
					     c)[lane] = item->data[r][c] =
					random_bits();
			for (unsigned r = 0; r < 2; r++)
				register_row(one->wavefront, INDEX + r,
					     c)[lane] = item->index[r][c];
		}
	}
}

static bool compare(struct one_wavefront *one, const struct item *items)
{
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		for (unsigned r = 0; r < REGISTERS; r++)
			for (unsigned c = 0; c < 4; c++) {
				uint32_t got = register_row(one->wavefront,
							    FIRST + r, c)[lane];

				if (got == items[lane].data[r][c])
					continue;
				printf("# lane %u R%u.%c: %08x, wanted %08x\n",
				       lane, FIRST + r, "xyzw"[c], got,
				       items[lane].data[r][c]);
				return false;
			}
	return true;
}

static bool check_program(uint32_t seed, const struct evg_simd *simd)
{
	struct item *items = xcalloc(EVG_WAVEFRONT_SIZE, sizeof *items);
	struct program program;
	struct assembler as;
	struct one_wavefront one;
	uint64_t mask;
	bool uniform, good;

	random_seed(seed);
	one_masked(&as);
	as.scratch = 4 * DWORDS;
	good = random_program(&program, &as, true);
	one_begin(&one, &as, simd);
	mask = below(3) ? ~UINT64_C(0)
			: (uint64_t)random_bits() << 32 | random_bits();
	uniform = below(2);
	for (unsigned r = 0; r < 2; r++)
		for (unsigned c = 0; c < 4; c++) {
			unsigned same = below(8);

			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE;
			     lane++)
				items[lane].index[r][c] = uniform ? same
								  : below(8);
		}
	fill(&one, items, mask);
	if (one_run(&one)[0]) {
		printf("# %s\n", one.error.text);
		good = false;
	}
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		for (unsigned i = 0; mask >> lane & 1 && i < program.count; i++)
			if (program.is_read[i])
				do_read(&items[lane], items[lane].scratch,
					&program.read[i]);
			else
				do_write(&items[lane], items[lane].scratch,
					 &program.write[i]);
	good = good && compare(&one, items);
	one_end(&one);
	free(items);
	return good;
}

static void test_scratch(void)
{
	for (uint32_t seed = 1; seed <= 600; seed++) {
		bool good = check_program(seed, one_level(seed % one_levels()));

		if (!good)
			printf("# seed %u\n", seed);
		CU_ASSERT_FATAL(good);
	}
}

/* The same instructions on global memory, 2 KB for each work-item. */
static bool check_export(uint32_t seed, const struct evg_simd *simd)
{
	enum { EACH = ONE_BLOCK / EVG_WAVEFRONT_SIZE };
	struct item *items = xcalloc(EVG_WAVEFRONT_SIZE, sizeof *items);
	uint32_t *wanted = xcalloc(1, ONE_BLOCK);
	struct program program;
	struct assembler as;
	struct one_wavefront one;
	unsigned dwords;
	bool good;

	random_seed(seed);
	one_masked(&as);
	good = random_program(&program, &as, false);
	program.count = 1;
	dwords = 1u + (program.is_read[0] ? program.read[0].element_size
					  : program.write[0].element_size);
	/* The first instruction alone counts: another has another size. */
	for (unsigned i = 2; i < as.count; i++)
		as.cf[i].op = EVG_CF_NOP, as.cf[i].format = EVG_CF_WORD,
		as.cf[i].count = 0, free(as.clause[i]), as.clause[i] = NULL,
		as.cf[i].type = 0;
	one_begin(&one, &as, simd);
	for (unsigned i = 0; i < ONE_BLOCK; i++)
		one.bytes[i] = (uint8_t)random_bits();
	memcpy(wanted, one.bytes, ONE_BLOCK);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		for (unsigned r = 0; r < 2; r++)
			for (unsigned c = 0; c < 4; c++)
				items[lane].index[r][c] =
					(one.block + lane * EACH) / 4 / dwords +
					1;
	/* Direct instructions go where no block is. */
	if (program.is_read[0] ? !program.read[0].indexed
			       : !(program.write[0].type & 1)) {
		fill(&one, items, ~UINT64_C(0));
		one_run(&one);
		good = good && strstr(one.error.text, "is not inside a block");
	} else {
		fill(&one, items, ~UINT64_C(0));
		good = good && !one_run(&one)[0];
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
			if (program.is_read[0])
				do_read(&items[lane], wanted - one.block / 4,
					&program.read[0]);
			else
				do_write(&items[lane], wanted - one.block / 4,
					 &program.write[0]);
		good = good && compare(&one, items) &&
		       !memcmp(wanted, one.bytes, ONE_BLOCK);
	}
	if (!good)
		printf("# %s\n", one.error.text);
	one_end(&one);
	free(items);
	free(wanted);
	return good;
}

static void test_export(void)
{
	for (uint32_t seed = 1; seed <= 300; seed++) {
		bool good = check_export(seed, one_level(seed % one_levels()));

		if (!good)
			printf("# seed %u\n", seed);
		CU_ASSERT_FATAL(good);
	}
}

/* --- As text, in a launch ------------------------------------------------- */

/* Each work-item keeps 8 numbers and adds them up; with several work-groups
 * and threads. */
static const char source[] =
	".kernel sum\n"
	".scratch 32\n"
	".argument global \"uint*\" out\n"
	"ALU: KCACHE0(CB0:0-15)\n"
	"0 t: MULLO_INT R0.w, KC0[1].z, R1.x\n"
	"1 w: ADD_INT R0.w, R0.w, R0.x\n"
	"2 x: MOV R2.x, 0\n"
	"  y: MOV R2.y, 0\n"
	"LOOP_DX10 i0 FAIL_JUMP_ADDR(@done)\n"
	"@loop:\n"
	"ALU:\n"
	"3 t: MULLO_INT R3.x, R2.x, R0.w\n"
	"MEM_WR_SCRATCH: DWORD_PTR[0+R2].x___, R3, ARRAY_SIZE(7)\n"
	"ALU_BREAK:\n"
	"4 x: ADD_INT R2.x, R2.x, 1\n"
	"5 x: PREDNE_INT ____, R2.x, 8 UPDATE_EXEC_MASK UPDATE_PRED\n"
	"ENDLOOP i0 PASS_JUMP_ADDR(@loop)\n"
	"@done:\n"
	"TEX:\n"
	"READ_SCRATCH R4.xyzw, DWORD_PTR[0], ARRAY_SIZE(1), ELEM_SIZE(3) "
	"BRSTCNT(1)\n"
	"ALU: KCACHE0(CB0:0-15)\n"
	"6 x: ADD_INT R6.x, R4.x, R4.y\n"
	"  y: ADD_INT R6.y, R4.z, R4.w\n"
	"  z: ADD_INT R6.z, R5.x, R5.y\n"
	"  w: ADD_INT R6.w, R5.z, R5.w\n"
	"7 x: ADD_INT R6.x, R6.x, R6.y\n"
	"  y: ADD_INT R6.y, R6.z, R6.w\n"
	"8 x: ADD_INT R6.x, R6.x, R6.y\n"
	"  t: LSHR R7.x, KC0[2].y, 2\n"
	"9 x: ADD_INT R7.x, R7.x, R0.w\n"
	"MEM_RAT_CACHELESS_STORE_RAW: RAT(0)[R7].x___, R6, ARRAY_SIZE(4095)\n"
	"END_OF_PROGRAM\n";

static void test_text(void)
{
	enum { ITEMS = 64 * 1024 };
	struct evg_memory *memory = evg_memory_create(1 << 24, NULL);
	uint32_t out = evg_memory_allocate(memory, 4 * ITEMS, false, "out");
	const uint32_t *sums = evg_memory_host(memory, out, 4 * ITEMS);
	uint32_t after, arguments[16] = {0};
	struct evg_launch launch;
	struct evg_ndrange *ndrange;
	struct error error = {0};
	struct evg_program *program = evg_assemble("text", source,
						   sizeof source - 1, &error);

	if (!program)
		printf("# %s\n", error.text);
	CU_ASSERT_PTR_NOT_NULL_FATAL(program);
	CU_ASSERT_EQUAL(program->kernels[0].scratch_size, 32);
	arguments[9] = out;
	launch = launch_of(program, memory, ITEMS, 128);
	launch.arguments = (const uint8_t *)arguments;
	ndrange = evg_ndrange_create(&launch, &error);
	CU_ASSERT_PTR_NOT_NULL_FATAL(ndrange);
	CU_ASSERT_EQUAL(evg_ndrange_run(ndrange, 3, 0, &error), 0);
	if (error.text[0])
		printf("# %s\n", error.text);
	for (unsigned i = 0; i < ITEMS; i++)
		if (sums[i] != 28 * i) {
			printf("# %u: %u\n", i, sums[i]);
			CU_ASSERT_FATAL(false);
		}
	evg_ndrange_free(ndrange);
	/* Scratch memory is given back. */
	after = evg_memory_allocate(memory, 4, false, "after");
	CU_ASSERT(after < out + 4 * ITEMS + 1024);
	evg_program_free(program);
	evg_memory_free(memory);
}

/* --- Errors --------------------------------------------------------------- */

static void test_errors(void)
{
	static const struct {
		uint32_t scratch, index;
		const char *text;
	} cases[] = {
		{256, 64, "scratch dword 64 of a work-item: the kernel has 256"},
		{256, 0xffffffff, "scratch dword 4294967295"},
		{0, 0, "the kernel has no scratch memory"},
		{1 << 20, 0, "no room in global memory"},
		{256, 63, ""},
	};

	for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
		struct evg_cf_inst write = {.op = EVG_CF_MEM_SCRATCH,
					    .format = EVG_CF_EXPORT_BUF,
					    .barrier = true,
					    .type = 1,
					    .rw_gpr = FIRST,
					    .index_gpr = INDEX,
					    .component_mask = 1};
		struct evg_fetch_inst read = {.op = EVG_FETCH_READ_SCRATCH,
					      .indexed = true,
					      .use_const_fields = true,
					      .source_gpr = INDEX,
					      .dest_gpr = FIRST};
		struct assembler as;
		struct one_wavefront one;

		asm_begin(&as);
		as.scratch = cases[i / 2].scratch;
		if (i % 2)
			asm_add(&as, &write);
		else
			asm_fetch(&as, &read, 1);
		one_begin(&one, &as, evg_simd_best());
		register_row(one.wavefront, INDEX, 0)[37] = cases[i / 2].index;
		one_run(&one);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(one.error.text, cases[i / 2].text));
		CU_ASSERT_EQUAL(!one.error.text[0], !cases[i / 2].text[0]);
		if (cases[i / 2].index)
			CU_ASSERT(!one.error.text[0] ||
				  strstr(one.error.text, "work-item (37, 0"));
		one_end(&one);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random programs", test_scratch},
		{"export buffer", test_export},
		{"as text, on several threads", test_text},
		{"errors", test_errors},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu scratch", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
