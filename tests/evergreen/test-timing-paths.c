/* The caches of clauses, the rates of constants, textures and doubles, the
 * export buffer and the CompletePath of the timing model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/timing-machine.h"
#include "evergreen/timing/compute-unit.h"
#include "unit/harness.h"

enum { ADDRESS = 2, VALUE = 4, PARAMETERS = 3, GLOBAL = 1 };

static const struct evg_source unused;

/* What a kernel took, on one compute unit unless the configuration says
 * otherwise. */
struct cost {
	uint64_t cycles;
	uint64_t cf, cf_misses, code, code_misses, constants, constant_misses, waits;
	uint64_t address, reads, blocks, full, complete;
};

static struct cost run_on(const struct memsys_gpu *gpu,
			  const struct evg_config *config,
			  struct assembler *as, uint32_t global,
			  uint32_t local)
{
	struct timing_machine machine;
	struct cost cost;

	machine_begin(&machine);
	machine.gpu = gpu;
	machine.config = *config;
	CU_ASSERT_EQUAL(machine_launch(&machine, as, global, local), 0);
	if (machine.status)
		printf("# %s\n", machine.error.text);
	cost = (struct cost){
		.cycles = machine.cycles,
		.cf = machine_sum(&machine, "InstructionCache.CFAccesses"),
		.cf_misses = machine_sum(&machine,
					 "InstructionCache.CFMisses"),
		.code = machine_sum(&machine, "InstructionCache.Accesses"),
		.code_misses = machine_sum(&machine,
					   "InstructionCache.Misses"),
		.constants = machine_sum(&machine, "ConstantCache.Accesses"),
		.constant_misses = machine_sum(&machine,
					       "ConstantCache.Misses"),
		.waits = machine_sum(&machine, "ClauseWaitCycles"),
		.address = machine_sum(&machine, "ALUEngine.AddressCycles"),
		.reads = machine_sum(&machine, "GlobalMemory.ReadBlocks"),
		.blocks = machine_sum(&machine, "GlobalMemory.WriteBlocks"),
		.full = machine_sum(&machine, "Export.BufferFull"),
		.complete = machine_sum(&machine,
					"Export.CompletePathWrites"),
	};
	machine_end(&machine);
	return cost;
}

static struct cost run(const struct evg_config *config, struct assembler *as,
		       uint32_t global, uint32_t local)
{
	return run_on(NULL, config, as, global, local);
}

static struct evg_config one_unit(void)
{
	struct evg_config config;

	evg_config_read(&config, NULL, NULL);
	config.compute_units = 1;
	/* Each line of code takes the same time. */
	config.code_misses = config.constant_misses = EVG_MISSES_LATENCY;
	return config;
}

static void add_groups(struct assembler *as, unsigned count)
{
	struct evg_alu_group groups[128];

	for (unsigned i = 0; i < count; i++)
		groups[i] = group_of(EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
				     gpr(VALUE, 0), unused);
	asm_alu(as, EVG_CF_ALU, groups, count);
}

/* R2.x = address of the work-item's dword, R3.x the same in dwords: the
 * work-item of the group * scale bytes into the machine's block. */
static void add_address(struct assembler *as, uint32_t scale)
{
	struct evg_alu_group groups[3];
	struct evg_source source;

	groups[0] = group_begin();
	source = group_literal(&groups[0], scale);
	group_add(&groups[0], EVG_T, EVG_ALU_MULLO_INT, ADDRESS, 0, gpr(0, 0),
		  source, unused);
	groups[1] = group_of(EVG_ALU_ADD_INT, ADDRESS, 0, gpr(ADDRESS, 0),
			     selector(EVG_SELECT_KCACHE0 +
					      MACHINE_ARGUMENT / 4, 0),
			     unused);
	groups[2] = group_begin();
	source = group_literal(&groups[2], 2);
	group_add(&groups[2], EVG_X, EVG_ALU_LSHR_INT, 3, 0, gpr(ADDRESS, 0),
		  source, unused);
	asm_alu(as, EVG_CF_ALU, groups, 3);
}

/* --- Caches of clauses ---------------------------------------------------- */

static struct cost clauses(const struct evg_config *config, unsigned count,
			   unsigned groups, uint32_t work_items)
{
	struct assembler as;

	asm_begin(&as);
	while (count--)
		add_groups(&as, groups);
	return run(config, &as, work_items, 64);
}

/* The first use of each clause costs the latency, once, and so does that of
 * the CF instructions, which are one line; constants are there at the same
 * time. */
static void test_code(void)
{
	struct evg_config config = one_unit(), ideal = one_unit();
	struct cost one, other;

	config.constant_size = ideal.code_size = ideal.constant_size = 0;
	for (unsigned count = 1; count <= 3; count++) {
		one = clauses(&config, count, 64, 64);
		other = clauses(&ideal, count, 64, 64);
		CU_ASSERT_EQUAL(one.cycles - other.cycles,
				(count + 1) * 160);
		CU_ASSERT_EQUAL(other.code, 0);
	}
	config.code_latency = 500;
	CU_ASSERT_EQUAL(clauses(&config, 1, 64, 64).cycles -
				clauses(&ideal, 1, 64, 64).cycles, 2 * 500);
	/* 64 units of 8 bytes are 8 lines, or 9 where they begin inside one;
	 * a compute unit's later wavefronts find them. */
	config = one_unit();
	one = clauses(&config, 1, 64, 64);
	CU_ASSERT_TRUE(one.code_misses == 8 || one.code_misses == 9);
	other = clauses(&config, 1, 64, 640);
	CU_ASSERT_EQUAL(other.code_misses, one.code_misses);
	CU_ASSERT_EQUAL(other.code, 10 * one.code);
	/* Two clauses that do not fit together push each other out. */
	config.code_size = 512;
	one = clauses(&config, 2, 64, 64);
	other = clauses(&config, 2, 64, 64 * 30);
	CU_ASSERT_TRUE(other.code_misses > one.code_misses);
}

/* Eight CF instructions a line; the first wavefront brings it, and the CF
 * engine serves others meanwhile. */
static void test_cf_fetch(void)
{
	struct evg_config config = one_unit(), ideal = one_unit();

	ideal.code_size = 0;
	for (unsigned count = 1; count <= 40; count += 13) {
		uint64_t lines = (count + 2 + 7) / 8;

		for (unsigned waves = 1; waves <= 4; waves += 3) {
			struct cost costs[2];
			uint64_t more;

			for (unsigned i = 0; i < 2; i++) {
				struct assembler as;

				asm_begin(&as);
				as.registers = 2;
				for (unsigned k = 0; k < count; k++)
					asm_cf(&as, EVG_CF_NOP, 0, 0);
				costs[i] = run(i ? &ideal : &config, &as,
					       64 * waves, 64 * waves);
			}
			CU_ASSERT_EQUAL(costs[0].cf, waves * (count + 1));
			CU_ASSERT_EQUAL(costs[0].cf_misses, lines);
			CU_ASSERT_EQUAL(costs[1].cf, 0);
			more = costs[0].cycles - costs[1].cycles;
			/* Of four wavefronts the later ones are a cycle each
			 * behind, which a wait for the same line hides. */
			CU_ASSERT_TRUE(more <= 160 * lines);
			CU_ASSERT_TRUE(more + waves > 160 * lines);
		}
	}
}

static void test_constants(void)
{
	struct evg_config config = one_unit(), ideal = one_unit();
	struct cost one, four;

	config.code_size = ideal.code_size = 0;
	ideal.constant_size = 0;
	/* Each clause of the assembler locks two lines of 256 bytes. */
	one = clauses(&config, 2, 4, 64);
	CU_ASSERT_EQUAL(one.constants, 4);
	CU_ASSERT_EQUAL(one.constant_misses, 2);
	CU_ASSERT_EQUAL(one.waits, 161);
	CU_ASSERT_EQUAL(one.cycles - clauses(&ideal, 2, 4, 64).cycles, 161);
	four = clauses(&config, 2, 4, 256);
	CU_ASSERT_EQUAL(four.constant_misses, 2);
	CU_ASSERT_EQUAL(four.constants, 16);
	/* A cache of one line cannot hold two. */
	config.constant_size = 256;
	CU_ASSERT_EQUAL(clauses(&config, 2, 4, 64).constant_misses, 4);
}

/* A figure of the memory report, summed over the slices of the L2 and over the
 * L1s. */
static uint64_t memory_sum(struct timing_machine *machine, const char *module,
			   unsigned count, const char *name)
{
	double sum = 0, value;

	for (unsigned i = 0; i < count; i++) {
		char *section = xasprintf("%s-%u", module, i);

		CU_ASSERT(stats_lookup(machine->stats, "memory", section, name,
				       &value));
		sum += value;
		free(section);
	}
	return (uint64_t)sum;
}

/* Lines that are missing are read from the L2, past the L1: code in blocks of
 * 64 bytes, which are there for a second launch, and constants, which are new in
 * each, in four such blocks a line. */
static void test_from_hierarchy(void)
{
	enum { SLICES = 8, UNITS = 2, LINE_BLOCKS = 4, FOLLOW = 80 };
	/* Below the L1, of a load that hits the L2, and of one that misses
	 * (samples/memory/evg-hd5870.ini). */
	enum { L2_HIT = 227 - 60, MEMORY = 439 - 60 };
	uint64_t cycles[2][2], reads[2], misses[2], constants;

	for (unsigned ideal = 0; ideal < 2; ideal++) {
		struct timing_machine machine;

		machine_begin(&machine);
		machine.config.compute_units = UNITS;
		machine.config.code_size = ideal ? 0 : 32768;
		machine.config.constant_size = ideal ? 0 : 8192;
		machine.config.constant_misses = EVG_MISSES_HIERARCHY;
		for (unsigned run = 0; run < 2; run++) {
			struct assembler as;

			asm_begin(&as);
			add_groups(&as, 64);
			CU_ASSERT_EQUAL(machine_launch(&machine, &as,
						       64 * UNITS, 64), 0);
			cycles[ideal][run] = machine.cycles;
			reads[run] = memory_sum(&machine, "evg-l2", SLICES,
						"Reads");
			misses[run] = machine_sum(&machine,
						  "InstructionCache.Misses") +
				      machine_sum(&machine,
						  "InstructionCache.CFMisses");
			constants = machine_sum(&machine,
						"ConstantCache.Misses");
			CU_ASSERT_EQUAL(reads[run], misses[run] + LINE_BLOCKS *
								      constants);
			CU_ASSERT_EQUAL(memory_sum(&machine, "evg-l1", UNITS,
						   "Accesses"), 0);
			CU_ASSERT_EQUAL(reads[run] == 0, ideal);
		}
		machine_end(&machine);
	}
	CU_ASSERT_EQUAL(misses[1], 0);
	/* CF instructions, then the clause with its constants, whose blocks
	 * follow each other. */
	for (unsigned run = 0; run < 2; run++) {
		uint64_t more = cycles[0][run] - cycles[1][run];
		uint64_t least = (run ? L2_HIT : MEMORY) + MEMORY;

		CU_ASSERT_TRUE(more >= least);
		CU_ASSERT_TRUE(more < least + FOLLOW);
	}
}

/* Six units share two caches of each kind: a line is read once for all that
 * wait for it, and none of them goes on before it is there. */
static void test_shared(void)
{
	enum { UNITS = 6, LINES = 2 };
	static const uint32_t shared_by[] = {1, 4, 8};
	static const uint32_t caches[] = {6, 2, 1};
	uint64_t code = 0;

	for (unsigned kind = 0; kind < 2; kind++)
		for (unsigned i = 0; i < ARRAY_SIZE(shared_by); i++) {
			struct evg_config config = one_unit();
			struct assembler as;
			struct cost cost;

			config.compute_units = UNITS;
			config.code_shared = shared_by[i];
			config.constant_shared = shared_by[i];
			config.code_misses = config.constant_misses =
				kind ? EVG_MISSES_LATENCY
				     : EVG_MISSES_HIERARCHY;
			asm_begin(&as);
			add_groups(&as, 16);
			cost = run(&config, &as, 64 * UNITS, 64);
			CU_ASSERT_EQUAL(cost.constants, LINES * UNITS);
			CU_ASSERT_EQUAL(cost.constant_misses,
					LINES * caches[i]);
			if (!i)
				code = cost.code_misses + cost.cf_misses;
			CU_ASSERT_EQUAL(cost.code_misses + cost.cf_misses,
					code / UNITS * caches[i]);
			/* Constants, and code before, in each unit. */
			CU_ASSERT_TRUE(cost.waits >= UNITS * 160);
		}
}

/* --- Fetches --------------------------------------------------------------- */

/* Cycles that one more fetch takes in the texture unit. */
static uint64_t fetch_cycles(const struct evg_config *config,
			     unsigned resource, uint32_t scale,
			     unsigned format, uint32_t items)
{
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct evg_fetch_inst fetches[16];
		struct assembler as;

		for (unsigned j = 0; j < 16; j++)
			fetches[j] = vertex_fetch(VALUE, ADDRESS, 0, format,
						  resource);
		asm_begin(&as);
		if (resource == GLOBAL) {
			add_address(&as, scale);
		} else {
			struct evg_alu_group group = group_begin();
			struct evg_source source =
				group_literal(&group, scale);

			group_add(&group, EVG_T, EVG_ALU_MULLO_INT, ADDRESS,
				  0, gpr(0, 0), source, unused);
			asm_alu(&as, EVG_CF_ALU, &group, 1);
		}
		/* The data are in the L1 after the first clause. */
		asm_fetch(&as, fetches, 1);
		asm_fetch(&as, fetches, i ? 14 : 4);
		cycles[i] = run(config, &as, items, items).cycles;
	}
	return (cycles[1] - cycles[0]) / 10;
}

/* Section 4 of the figures: 4 and 0.6 bytes a cycle and stream core. */
static void test_indexed_constants(void)
{
	struct evg_config config = one_unit();

	CU_ASSERT_EQUAL(fetch_cycles(&config, PARAMETERS, 0, 13, 64), 4);
	CU_ASSERT_EQUAL(fetch_cycles(&config, PARAMETERS, 4, 13, 16), 7);
	config.constant_indexed_rate = 1;
	CU_ASSERT_EQUAL(fetch_cycles(&config, PARAMETERS, 0, 13, 64), 16);
}

/* "64 bytes per clock need 16-byte accesses"; "random hits cost nothing
 * extra". */
static void test_texture_rate(void)
{
	enum { DWORD = 13, FOUR_DWORDS = 34 };
	struct evg_config config = one_unit();

	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 4, DWORD, 64), 16);
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 64, DWORD, 64), 16);
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 16, FOUR_DWORDS, 64), 16);
	/* Half of the bandwidth, or of the addresses. */
	config.tex_bytes = 32;
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 4, DWORD, 64), 16);
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 16, FOUR_DWORDS, 64), 32);
	config = one_unit();
	config.tex_addresses = 2;
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 4, DWORD, 64), 32);
	/* One block a cycle instead of four. */
	config = one_unit();
	config.global_accesses = 1;
	CU_ASSERT_EQUAL(fetch_cycles(&config, GLOBAL, 64, DWORD, 64), 64);
}

/* Accesses of one fetch; work-item n reads at (n / together) * 4 * together, so
 * that so many of them read one address. */
static uint64_t reads(const struct evg_config *config, unsigned resource,
		      unsigned together, unsigned format)
{
	struct evg_fetch_inst fetch = vertex_fetch(VALUE, ADDRESS, 0, format,
						   resource);
	struct evg_alu_group group = group_begin();
	struct assembler as;

	asm_begin(&as);
	add_address(&as, 4);
	/* The block begins at a multiple of 256. */
	group_add(&group, EVG_X, EVG_ALU_AND_INT, ADDRESS, 0, gpr(ADDRESS, 0),
		  group_literal(&group, ~(4 * together - 1)), unused);
	asm_alu(&as, EVG_CF_ALU, &group, 1);
	asm_fetch(&as, &fetch, 1);
	return run(config, &as, 64, 64).reads;
}

/* Lanes that read one address past the caches have an access for each dword;
 * others share those of 64 bytes, and so do all that read through the caches. */
static void test_read_conflicts(void)
{
	enum { UNCACHED = 173, DWORD = 13, TWO_DWORDS = 29 };
	struct evg_config config = one_unit();

	CU_ASSERT_EQUAL(reads(&config, UNCACHED, 1, DWORD), 4);
	CU_ASSERT_EQUAL(reads(&config, UNCACHED, 64, DWORD), 64);
	CU_ASSERT_EQUAL(reads(&config, UNCACHED, 2, DWORD), 64);
	CU_ASSERT_EQUAL(reads(&config, UNCACHED, 64, TWO_DWORDS), 128);
	CU_ASSERT_EQUAL(reads(&config, GLOBAL, 64, DWORD), 1);
	config.read_conflicts = false;
	CU_ASSERT_EQUAL(reads(&config, UNCACHED, 64, DWORD), 1);
}

/* Addresses of fetches and stores are calculated by the stream cores. */
static void test_address_calculation(void)
{
	struct evg_fetch_inst fetch = vertex_fetch(VALUE, ADDRESS, 0, 13,
						   GLOBAL);
	struct evg_config config = one_unit();
	struct cost cost[3];

	for (unsigned i = 0; i < 3; i++) {
		struct assembler as;

		config.address_groups = i == 2 ? 32 : i;
		asm_begin(&as);
		add_address(&as, 4);
		asm_fetch(&as, &fetch, 1);
		asm_store(&as, EVG_RAT_STORE_RAW, VALUE, 3, 1);
		add_groups(&as, 100);
		cost[i] = run(&config, &as, 512, 64);
		CU_ASSERT_EQUAL(cost[i].address,
				8 * 2 * 4 * config.address_groups);
	}
	CU_ASSERT_TRUE(cost[2].cycles > cost[0].cycles + 500);
	CU_ASSERT_TRUE(cost[1].cycles < cost[0].cycles + 64);
}

/* --- Rates ------------------------------------------------------------------ */

/* How many of an operation a stream core can start per clock. */
static unsigned rate(enum evg_alu_op op)
{
	switch (evg_alu_info[op].slots) {
	case EVG_SLOTS_ANY: return 5;
	case EVG_SLOTS_VECTOR: return 4;
	case EVG_SLOTS_PAIR: return 2;
	default: return 1; /* T, or FOUR */
	}
}

/* The guide's table of operations per stream core and clock. */
static void test_rates(void)
{
	static const struct {
		enum evg_alu_op op;
		unsigned rate;
	} rows[] = {
		{ EVG_ALU_MULADD_IEEE, 5 }, { EVG_ALU_ADD, 5 },
		{ EVG_ALU_MUL_IEEE, 5 },    { EVG_ALU_FMA, 4 },
		{ EVG_ALU_RECIP_IEEE, 1 },  { EVG_ALU_RECIPSQRT_IEEE, 1 },
		{ EVG_ALU_LOG_IEEE, 1 },    { EVG_ALU_EXP_IEEE, 1 },
		{ EVG_ALU_SIN, 1 },         { EVG_ALU_COS, 1 },
		{ EVG_ALU_ADD_64, 2 },      { EVG_ALU_MUL_64, 1 },
		{ EVG_ALU_FMA_64, 1 },      { EVG_ALU_RECIP_64, 1 },
		{ EVG_ALU_RECIPSQRT_64, 1 }, { EVG_ALU_ADD_INT, 5 },
		{ EVG_ALU_LSHR_INT, 5 },    { EVG_ALU_XOR_INT, 5 },
		{ EVG_ALU_MULLO_INT, 1 },   { EVG_ALU_MULHI_UINT, 1 },
		{ EVG_ALU_INT_TO_FLT, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CU_ASSERT_EQUAL(rate(rows[i].op), rows[i].rate);
		if (rate(rows[i].op) != rows[i].rate)
			printf("# %s\n", evg_alu_info[rows[i].op].name);
	}
}

/* PV and PS give a value without any cycle more than a register. */
static void test_forwarding(void)
{
	struct evg_config config = one_unit();
	struct evg_source from[3] = { gpr(VALUE, 0),
				      selector(EVG_SELECT_PV, 0),
				      selector(EVG_SELECT_PS, 0) };
	uint64_t cycles[3];

	for (unsigned i = 0; i < 3; i++) {
		struct evg_alu_group groups[100];
		struct assembler as;

		for (unsigned j = 0; j < 100; j++) {
			groups[j] = group_begin();
			group_add(&groups[j], i == 2 ? EVG_T : EVG_X,
				  i == 2 ? EVG_ALU_MULLO_INT : EVG_ALU_ADD_INT,
				  VALUE, 0, from[j ? i : 0],
				  from[j ? i : 0], unused);
		}
		asm_begin(&as);
		asm_alu(&as, EVG_CF_ALU, groups, 100);
		cycles[i] = run(&config, &as, 64, 64).cycles;
	}
	CU_ASSERT_EQUAL(cycles[0], cycles[1]);
	CU_ASSERT_EQUAL(cycles[0], cycles[2]);
}

/* --- Stores ------------------------------------------------------------------ */

/* `count` stores of a dword by each work-item. */
static struct cost stores_on(const struct memsys_gpu *gpu,
			     const struct evg_config *config, bool fast,
			     unsigned count, uint32_t scale, uint32_t global)
{
	struct assembler as;

	asm_begin(&as);
	add_address(&as, scale);
	while (count--) {
		unsigned index = asm_store(&as, EVG_RAT_STORE_RAW, VALUE, 3,
					   1);

		if (!fast)
			as.cf[index].op = EVG_CF_MEM_RAT;
	}
	return run_on(gpu, config, &as, global, 256);
}

static struct cost stores(const struct evg_config *config, bool fast,
			  unsigned count, uint32_t scale, uint32_t global)
{
	return stores_on(NULL, config, fast, count, scale, global);
}

static void test_export_buffer(void)
{
	struct evg_config config = one_unit();
	struct cost roomy, narrow;

	config.cf_step_latency = 0;
	config.export_entries = 65536;
	roomy = stores(&config, true, 16, 1024, 2048);
	CU_ASSERT_EQUAL(roomy.full, 0);
	config.export_entries = 4;
	narrow = stores(&config, true, 16, 1024, 2048);
	CU_ASSERT_TRUE(narrow.full > 100);
	CU_ASSERT_EQUAL(narrow.blocks, roomy.blocks);
}

/* 16 elements a clock pass the L2's slices, whatever their number per store. */
static void test_store_elements(void)
{
	enum { STORES = 4, ITEMS = 1 << 16, BEGINNING = 1500 };
	const uint64_t least = STORES * ITEMS / 16;
	struct evg_config config;
	struct cost cost;

	evg_config_read(&config, NULL, NULL);
	cost = stores(&config, true, STORES, 8, ITEMS);
	CU_ASSERT_TRUE(cost.cycles > least);
	CU_ASSERT_TRUE(cost.cycles < least + BEGINNING);
}

/* "Copy, float: 96 GB/s on the FastPath, 18 on the CompletePath": nothing but
 * the stores here, on the whole device. */
static void test_complete_path(void)
{
	/* Its channels have a bandwidth, and neither banks nor rows. */
	static const struct memsys_gpu slow = {
		.frequency = 850, .l1 = 8192, .channels = 8, .l2_slices = 8,
		.l2_slice = 65536,
		.bandwidth = 16,
	};
	struct evg_config config;
	struct cost fast, complete, like_fast;
	double written;

	evg_config_read(&config, NULL, NULL);
	fast = stores(&config, true, 4, 8, 65536);
	complete = stores(&config, false, 4, 8, 65536);
	CU_ASSERT_EQUAL(fast.complete, 0);
	CU_ASSERT_EQUAL(complete.complete, 4 * 65536 / 64);
	CU_ASSERT_EQUAL(complete.blocks, 8 * fast.blocks);
	config.complete_path = false;
	like_fast = stores(&config, false, 4, 8, 65536);
	CU_ASSERT_EQUAL(like_fast.blocks, fast.blocks);
	CU_ASSERT_TRUE(fast.cycles * 3 / 2 < complete.cycles);
	/* Each dword is written in a burst of 32 bytes of its own.
	 * (The copy on the real memory is a row of make fidelity.) */
	config.complete_path = true;
	complete = stores_on(&slow, &config, false, 4, 8, 65536);
	written = 4 * 4 * 65536 * 0.85 /
		  (double)(stores_on(&slow, &config, false, 8, 8, 65536).cycles -
			   complete.cycles);
	CU_ASSERT_DOUBLE_EQUAL(written, 8 * 16 * 4.0 / 32, 0.08);
}

int main(void)
{
	static CU_TestInfo clause[] = {
		{ "instruction cache", test_code },
		{ "CF instructions", test_cf_fetch },
		{ "constant cache", test_constants },
		{ "caches of several units", test_shared },
		{ "misses are loads of the L2", test_from_hierarchy },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo fetch[] = {
		{ "indexed constants", test_indexed_constants },
		{ "texture addresses and bytes", test_texture_rate },
		{ "reads of one address", test_read_conflicts },
		{ "address calculation", test_address_calculation },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo rates[] = {
		{ "operations per clock", test_rates },
		{ "PV and PS", test_forwarding },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo writes[] = {
		{ "export buffer", test_export_buffer },
		{ "elements", test_store_elements },
		{ "CompletePath", test_complete_path },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "caches of clauses", NULL, NULL, NULL, NULL, clause },
		{ "fetch rates", NULL, NULL, NULL, NULL, fetch },
		{ "ALU rates", NULL, NULL, NULL, NULL, rates },
		{ "stores", NULL, NULL, NULL, NULL, writes },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
