/* Device memory; fetches in each format, stores, atomics; errors of accesses
 * outside every block. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/fixture.h"
#include "evergreen/emu/memory/memory.h"
#include "evergreen/emu/rat-reference.h"
#include "unit/harness.h"

/* --- Allocation --------------------------------------------------------- */

static void test_allocation(void)
{
	struct error error;
	struct evg_memory *memory = evg_memory_create(1 << 20, &error);
	uint32_t a, b, c;
	uint8_t *host;

	CU_ASSERT_EQUAL(evg_memory_size(memory), 1 << 20);
	a = evg_memory_allocate(memory, 1000, false, "a");
	b = evg_memory_allocate(memory, 1, false, "b");
	CU_ASSERT(a >= EVG_MEMORY_FIRST);
	CU_ASSERT_EQUAL(a % EVG_MEMORY_ALIGNMENT, 0);
	CU_ASSERT(b > a + 1000);
	CU_ASSERT_PTR_NULL(evg_memory_host(memory, a + 999, 2));
	CU_ASSERT_PTR_NULL(evg_memory_host(memory, a - 1, 1));
	host = evg_memory_host(memory, a, 1000);
	CU_ASSERT_PTR_NOT_NULL_FATAL(host);
	memset(host, 0xee, 1000);
	evg_memory_release(memory, a);
	CU_ASSERT_PTR_NULL(evg_memory_host(memory, a, 1));
	/* What is allocated again is zero, even over whole host pages. */
	c = evg_memory_allocate(memory, 700, false, "c");
	CU_ASSERT_EQUAL(c, a);
	CU_ASSERT_EQUAL(*(uint8_t *)evg_memory_host(memory, c, 1), 0);
	CU_ASSERT_EQUAL(evg_memory_allocate(memory, 1 << 20, false, "d"), 0);
	a = evg_memory_allocate(memory, 100000, false, "e");
	memset(evg_memory_host(memory, a, 100000), 0xee, 100000);
	evg_memory_release(memory, a);
	a = evg_memory_allocate(memory, 100000, false, "e");
	host = evg_memory_host(memory, a, 100000);
	for (unsigned i = 0; i < 100000; i += 99)
		CU_ASSERT_EQUAL(host[i], 0);
	evg_memory_free(memory);
	CU_ASSERT_PTR_NULL(evg_memory_create(100, &error));
	CU_ASSERT_PTR_NULL(evg_memory_create(UINT64_C(1) << 32, &error));
}

/* Where the lowest gap is that has room for a block, found block by block. */
static uint32_t lowest_fit(const uint32_t starts[], const uint32_t sizes[],
			   unsigned count, uint32_t size, uint32_t alignment,
			   uint32_t limit)
{
	const uint32_t gap = EVG_MEMORY_ALIGNMENT;
	uint32_t start = EVG_MEMORY_FIRST, end;

	for (unsigned i = 0; i <= count; i++) {
		start = (start + alignment - 1) / alignment * alignment;
		end = i < count ? starts[i] - gap : limit;
		if (start + size <= end)
			return start;
		if (i < count)
			start = (starts[i] + sizes[i] + gap - 1) / gap * gap +
				gap;
	}
	return 0;
}

/* Every block lies where the first gap is that has room for it. */
static void test_places(void)
{
	enum { MOST = 400, ROUNDS = 4000, SIZE = 1 << 20 };
	uint32_t starts[MOST], sizes[MOST], random = 1;
	unsigned count = 0, at, refused = 0;
	struct error error;
	struct evg_memory *memory = evg_memory_create(SIZE, &error);

	for (int i = 0; i < ROUNDS; i++) {
		uint32_t size, alignment, wanted, start;

		random = random * 1103515245 + 12345;
		if (count == MOST || (count && random >> 28 < 7)) {
			at = (random >> 8) % count;
			evg_memory_release(memory, starts[at]);
			CU_ASSERT_PTR_NULL(evg_memory_host(memory, starts[at],
							   1));
			count--;
			memmove(starts + at, starts + at + 1,
				(count - at) * sizeof *starts);
			memmove(sizes + at, sizes + at + 1,
				(count - at) * sizeof *sizes);
			continue;
		}
		size = 1 + (random >> 8) % (i % 3 ? 900 : 30000);
		alignment = random >> 20 & 1 ? EVG_MEMORY_ALIGNMENT : 4096;
		wanted = lowest_fit(starts, sizes, count, size, alignment, SIZE);
		start = evg_memory_allocate_aligned(memory, size, alignment,
						    false, "block");
		CU_ASSERT_EQUAL(start, wanted);
		refused += !start;
		if (!start)
			continue;
		CU_ASSERT_PTR_NOT_NULL(evg_memory_host(memory, start, size));
		CU_ASSERT_PTR_NULL(evg_memory_host(memory, start, size + 1));
		for (at = 0; at < count && starts[at] < start; at++)
			;
		memmove(starts + at + 1, starts + at,
			(count - at) * sizeof *starts);
		memmove(sizes + at + 1, sizes + at,
			(count - at) * sizeof *sizes);
		starts[at] = start;
		sizes[at] = size;
		count++;
	}
	CU_ASSERT(refused > 10 && count > 10);
	evg_memory_free(memory);
}

/* --- One wavefront ------------------------------------------------------ */

struct machine {
	struct evg_program *program;
	struct evg_memory *memory;
	struct evg_ndrange *ndrange;
	struct evg_work_group *group;
	struct evg_wavefront *wavefront;
	uint32_t block, other; /* device addresses, 4096 bytes each */
	uint8_t *bytes;
	bool is_counted;
};

enum { BLOCK = 4096, INDEX = 1, DATA = 2, MASK = 15 };

/* Two of three machines count transactions. */
static void machine_begin(struct machine *m, struct assembler *as,
			  const struct evg_simd *simd)
{
	static const struct evg_traffic_model model = { 64, 32, 32, 0 };
	static unsigned machines;
	struct evg_launch launch;

	m->memory = evg_memory_create(1 << 20, NULL);
	m->block = evg_memory_allocate(m->memory, BLOCK, false, "data");
	m->other = evg_memory_allocate(m->memory, BLOCK, true, "table");
	m->bytes = evg_memory_host(m->memory, m->block, BLOCK);
	m->program = asm_program(as);
	launch = launch_of(m->program, m->memory, 64, 64);
	m->ndrange = evg_ndrange_create_for(&launch, simd, NULL);
	m->is_counted = ++machines % 3;
	if (m->is_counted)
		evg_ndrange_count_traffic(m->ndrange, &model);
	m->group = evg_work_group_create(m->ndrange, 0);
	m->wavefront = evg_work_group_wavefront(m->group, 0);
}

static const char *machine_run(struct machine *m, struct error *error)
{
	error->text[0] = '\0';
	if (evg_wavefront_run(m->wavefront) == EVG_RUN_FAULT)
		evg_fault_report(m->wavefront, error);
	return error->text;
}

static void machine_end(struct machine *m)
{
	evg_work_group_free(m->group);
	evg_ndrange_free(m->ndrange);
	evg_memory_free(m->memory);
	program_free(m->program);
}

static void begin_masked(struct assembler *as)
{
	struct evg_alu_group predicate =
		group_predicate(gpr(MASK, 0), true, false);

	asm_begin(as);
	asm_alu(as, EVG_CF_ALU_PUSH_BEFORE, &predicate, 1);
}

static void set_masks(struct machine *m, uint32_t mask[EVG_WAVEFRONT_SIZE],
		      unsigned round)
{
	/* All lanes, half of them, or few. */
	uint32_t part = round < 5 ? 1 : round % 2 ? 2 : 24;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		mask[lane] = random_bits() % part == 0;
	memcpy(register_row(m->wavefront, MASK, 0), mask, EVG_ROW_BYTES);
}

/* Whether so many transactions were counted, if any. */
static bool has_transactions(const struct machine *m, uint64_t wanted)
{
	struct evg_stats stats;

	evg_ndrange_stats(m->ndrange, &stats);
	if (!m->is_counted || stats.transactions == wanted)
		return true;
	printf("# %u transactions, wanted %u\n", (unsigned)stats.transactions,
	       (unsigned)wanted);
	return false;
}

/* Blocks of 64 bytes that the lanes touch, from places in a block of memory. */
static uint64_t blocks_of(const uint32_t place[EVG_WAVEFRONT_SIZE],
			  const uint32_t mask[EVG_WAVEFRONT_SIZE],
			  uint32_t bytes)
{
	bool touched[BLOCK / 64] = {false};
	uint64_t count = 0;

	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		for (uint32_t i = 0; mask[lane] && i < bytes; i++) {
			count += !touched[(place[lane] + i) / 64];
			touched[(place[lane] + i) / 64] = true;
		}
	return count;
}

/* Patterns of addresses: one, consecutive, any. */
static uint32_t pattern(unsigned round, unsigned lane, uint32_t bytes)
{
	switch (round % 3) {
	case 0:
		return 64;
	case 1:
		return 128 + bytes * lane;
	default:
		return random_bits() % (BLOCK - 20);
	}
}

/* --- Fetches ------------------------------------------------------------ */

static const struct format {
	uint8_t code, components, bits, is_float;
} formats[] = {
	{1, 1, 8, 0},	{5, 1, 16, 0},	{6, 1, 16, 1},	{7, 2, 8, 0},
	{13, 1, 32, 0}, {14, 1, 32, 1}, {15, 2, 16, 0}, {16, 2, 16, 1},
	{26, 4, 8, 0},	{29, 2, 32, 0}, {30, 2, 32, 1}, {31, 4, 16, 0},
	{32, 4, 16, 1}, {34, 4, 32, 0}, {35, 4, 32, 1}, {44, 3, 8, 0},
	{45, 3, 16, 0}, {46, 3, 16, 1}, {47, 3, 32, 0}, {48, 3, 32, 1},
};

static uint32_t float_bits(double value)
{
	float f = (float)value;
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static uint32_t half_bits(uint32_t h)
{
	int e = h >> 10 & 31;
	uint32_t m = h & 0x3ff, sign = (h & 0x8000) << 16;

	if (e == 31)
		return sign | (m ? 0x7fc00000 : 0x7f800000);
	return sign | float_bits(e ? ldexp(1024.0 + m, e - 25)
				   : ldexp(m, -24));
}

static uint32_t component(const struct format *format,
			  const struct evg_fetch_inst *inst,
			  const uint8_t *place, unsigned c)
{
	uint64_t raw = 0;
	int64_t value;
	double scale = ldexp(1, format->bits - inst->format_signed) - 1;

	for (unsigned i = 0; i < format->bits / 8u; i++)
		raw |= (uint64_t)place[c * format->bits / 8 + i] << 8 * i;
	value = (int64_t)raw;
	if (inst->format_signed && raw >> (format->bits - 1))
		value -= INT64_C(1) << format->bits;
	if (format->is_float)
		return format->bits == 16 ? half_bits((uint32_t)raw)
					  : (uint32_t)raw;
	if (inst->num_format == 1)
		return (uint32_t)value;
	if (inst->num_format == 2)
		return float_bits((double)value);
	return float_bits(fmax((double)value / scale, -1));
}

static bool check_fetch(const struct format *format,
			const struct evg_simd *simd, unsigned round)
{
	struct evg_fetch_inst inst =
		vertex_fetch(DATA, INDEX, 1, format->code, 1 + round % 2);
	uint32_t address[EVG_WAVEFRONT_SIZE], mask[EVG_WAVEFRONT_SIZE];
	struct assembler as;
	struct machine m;
	struct error error;
	bool good = true;

	if (round >= 6) {
		inst.num_format = random_bits() % 3;
		inst.format_signed = random_bits() % 2;
		for (unsigned c = 0; c < 4; c++)
			inst.dest_select[c] =
				(uint8_t[]){0, 1, 2, 3, 4, 5, 7,
					    0}[random_bits() % 8];
	} else if (round >= 3) {
		/* As LLVM has it: what the format lacks is masked. */
		for (unsigned c = format->components; c < 4; c++)
			inst.dest_select[c] = 7;
	}
	inst.offset = 12;
	begin_masked(&as);
	asm_fetch(&as, &inst, 1);
	machine_begin(&m, &as, simd);
	for (unsigned i = 0; i < BLOCK; i++)
		m.bytes[i] = (uint8_t)(random_bits() >> 8);
	set_masks(&m, mask, round);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		address[lane] = pattern(round, lane,
					format->components * format->bits / 8u);
		register_row(m.wavefront, INDEX, 1)[lane] =
			mask[lane] ? m.block + address[lane] - 12
				   : random_bits();
		for (unsigned c = 0; c < 4; c++)
			register_row(m.wavefront, DATA, c)[lane] = 77;
	}
	/* The last bytes of the block are inside. */
	if (round == 2)
		for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
			address[lane] = BLOCK -
					format->components * format->bits / 8u;
			register_row(m.wavefront, INDEX, 1)[lane] =
				m.block + address[lane] - 12;
		}
	machine_run(&m, &error);
	if (error.text[0]) {
		printf("# format %u: %s\n", format->code, error.text);
		good = false;
	}
	good = good &&
	       has_transactions(&m, blocks_of(address, mask,
					      format->components *
						      format->bits / 8u));
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++)
		for (unsigned c = 0; good && c < 4; c++) {
			uint32_t got = register_row(m.wavefront, DATA, c)[lane];
			unsigned select = inst.dest_select[c];
			uint32_t wanted = 77;

			if (mask[lane] && select < 4)
				wanted = select < format->components
						 ? component(format, &inst,
							     m.bytes +
								     address[lane],
							     select)
						 : 0;
			else if (mask[lane] && select == 4)
				wanted = 0;
			else if (mask[lane] && select == 5)
				wanted = inst.num_format == 1 ? 1 : 0x3f800000;
			good = got == wanted;
			if (!good)
				printf("# format %u num %u signed %u round %u "
				       "lane %u.%u: %08x, wanted %08x\n",
				       format->code, inst.num_format,
				       inst.format_signed, round, lane, c, got,
				       wanted);
		}
	machine_end(&m);
	return good;
}

static const struct evg_simd *const simds[] = {&evg_simd_v2, &evg_simd_v3,
						&evg_simd_v4};

static unsigned simd_count(void)
{
	const struct evg_simd *best = evg_simd_best();

	return best == &evg_simd_v4 ? 3 : best == &evg_simd_v3 ? 2 : 1;
}

static void test_fetches(void)
{
	random_seed(10);
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		for (unsigned level = 0; level < simd_count(); level++)
			for (unsigned round = 0; round < 20; round++)
				CU_ASSERT(check_fetch(&formats[i],
						      simds[level], round));
}

/* Resource 3 is the constant buffer. */
static void test_constant_fetch(void)
{
	struct evg_fetch_inst inst = vertex_fetch(DATA, INDEX, 0, 13, 3);
	struct assembler as;
	struct machine m;
	struct error error;

	inst.offset = 12;
	asm_begin(&as);
	asm_fetch(&as, &inst, 1);
	machine_begin(&m, &as, evg_simd_best());
	memset(register_row(m.wavefront, INDEX, 0), 0, EVG_ROW_BYTES);
	CU_ASSERT_STRING_EQUAL(machine_run(&m, &error), "");
	CU_ASSERT_EQUAL(register_row(m.wavefront, DATA, 0)[5], 64);
	evg_work_group_start(m.group, 0);
	register_row(m.wavefront, INDEX, 0)[9] = 1000;
	machine_run(&m, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "work-item (9, 0, 0)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "arguments"));
	machine_end(&m);
}

/* --- Stores ------------------------------------------------------------- */

static bool check_store(unsigned component_mask, const struct evg_simd *simd,
			unsigned round)
{
	uint32_t index[EVG_WAVEFRONT_SIZE], mask[EVG_WAVEFRONT_SIZE];
	uint32_t low = (uint32_t)__builtin_ctz(component_mask);
	uint32_t high = 31 - (uint32_t)__builtin_clz(component_mask);
	uint32_t place[EVG_WAVEFRONT_SIZE];
	uint8_t wanted[BLOCK];
	struct assembler as;
	struct machine m;
	struct error error;
	bool good;

	begin_masked(&as);
	asm_store(&as, EVG_RAT_STORE_RAW, DATA, INDEX, component_mask);
	machine_begin(&m, &as, simd);
	for (unsigned i = 0; i < BLOCK; i++)
		m.bytes[i] = wanted[i] = (uint8_t)random_bits();
	set_masks(&m, mask, round);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		index[lane] = pattern(round, lane, round % 2 ? 4 : 16) / 4;
		place[lane] = 4 * (index[lane] + low);
		register_row(m.wavefront, INDEX, 0)[lane] =
			mask[lane] ? m.block / 4 + index[lane] : random_bits();
		for (unsigned c = 0; c < 4; c++) {
			uint32_t value = random_bits();

			register_row(m.wavefront, DATA, c)[lane] = value;
			if (mask[lane] && component_mask >> c & 1)
				memcpy(wanted + 4 * (index[lane] + c), &value,
				       4);
		}
	}
	machine_run(&m, &error);
	good = !error.text[0] && !memcmp(wanted, m.bytes, BLOCK) &&
	       has_transactions(&m, blocks_of(place, mask,
					      4 * (high - low + 1)));
	if (!good)
		printf("# mask %x round %u: %s\n", component_mask, round,
		       error.text);
	machine_end(&m);
	return good;
}

static void test_stores(void)
{
	random_seed(57);
	for (unsigned mask = 1; mask < 16; mask++)
		for (unsigned level = 0; level < simd_count(); level++)
			for (unsigned round = 0; round < 12; round++) {
				/* Overlapping structures have no order:
				 * compare single dwords in that case only. */
				if (mask & (mask - 1) && round % 3 == 2)
					continue;
				if (mask & (mask - 1) && round % 2)
					continue;
				CU_ASSERT(check_store(mask, simds[level],
						      round));
			}
}

/* --- Atomics ------------------------------------------------------------ */

/* The operands that byte and short stores use, or any. */
static void mask_operands(uint32_t *x, uint32_t *w)
{
	unsigned shift = 8 * (random_bits() % 4);

	switch (random_bits() % 3) {
	case 0:
		*w = 0xffu << shift;
		*x = (random_bits() & 0xff) << shift;
		break;
	case 1:
		shift &= 16;
		*w = 0xffffu << shift;
		*x = (random_bits() & 0xffff) << shift;
		break;
	default:
		*w = random_bits();
		*x = random_bits();
	}
}

static bool check_atomic(enum evg_rat_op op, const struct evg_simd *simd)
{
	uint32_t mask[EVG_WAVEFRONT_SIZE], index[EVG_WAVEFRONT_SIZE];
	uint32_t x[EVG_WAVEFRONT_SIZE], w[EVG_WAVEFRONT_SIZE], wanted[16];
	uint64_t operations = 0;
	struct evg_fetch_inst back =
		vertex_fetch(4, 0, 0, 13, 160);
	struct assembler as;
	struct machine m;
	struct error error;
	bool good;

	for (unsigned c = 1; c < 4; c++)
		back.dest_select[c] = 7;
	begin_masked(&as);
	as.cf[asm_store(&as, op, DATA, INDEX, 15)].type = 3;
	asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
	asm_fetch(&as, &back, 1);
	machine_begin(&m, &as, simd);
	for (unsigned i = 0; i < 16; i++)
		wanted[i] = random_bits() % 3 ? random_bits() % 4
					      : random_bits();
	memcpy(m.bytes, wanted, sizeof wanted);
	set_masks(&m, mask, 5);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		index[lane] = random_bits() % 16;
		x[lane] = random_bits() % 3 ? random_bits() % 4
					    : random_bits();
		w[lane] = random_bits() % 4;
		if (op == EVG_RAT_MSKOR || op == EVG_RAT_MSKOR_RTN)
			mask_operands(&x[lane], &w[lane]);
		register_row(m.wavefront, INDEX, 0)[lane] =
			m.block / 4 + index[lane];
	}
	memcpy(register_row(m.wavefront, DATA, 0), x, EVG_ROW_BYTES);
	memcpy(register_row(m.wavefront, DATA, 3), w, EVG_ROW_BYTES);
	machine_run(&m, &error);
	good = !error.text[0];
	for (unsigned lane = 0; good && lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t got = register_row(m.wavefront, 4, 0)[lane];
		uint32_t *place = &wanted[index[lane]];

		if (!mask[lane])
			continue;
		operations++;
		if (evg_rat_info[op].returns)
			good = got == *place;
		*place = reference_atomic(op, *place, x[lane], w[lane]);
	}
	good = good && !memcmp(wanted, m.bytes, sizeof wanted) &&
	       has_transactions(&m, operations);
	if (!good)
		printf("# %s %s\n", evg_rat_info[op].name, error.text);
	machine_end(&m);
	return good;
}

static void test_atomics(void)
{
	random_seed(34);
	for (int op = 0; op < EVG_RAT_COUNT; op++) {
		if (!evg_rat_info[op].compute || op == EVG_RAT_NOP ||
		    op == EVG_RAT_STORE_RAW || op == EVG_RAT_STORE_TYPED)
			continue;
		for (unsigned level = 0; level < simd_count(); level++)
			for (int round = 0; round < 6; round++)
				CU_ASSERT(check_atomic((enum evg_rat_op)op,
						       simds[level]));
	}
}

/* Lane `lane` stores the part of `bytes` bytes that is `lane` parts behind byte
 * `first` of the block. `flaw` makes one lane another one's: 1: it is not
 * active; 2: its dword is another; 3: its mask is another; 4: its value has
 * more bits than its mask. 5: few lanes are active. */
static bool check_parts(uint32_t bytes, uint32_t first, unsigned flaw,
			const struct evg_simd *simd)
{
	uint32_t mask[EVG_WAVEFRONT_SIZE];
	unsigned flawed = random_bits() % EVG_WAVEFRONT_SIZE;
	uint64_t operations = 0;
	static uint8_t wanted[BLOCK];
	struct assembler as;
	struct machine m;
	struct error error;
	bool good;

	begin_masked(&as);
	asm_store(&as, EVG_RAT_MSKOR, DATA, INDEX, 15);
	machine_begin(&m, &as, simd);
	for (unsigned i = 0; i < BLOCK; i++)
		wanted[i] = (uint8_t)random_bits();
	memcpy(m.bytes, wanted, BLOCK);
	set_masks(&m, mask, 0);
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		uint32_t at = first + lane * bytes, shift = at % 4 * 8, old;
		uint32_t w = (bytes == 1 ? 0xffu : 0xffffu) << shift;
		uint32_t x = random_bits() & w;

		at &= ~3u;
		if (flaw == 5)
			mask[lane] = random_bits() % 24 == 0;
		else if (flaw && lane == flawed) {
			mask[lane] = flaw == 1 ? 0 : mask[lane];
			at = flaw == 2 ? at ^ 64 : at;
			w = flaw == 3 ? 0xff00ff00 : w;
			x = flaw > 2 ? random_bits() : x;
		}
		register_row(m.wavefront, MASK, 0)[lane] = mask[lane];
		register_row(m.wavefront, INDEX, 0)[lane] = (m.block + at) / 4;
		register_row(m.wavefront, DATA, 0)[lane] = x;
		register_row(m.wavefront, DATA, 3)[lane] = w;
		if (!mask[lane])
			continue;
		operations++;
		memcpy(&old, wanted + at, 4);
		old = reference_atomic(EVG_RAT_MSKOR, old, x, w);
		memcpy(wanted + at, &old, 4);
	}
	machine_run(&m, &error);
	good = !error.text[0] && !memcmp(wanted, m.bytes, BLOCK) &&
	       has_transactions(&m, operations);
	if (!good)
		printf("# %u bytes from %u, flaw %u of lane %u: %s\n", bytes,
		       first, flaw, flawed, error.text);
	machine_end(&m);
	return good;
}

static void test_parts(void)
{
	random_seed(35);
	for (uint32_t bytes = 1; bytes <= 2; bytes++)
		for (uint32_t first = 0; first < 8; first += bytes)
			for (unsigned flaw = 0; flaw <= 5; flaw++)
				for (unsigned k = 0; k < simd_count(); k++) {
					CU_ASSERT(check_parts(bytes, first,
							      flaw, simds[k]));
					CU_ASSERT(check_parts(
						bytes, BLOCK - 64 * bytes, flaw,
						simds[k]));
				}
}

/* --- Errors ------------------------------------------------------------- */

/* Lane 11 goes to `address`, the others into the block. */
static const char *wild(bool is_store, uint32_t address, struct error *error)
{
	struct evg_fetch_inst inst = vertex_fetch(DATA, INDEX, 0, 13, 1);
	struct assembler as;
	struct machine m;

	asm_begin(&as);
	if (is_store)
		asm_store(&as, EVG_RAT_STORE_RAW, DATA, INDEX, 1);
	else
		asm_fetch(&as, &inst, 1);
	machine_begin(&m, &as, evg_simd_best());
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++)
		register_row(m.wavefront, INDEX, 0)[lane] =
			(lane == 11 ? address : m.block) / (is_store ? 4 : 1);
	machine_run(&m, error);
	machine_end(&m);
	return error->text;
}

static void test_errors(void)
{
	/* The blocks lie here in each machine. */
	const uint32_t block = EVG_MEMORY_FIRST;
	const uint32_t table = block + BLOCK + EVG_MEMORY_ALIGNMENT;
	struct error error;

	CU_ASSERT_STRING_EQUAL(wild(false, block + BLOCK - 4, &error), "");
	CU_ASSERT_STRING_EQUAL(wild(false, table, &error), "");
	CU_ASSERT_STRING_EQUAL(wild(true, block + 8, &error), "");

	wild(false, block + BLOCK - 2, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "work-item (11, 0, 0)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "read of 4 bytes"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "0x00010ffe"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text, "'data' [0x00010000, 0x00011000)"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "VFETCH"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "kernel 'test'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "code address 0x"));

	wild(true, table + 4, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "write of 4 bytes"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "'table'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "read-only"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "STORE_RAW"));

	wild(false, 0, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "0x00000000"));
	wild(true, 0xfffffffc, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "0xfffffffc"));
}

/* What is not supported says so when it is reached. */
static void test_unsupported(void)
{
	struct evg_fetch_inst inst = vertex_fetch(DATA, INDEX, 0, 13, 9);
	struct assembler as;
	struct machine m;
	struct error error;

	asm_begin(&as);
	asm_fetch(&as, &inst, 1);
	machine_begin(&m, &as, evg_simd_best());
	machine_run(&m, &error);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text, "nothing is bound to fetch resource 9"));
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "VFETCH"));
	machine_end(&m);

	asm_begin(&as);
	asm_store(&as, EVG_RAT_STORE_TYPED, DATA, INDEX, 15);
	machine_begin(&m, &as, evg_simd_best());
	machine_run(&m, &error);
	CU_ASSERT_PTR_NOT_NULL(strstr(error.text, "STORE_TYPED"));
	CU_ASSERT_PTR_NOT_NULL(
		strstr(error.text, "nothing is bound to typed RAT 0"));
	machine_end(&m);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"allocation", test_allocation},
		{"blocks lie in the first gap that has room", test_places},
		{"fetches", test_fetches},
		{"constant fetch", test_constant_fetch},
		{"stores", test_stores},
		{"atomics", test_atomics},
		{"rows of bytes and shorts", test_parts},
		{"errors", test_errors},
		{"unsupported", test_unsupported},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu memory", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
