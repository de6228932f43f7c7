/* The engines of a compute unit, one behaviour at a time, against what AMD's
 * OpenCL guide says of the Radeon HD 5870: small kernels of which two differ
 * in one thing, so that the difference of their cycles is that thing's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "evergreen/timing-machine.h"
#include "evergreen/timing/compute-unit.h"
#include "unit/harness.h"

enum { ADDRESS = 2, VALUE = 4, CHAIN_SHORT = 16, CHAIN_LONG = 116 };

static const struct evg_source unused;

static struct evg_source literal(struct evg_alu_group *group, uint32_t value)
{
	*group = group_begin();
	return group_literal(group, value);
}

/* A clause of `count` groups, each of which needs the one before. */
static void add_chain(struct assembler *as, unsigned count)
{
	struct evg_alu_group groups[CHAIN_LONG];

	for (unsigned i = 0; i < count; i++)
		groups[i] = group_of(EVG_ALU_ADD_INT, VALUE, 0, gpr(VALUE, 0),
				     gpr(VALUE, 0), unused);
	asm_alu(as, EVG_CF_ALU, groups, count);
}

/* R2.x = work-item of the group * scale + offset. */
static void add_offset(struct assembler *as, uint32_t scale, uint32_t offset)
{
	struct evg_alu_group groups[2];
	struct evg_source source = literal(&groups[0], scale);

	group_add(&groups[0], EVG_T, EVG_ALU_MULLO_INT, ADDRESS, 0, gpr(0, 0),
		  source, unused);
	source = literal(&groups[1], offset);
	group_add(&groups[1], EVG_X, EVG_ALU_ADD_INT, ADDRESS, 0,
		  gpr(ADDRESS, 0), source, unused);
	asm_alu(as, EVG_CF_ALU, groups, 2);
}

/* The same as an address in the machine's block; R2.y in dwords. */
static void add_address(struct assembler *as, uint32_t scale, uint32_t offset)
{
	struct evg_alu_group groups[2];
	struct evg_source source;

	add_offset(as, scale, offset);
	groups[0] = group_of(EVG_ALU_ADD_INT, ADDRESS, 0, gpr(ADDRESS, 0),
			     selector(EVG_SELECT_KCACHE0 +
					      MACHINE_ARGUMENT / 4, 0),
			     unused);
	source = literal(&groups[1], 2);
	group_add(&groups[1], EVG_X, EVG_ALU_LSHR_INT, 3, 0, gpr(ADDRESS, 0),
		  source, unused);
	asm_alu(as, EVG_CF_ALU, groups, 2);
}

/* --- ALU engine ---------------------------------------------------------- */

/* Cycles of one more group in every wavefront of a work-group, over 100. */
static uint64_t group_cycles(const struct evg_config *config,
			     unsigned wavefronts, uint64_t *busy)
{
	static const unsigned lengths[] = { CHAIN_SHORT, CHAIN_LONG };
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct timing_machine machine;
		struct assembler as;

		machine_begin(&machine);
		machine.config = *config;
		asm_begin(&as);
		add_chain(&as, lengths[i]);
		CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64 * wavefronts,
					       64 * wavefronts), 0);
		cycles[i] = machine.cycles;
		*busy = machine_figure(&machine, "ComputeUnit 0",
				       "ALUEngine.Cycles");
		machine_end(&machine);
	}
	CU_ASSERT_EQUAL((cycles[1] - cycles[0]) %
			(CHAIN_LONG - CHAIN_SHORT), 0);
	return (cycles[1] - cycles[0]) / (CHAIN_LONG - CHAIN_SHORT);
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

/* "One wavefront alone leaves half of the slots empty; two fill them." */
static void test_even_odd(void)
{
	struct evg_config config = one_unit();
	uint64_t busy;

	CU_ASSERT_EQUAL(group_cycles(&config, 1, &busy), 8);
	CU_ASSERT_EQUAL(busy, 4 * CHAIN_LONG);
	CU_ASSERT_EQUAL(group_cycles(&config, 2, &busy), 8);
	CU_ASSERT_EQUAL(busy, 2 * 4 * CHAIN_LONG);
	/* The third is alone when the pair has ended. */
	CU_ASSERT_EQUAL(group_cycles(&config, 3, &busy), 16);
	CU_ASSERT_EQUAL(group_cycles(&config, 4, &busy), 16);
}

static void test_alu_configuration(void)
{
	struct evg_config config = one_unit();
	uint64_t busy;

	config.alu_wavefronts = 1;
	CU_ASSERT_EQUAL(group_cycles(&config, 2, &busy), 16);
	config.alu_wavefronts = 4;
	CU_ASSERT_EQUAL(group_cycles(&config, 4, &busy), 16);
	config = one_unit();
	config.alu_latency = 20;
	CU_ASSERT_EQUAL(group_cycles(&config, 1, &busy), 20);
	/* Sub-wavefronts: 64 work-items on so many stream cores. */
	config = one_unit();
	for (unsigned cores = 1; cores <= 64; cores++) {
		uint64_t parts = (64 + cores - 1) / cores;

		config.stream_cores = cores;
		CU_ASSERT_EQUAL(group_cycles(&config, 1, &busy),
				parts > 8 ? parts : 8);
		CU_ASSERT_EQUAL(busy, parts * CHAIN_LONG);
		CU_ASSERT_EQUAL(group_cycles(&config, 2, &busy),
				parts > 4 ? 2 * parts : 8);
	}
}

/* --- Control flow -------------------------------------------------------- */

static uint64_t nop_cycles(unsigned count, uint32_t work_items)
{
	struct assembler as;

	asm_begin(&as);
	as.registers = 2;
	for (unsigned i = 0; i < count; i++)
		asm_cf(&as, EVG_CF_NOP, 0, 0);
	return lone_cycles(&as, work_items, 64);
}

/* "About 40 clocks" a step, which other wavefronts hide. */
static void test_steps(void)
{
	uint64_t lone = nop_cycles(1, 64), many = nop_cycles(1, 512);

	CU_ASSERT_EQUAL(nop_cycles(2, 64) - lone, 40);
	CU_ASSERT_EQUAL(nop_cycles(11, 64) - lone, 400);
	CU_ASSERT_EQUAL(nop_cycles(11, 512) - many, 400);
	/* Eight work-groups are mapped in eight cycles. */
	CU_ASSERT_EQUAL(many - lone, 7);
}

/* "IF, ELSE, ENDIF: about 120 clocks on a wavefront that is alone." */
static void test_branch(void)
{
	struct evg_alu_group condition = group_predicate(gpr(0, 0), true,
							 false);
	uint64_t without;
	struct assembler as;

	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU, &condition, 1);
	without = lone_cycles(&as, 64, 64);
	asm_begin(&as);
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &condition, 1);
	asm_cf(&as, EVG_CF_JUMP, 2, 0);
	asm_cf(&as, EVG_CF_ELSE, 3, 0);
	asm_cf(&as, EVG_CF_POP, 4, 1);
	CU_ASSERT_EQUAL(lone_cycles(&as, 64, 64) - without, 120);
}

/* Wavefronts of group 0 are held up by a long clause first; then all have as
 * many NOPs, and store when they began and ended them. */
enum { POLICY_WAVES = 12, POLICY_NOPS = 100 };

struct span {
	uint32_t start, end;
};

static void add_time(struct assembler *as, unsigned channel)
{
	struct evg_alu_group group =
		group_of(EVG_ALU_MOV, VALUE, channel,
			 selector(EVG_SELECT_TIME_LO, 0), unused, unused);

	asm_alu(as, EVG_CF_ALU, &group, 1);
}

static void run_policy(int policy, unsigned waves, struct span *spans)
{
	struct timing_machine machine;
	struct evg_alu_group groups[3];
	struct evg_alu_group condition = group_predicate(gpr(1, 0), true,
							 false);
	struct evg_source source;
	struct assembler as;
	unsigned jump;

	machine_begin(&machine);
	machine.config.policy = policy;
	machine.config.cf_step_latency = 0;
	machine.config.code_size = machine.config.constant_size = 0;
	machine.config.address_groups = 0;
	asm_begin(&as);
	/* Group 0 alone does not jump. */
	condition.inst[EVG_X].op = EVG_ALU_PRED_SETE_INT;
	asm_alu(&as, EVG_CF_ALU_PUSH_BEFORE, &condition, 1);
	jump = asm_cf(&as, EVG_CF_JUMP, 0, 1);
	add_chain(&as, 30);
	as.cf[jump].address = asm_cf(&as, EVG_CF_POP, 0, 1) + 1;
	as.cf[jump + 2].address = as.cf[jump].address;
	add_time(&as, 0);
	for (unsigned i = 0; i < POLICY_NOPS; i++)
		asm_cf(&as, EVG_CF_NOP, 0, 0);
	add_time(&as, 1);
	/* R3 = dword of the group's lane, which has two. */
	groups[0] = group_begin();
	source = group_literal(&groups[0], 256);
	group_add(&groups[0], EVG_T, EVG_ALU_MULLO_INT, 3, 0, gpr(1, 0),
		  source, unused);
	groups[1] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(0, 0),
			     unused);
	groups[2] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0), gpr(3, 0),
			     unused);
	asm_alu(&as, EVG_CF_ALU, groups, 3);
	groups[0] = group_begin();
	source = group_literal(&groups[0], 2);
	group_add(&groups[0], EVG_X, EVG_ALU_LSHR_INT, ADDRESS, 0,
		  selector(EVG_SELECT_KCACHE0 + MACHINE_ARGUMENT / 4, 0),
		  source, unused);
	groups[1] = group_of(EVG_ALU_ADD_INT, 3, 0, gpr(3, 0),
			     gpr(ADDRESS, 0), unused);
	asm_alu(&as, EVG_CF_ALU, groups, 2);
	asm_store(&as, EVG_RAT_STORE_RAW, VALUE, 3, 3);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64 * waves, 256), 0);
	for (unsigned i = 0; i < waves; i++)
		memcpy(&spans[i],
		       evg_memory_host(machine.memory,
				       machine.data + 512 * i, 8), 8);
	machine_end(&machine);
}

/* Whether a wavefront was served as often as it could: all four cycles, which
 * the instruction takes, and one in which another one of five was served. */
static bool was_first(const struct span *span)
{
	uint32_t cycles = span->end - span->start;

	return cycles >= 5 * POLICY_NOPS && cycles < 5 * POLICY_NOPS + 25;
}

static void test_policies(void)
{
	struct span robin[POLICY_WAVES], greedy[POLICY_WAVES],
		oldest[POLICY_WAVES];

	run_policy(EVG_POLICY_ROUND_ROBIN, POLICY_WAVES, robin);
	run_policy(EVG_POLICY_GREEDY, POLICY_WAVES, greedy);
	run_policy(EVG_POLICY_OLDEST_FIRST, POLICY_WAVES, oldest);
	for (int i = 0; i < POLICY_WAVES; i++) {
		uint32_t cycles = robin[i].end - robin[i].start;

		/* Group 0 comes last. */
		CU_ASSERT_EQUAL(robin[i].start > robin[POLICY_WAVES - 1].start,
				i < 4);
		/* One a cycle, in turn: but for those who come last and are
		 * alone at the end, twelve cycles each. */
		CU_ASSERT_TRUE(cycles > 11.5 * POLICY_NOPS);
		CU_ASSERT_TRUE(cycles < 12.5 * POLICY_NOPS);
		/* The first five of group 1 and 2 keep the engine when group 0
		 * comes: these wait until they have ended. */
		CU_ASSERT_EQUAL(was_first(&greedy[i]), i >= 4 && i <= 8);
		if (i < 4)
			CU_ASSERT_TRUE(greedy[i].end >
				       greedy[8].end + 4 * POLICY_NOPS);
		/* Group 0 takes it from them, and leaves room for one, which
		 * then is the oldest. */
		CU_ASSERT_EQUAL(was_first(&oldest[i]), i <= 4);
		if (i > 4)
			CU_ASSERT_TRUE(oldest[i].end > oldest[i - 1].end);
	}
}

/* One CF instruction a cycle. */
static void test_rate(void)
{
	static const unsigned lengths[] = { 20, 60 };
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct timing_machine machine;
		struct assembler as;

		machine_begin(&machine);
		machine.config.cf_step_latency = 0;
		asm_begin(&as);
		as.registers = 2;
		for (unsigned k = 0; k < lengths[i]; k++)
			asm_cf(&as, EVG_CF_NOP, 0, 0);
		CU_ASSERT_EQUAL(machine_launch(&machine, &as, 2048, 256), 0);
		CU_ASSERT_EQUAL(machine_sum(&machine, "CFEngine.Instructions"),
				32 * (lengths[i] + 1));
		cycles[i] = machine.cycles;
		machine_end(&machine);
	}
	/* 32 wavefronts fill the pipeline at all times. */
	CU_ASSERT_EQUAL(cycles[1] - cycles[0], 32 * 40);
	/* A cycle of the dispatcher, the way to the unit, a cycle there; the
	 * instructions; the pipeline behind the last one; the way back. */
	CU_ASSERT_EQUAL(cycles[0], 1 + 32 + 1 + (32 * 21 - 1) + 4 + 1);
}

/* --- Local memory -------------------------------------------------------- */

struct local_result {
	uint64_t cycles; /* of the launch */
	uint64_t banks, conflicts, reads, writes;
};

/* `count` times one access at work-item * stride, and for reads a group that
 * takes the values out of the queues. */
static struct local_result run_local(enum evg_lds_op op, uint32_t stride,
				     unsigned count, unsigned wavefronts)
{
	struct evg_alu_group groups[80], far;
	struct evg_source address = gpr(ADDRESS, 0), source;
	bool reads = evg_lds_info[op].returns;
	struct timing_machine machine;
	struct local_result result;
	struct assembler as;
	unsigned used = 0;

	machine_begin(&machine);
	machine.local_memory = 32768;
	asm_begin(&as);
	add_offset(&as, stride, 0);
	source = literal(&far, 4);
	group_add(&far, EVG_Y, EVG_ALU_ADD_INT, ADDRESS, 1, address, source,
		  unused);
	asm_alu(&as, EVG_CF_ALU, &far, 1);
	while (count--) {
		groups[used++] = group_lds(op, address, gpr(ADDRESS, 1),
					   unused);
		if (!reads)
			continue;
		groups[used] = group_of(EVG_ALU_MOV, VALUE, 0,
					selector(EVG_SELECT_LDS_OQ_A_POP, 0),
					unused, unused);
		if (evg_lds_info[op].returns == 2)
			group_add(&groups[used], EVG_Y, EVG_ALU_MOV, VALUE, 1,
				  selector(EVG_SELECT_LDS_OQ_B_POP, 0), unused,
				  unused);
		used++;
	}
	asm_alu(&as, EVG_CF_ALU, groups, used);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64 * wavefronts,
				       64 * wavefronts), 0);
	result = (struct local_result){
		.cycles = machine.cycles,
		.banks = machine_sum(&machine, "LocalMemory.Cycles"),
		.conflicts = machine_sum(&machine,
					 "LocalMemory.ConflictCycles"),
		.reads = machine_sum(&machine, "LocalMemory.Reads"),
		.writes = machine_sum(&machine, "LocalMemory.Writes"),
	};
	machine_end(&machine);
	return result;
}

/* Cycles that one more access takes. */
static uint64_t access_cycles(enum evg_lds_op op, uint32_t stride,
			      unsigned wavefronts)
{
	uint64_t few = run_local(op, stride, 10, wavefronts).cycles;

	return (run_local(op, stride, 30, wavefronts).cycles - few) / 20;
}

/* Banks are address bits 6:2, requests of 32 work-items meet. */
static void test_conflicts(void)
{
	for (uint32_t dwords = 1; dwords <= 32; dwords *= 2) {
		struct local_result result =
			run_local(EVG_LDS_WRITE, 4 * dwords, 1, 1);
		uint64_t each = access_cycles(EVG_LDS_WRITE, 4 * dwords, 2);

		CU_ASSERT_EQUAL(result.banks, 2 * dwords);
		CU_ASSERT_EQUAL(result.conflicts, 2 * dwords - 2);
		CU_ASSERT_EQUAL(result.writes, 64);
		CU_ASSERT_EQUAL(result.reads, 0);
		/* Two wavefronts: neither goes on in the other's stall. */
		CU_ASSERT_EQUAL(each, 2 * (dwords <= 2 ? 4 : 2 * dwords));
	}
	/* An odd stride never conflicts. */
	CU_ASSERT_EQUAL(run_local(EVG_LDS_WRITE, 33 * 4, 1, 1).banks, 2);
}

static void test_local_reads(void)
{
	struct local_result result = run_local(EVG_LDS_READ_RET, 128, 1, 1);

	/* All lanes in one bank: 64 cycles, two more to the queue; then the
	 * group that takes the value. */
	CU_ASSERT_EQUAL(result.banks, 64);
	CU_ASSERT_EQUAL(access_cycles(EVG_LDS_READ_RET, 128, 1), 64 + 2 + 8);
	/* One address for all: broadcast; the latency is hidden. */
	result = run_local(EVG_LDS_READ_RET, 0, 1, 1);
	CU_ASSERT_EQUAL(result.banks, 2);
	CU_ASSERT_EQUAL(result.conflicts, 0);
	CU_ASSERT_EQUAL(result.reads, 64);
	CU_ASSERT_EQUAL(access_cycles(EVG_LDS_READ_RET, 0, 1), 8 + 8);
	/* Two dwords each, side by side: the full rate of 32 a cycle. */
	result = run_local(EVG_LDS_READ2_RET, 8, 1, 1);
	CU_ASSERT_EQUAL(result.banks, 4);
	CU_ASSERT_EQUAL(result.conflicts, 0);
	CU_ASSERT_EQUAL(result.reads, 128);
	/* Writes and atomics of one address are performed one by one. */
	CU_ASSERT_EQUAL(run_local(EVG_LDS_WRITE, 0, 1, 1).banks, 64);
	CU_ASSERT_EQUAL(run_local(EVG_LDS_ADD, 0, 1, 1).banks, 64);
	CU_ASSERT_EQUAL(access_cycles(EVG_LDS_ADD, 0, 1), 64);
}

/* --- Fetches ------------------------------------------------------------- */

/* A clause of fetches of one dword of the machine's block, which is in the L1
 * after the first. */
static uint64_t fetch_cycles(unsigned count, uint32_t global, uint32_t local)
{
	struct evg_fetch_inst fetches[16];
	struct assembler as;

	for (unsigned i = 0; i < count; i++)
		fetches[i] = vertex_fetch(VALUE, ADDRESS, 0, 13, 1);
	asm_begin(&as);
	add_address(&as, 0, 0);
	asm_fetch(&as, fetches, 1);
	asm_fetch(&as, fetches, count);
	return lone_cycles(&as, global, local);
}

/* "Four addresses a clock." */
static void test_fetch_rate(void)
{
	CU_ASSERT_EQUAL(fetch_cycles(12, 64, 64) - fetch_cycles(4, 64, 64),
			8 * 16);
	CU_ASSERT_EQUAL(fetch_cycles(12, 16, 16) - fetch_cycles(4, 16, 16),
			8 * 4);
	CU_ASSERT_EQUAL(fetch_cycles(12, 128, 128) -
				fetch_cycles(4, 128, 128),
			2 * 8 * 16);
}

static uint64_t read_blocks(uint32_t stride, uint32_t offset, unsigned format)
{
	struct evg_fetch_inst fetch = vertex_fetch(VALUE, ADDRESS, 0, format,
						   1);
	struct timing_machine machine;
	struct assembler as;
	uint64_t blocks;

	machine_begin(&machine);
	asm_begin(&as);
	add_address(&as, stride, offset);
	asm_fetch(&as, &fetch, 1);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), 0);
	blocks = machine_sum(&machine, "GlobalMemory.ReadBlocks");
	machine_end(&machine);
	return blocks;
}

/* Blocks of 64 bytes, each asked for once. */
static void test_read_coalescing(void)
{
	enum { DWORD = 13, FOUR_DWORDS = 34 };

	CU_ASSERT_EQUAL(read_blocks(4, 0, DWORD), 4);
	CU_ASSERT_EQUAL(read_blocks(4, 4, DWORD), 5);
	CU_ASSERT_EQUAL(read_blocks(0, 8, DWORD), 1);
	CU_ASSERT_EQUAL(read_blocks(8, 0, DWORD), 8);
	CU_ASSERT_EQUAL(read_blocks(64, 0, DWORD), 64);
	CU_ASSERT_EQUAL(read_blocks(16, 0, FOUR_DWORDS), 16);
	/* Every lane's 16 bytes lie in two blocks. */
	CU_ASSERT_EQUAL(read_blocks(128, 56, FOUR_DWORDS), 128);
}

/* One work-item reads `count` times, once a clause. */
static uint64_t load_cycles(unsigned resource, unsigned count)
{
	struct evg_fetch_inst fetch =
		vertex_fetch(VALUE, resource == 3 ? 6 : ADDRESS, 0, 13,
			     resource);
	struct assembler as;

	asm_begin(&as);
	add_address(&as, 4, 0);
	while (count--)
		asm_fetch(&as, &fetch, 1);
	return lone_cycles(&as, 1, 1);
}

/* "300 to 600 clocks" from memory; much less from a cache. */
static void test_latency(void)
{
	struct evg_config config = one_unit();
	/* A parameter takes ConstantLatency and a cycle for its address. */
	uint64_t parameter = config.tex_constant_latency + 1;
	uint64_t miss = load_cycles(1, 1) - load_cycles(3, 1) + parameter;
	uint64_t hit = load_cycles(1, 2) - load_cycles(1, 1) -
		       (load_cycles(3, 2) - load_cycles(3, 1)) + parameter;

	CU_ASSERT_TRUE(miss >= 300 && miss <= 600);
	CU_ASSERT_TRUE(hit >= 20 && hit <= 100);
	if (miss < 300 || miss > 600 || hit < 20 || hit > 100)
		printf("# miss %llu, hit %llu\n", (unsigned long long)miss,
		       (unsigned long long)hit);
}

/* --- Writes -------------------------------------------------------------- */

struct write_result {
	uint64_t cycles, blocks, bytes;
	uint32_t first; /* dword of the block */
};

static struct write_result run_store(enum evg_rat_op op, uint32_t stride)
{
	struct timing_machine machine;
	struct write_result result = { 0 };
	struct assembler as;

	machine_begin(&machine);
	asm_begin(&as);
	add_address(&as, stride, 0);
	asm_alu(&as, EVG_CF_ALU,
		(const struct evg_alu_group[]){
			group_of(EVG_ALU_MOV, VALUE, 0,
				 selector(EVG_SELECT_1_INT, 0), unused,
				 unused) }, 1);
	asm_store(&as, op, VALUE, 3, 1);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), 0);
	result.cycles = machine.cycles;
	result.blocks = machine_sum(&machine, "GlobalMemory.WriteBlocks");
	for (unsigned i = 0; i < 8; i++) {
		char name[] = { 'e', 'v', 'g', '-', 'g', 'm', '-',
				(char)('0' + i), 0 };
		double bytes = 0;

		CU_ASSERT_TRUE(stats_lookup(machine.stats, "memory", name,
					    "WrittenBytes", &bytes));
		result.bytes += (uint64_t)bytes;
	}
	memcpy(&result.first,
	       evg_memory_host(machine.memory, machine.data, 4), 4);
	machine_end(&machine);
	return result;
}

static void test_write_coalescing(void)
{
	struct write_result result = run_store(EVG_RAT_STORE_RAW, 4);

	CU_ASSERT_EQUAL(result.blocks, 4);
	CU_ASSERT_EQUAL(result.bytes, 256);
	/* Alone in a block: one burst of 32 bytes, not the block. */
	result = run_store(EVG_RAT_STORE_RAW, 64);
	CU_ASSERT_EQUAL(result.blocks, 64);
	CU_ASSERT_EQUAL(result.bytes, 64 * 32);
}

/* "41 million a second" to one address on a small part of the family, one in
 * 16 to 18 cycles; addresses of their own do not wait. */
static void test_atomics(void)
{
	struct write_result one = run_store(EVG_RAT_ADD, 0);
	struct write_result own = run_store(EVG_RAT_ADD, 4);

	CU_ASSERT_EQUAL(one.first, 64);
	CU_ASSERT_EQUAL(own.first, 1);
	CU_ASSERT_EQUAL(one.blocks, 64);
	CU_ASSERT_TRUE(one.cycles >= 64 * 16);
	CU_ASSERT_TRUE(one.cycles < 64 * 18 + 1000);
	CU_ASSERT_TRUE(own.cycles + 400 < one.cycles);
}

/* Coalesced: one cycle a quarter wavefront, otherwise two. */
static void test_export(void)
{
	struct evg_step step = {
		.kind = EVG_STEP_STORE,
		.memory_mask = UINT64_MAX,
		.memory_bytes = 4,
		.memory_cacheless = true,
	};

	for (unsigned lane = 0; lane < 64; lane++)
		step.memory_address[lane] = 4096 + 4 * lane;
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 4);
	step.memory_mask = 0x5555555555555555; /* the others do not count */
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 4);
	step.memory_mask = 0xff00;
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 1);
	step.memory_mask = UINT64_MAX;
	step.memory_cacheless = false;
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 8);
	step.memory_cacheless = true;
	for (unsigned lane = 0; lane < 64; lane++)
		step.memory_address[lane] = 4096 - 4 * lane;
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 8);
	/* Only the third quarter is shifted inside itself. */
	for (unsigned lane = 0; lane < 64; lane++)
		step.memory_address[lane] = 4096 + 4 * lane;
	step.memory_address[47] = step.memory_address[32];
	CU_ASSERT_EQUAL(global_export_cycles(NULL, &step), 5);
}

/* A memory behind links of this latency, as a file. */
static void write_memory(char *path, uint32_t latency)
{
	FILE *file;

	strcpy(path, "/tmp/m2s-memory-XXXXXX");
	file = fdopen(mkstemp(path), "w");
	fprintf(file, "[ General ]\nFrequency = 850\n"
		"[ CacheGeometry l1 ]\nSets = 32\nAssoc = 4\n"
		"BlockSize = 64\nLatency = 10\nPolicy = LRU\n"
		"Coherent = f\nWriteCombineDelay = 0\n"
		"[ Network net ]\nDefaultInputBufferSize = 4096\n"
		"DefaultOutputBufferSize = 4096\nDefaultBandwidth = 4096\n"
		"DefaultLatency = %u\n"
		"[ Module l1 ]\nType = Cache\nGeometry = l1\n"
		"LowNetwork = net\nLowModules = memory\n"
		"[ Module memory ]\nType = MainMemory\n"
		"HighNetwork = net\nBlockSize = 64\nLatency = 100\n"
		"[ Entry unit ]\nArch = Evergreen\nComputeUnit = 0\n"
		"Module = l1\n", latency);
	fclose(file);
}

static uint64_t acknowledged_cycles(uint32_t latency, bool mark, int level)
{
	struct timing_machine machine;
	struct assembler as;
	uint64_t cycles;
	char path[32];

	write_memory(path, latency);
	machine_begin(&machine);
	machine.mem_config = path;
	asm_begin(&as);
	add_address(&as, 4, 0);
	as.cf[asm_store(&as, EVG_RAT_STORE_RAW, VALUE, 3, 1)].mark = mark;
	if (level >= 0)
		asm_cf(&as, EVG_CF_WAIT_ACK, (unsigned)level, 0);
	add_chain(&as, CHAIN_LONG);
	CU_ASSERT_EQUAL(machine_launch(&machine, &as, 64, 64), 0);
	cycles = machine.cycles;
	machine_end(&machine);
	unlink(path);
	return cycles;
}

/* WAIT_ACK waits until no more marked writes than it says are on their way;
 * otherwise it is a step like others. */
static void test_wait_acknowledge(void)
{
	uint64_t plain = acknowledged_cycles(80, false, -1);

	CU_ASSERT_EQUAL(acknowledged_cycles(80, true, -1), plain);
	CU_ASSERT_EQUAL(acknowledged_cycles(80, false, 0), plain + 40);
	CU_ASSERT_EQUAL(acknowledged_cycles(80, true, 1), plain + 40);
	/* A memory that is near has answered before. */
	CU_ASSERT_EQUAL(acknowledged_cycles(1, true, 0), plain + 40);
	/* Four links: to the network's switch and from it, each way, with a
	 * cycle for the message; a cycle each in the L1, in the memory, and
	 * for the answer. */
	for (uint32_t latency = 10; latency <= 100; latency += 10)
		CU_ASSERT_EQUAL(acknowledged_cycles(latency, true, 0) - plain,
				4 * (latency + 1) + 3);
}

/* "WAIT_ACK can take hundreds of clocks when nothing else runs": of loads on
 * the CompletePath, which go to memory, where one takes 300 to 600. */
static void test_complete_load(void)
{
	uint64_t cycles[2];

	for (unsigned i = 0; i < 2; i++) {
		struct assembler as;

		asm_begin(&as);
		add_address(&as, 4, 0);
		as.cf[asm_store(&as, EVG_RAT_NOP_RTN, VALUE, 3, 1)].mark = true;
		if (i)
			asm_cf(&as, EVG_CF_WAIT_ACK, 0, 0);
		add_chain(&as, CHAIN_LONG);
		cycles[i] = lone_cycles(&as, 64, 64);
	}
	CU_ASSERT_TRUE(cycles[1] - cycles[0] > 300);
	CU_ASSERT_TRUE(cycles[1] - cycles[0] < 600);
}

static uint64_t last_cycles(bool with_store)
{
	struct assembler as;

	asm_begin(&as);
	add_address(&as, 4, 0);
	if (with_store)
		asm_store(&as, EVG_RAT_ADD, VALUE, 3, 1);
	return lone_cycles(&as, 64, 64);
}

/* A work-group stays until its last write has arrived. */
static void test_drain(void)
{
	/* The store itself is one step. */
	CU_ASSERT_TRUE(last_cycles(true) > last_cycles(false) + 40 + 200);
}

int main(void)
{
	static CU_TestInfo alu[] = {
		{ "even and odd wavefront", test_even_odd },
		{ "configurations", test_alu_configuration },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo cf[] = {
		{ "steps", test_steps },
		{ "a branch", test_branch },
		{ "one instruction a cycle", test_rate },
		{ "scheduling policies", test_policies },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo local[] = {
		{ "bank conflicts", test_conflicts },
		{ "reads and atomics", test_local_reads },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo fetch[] = {
		{ "rate", test_fetch_rate },
		{ "coalescing", test_read_coalescing },
		{ "latency", test_latency },
		CU_TEST_INFO_NULL,
	};
	static CU_TestInfo write[] = {
		{ "coalescing", test_write_coalescing },
		{ "atomics", test_atomics },
		{ "export cycles", test_export },
		{ "WAIT_ACK", test_wait_acknowledge },
		{ "a load on the CompletePath", test_complete_load },
		{ "a work-group's end", test_drain },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "ALU engine", NULL, NULL, NULL, NULL, alu },
		{ "CF engine", NULL, NULL, NULL, NULL, cf },
		{ "local memory", NULL, NULL, NULL, NULL, local },
		{ "fetches", NULL, NULL, NULL, NULL, fetch },
		{ "writes", NULL, NULL, NULL, NULL, write },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
