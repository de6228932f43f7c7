/* Queues, ports and latency of local memory: kernels of one ALU clause, which
 * differ in how often something is done, so that the difference of their
 * cycles is that thing's. */
#include <stdio.h>
#include <string.h>

#include "evergreen/timing-machine.h"
#include "unit/harness.h"

enum { ADDRESS = 2, VALUE = 4 };

static const struct evg_source unused;

/* What is done `times` times in the clause. */
struct script {
	enum evg_lds_op op;
	uint32_t stride;  /* bytes between the work-items' addresses */
	unsigned before;  /* dependent groups without local memory */
	unsigned accesses, between;
	bool takes;       /* the values, one a group after `between` groups */
};

static unsigned add_filler(struct evg_alu_group *groups, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		groups[i] = group_of(EVG_ALU_ADD_INT, VALUE + 1, 0,
				     gpr(VALUE + 1, 0), gpr(VALUE + 1, 0),
				     unused);
	return count;
}

static unsigned add_script(struct evg_alu_group *groups,
			   const struct script *script)
{
	unsigned used = add_filler(groups, script->before);

	for (unsigned i = 0; i < script->accesses; i++)
		groups[used++] = group_lds(script->op, gpr(ADDRESS, 0),
					   gpr(ADDRESS, 1), unused);
	used += add_filler(groups + used, script->between);
	for (unsigned i = 0; script->takes && i < script->accesses; i++) {
		groups[used] = group_of(EVG_ALU_MOV, VALUE, 0,
					selector(EVG_SELECT_LDS_OQ_A_POP, 0),
					unused, unused);
		if (evg_lds_info[script->op].returns == 2)
			group_add(&groups[used], EVG_Y, EVG_ALU_MOV, VALUE, 1,
				  selector(EVG_SELECT_LDS_OQ_B_POP, 0), unused,
				  unused);
		used++;
	}
	return used;
}

static int run(struct timing_machine *machine, const struct evg_config *config,
	       const struct script *script, unsigned times,
	       unsigned wavefronts)
{
	struct evg_alu_group groups[120], address[2];
	struct evg_source source;
	struct assembler as;
	unsigned used = 0;

	machine_begin(machine);
	machine->config = *config;
	machine->local_memory = 32768;
	asm_begin(&as);
	address[0] = group_begin();
	source = group_literal(&address[0], script->stride);
	group_add(&address[0], EVG_T, EVG_ALU_MULLO_INT, ADDRESS, 0,
		  gpr(0, 0), source, unused);
	address[1] = group_begin();
	source = group_literal(&address[1], 4);
	group_add(&address[1], EVG_Y, EVG_ALU_ADD_INT, ADDRESS, 1,
		  gpr(ADDRESS, 0), source, unused);
	asm_alu(&as, EVG_CF_ALU, address, 2);
	while (times--)
		used += add_script(groups + used, script);
	asm_alu(&as, EVG_CF_ALU, groups, used);
	return machine_launch(machine, &as, 64 * wavefronts, 64 * wavefronts);
}

struct cost {
	uint64_t cycles, conflict, local; /* of which the account says these */
};

/* Of doing it once more. */
static struct cost cost(const struct evg_config *config,
			const struct script *script, unsigned wavefronts)
{
	enum { FEW = 2, MANY = 4 };
	struct timing_machine machine;
	struct cost costs[2];

	for (unsigned i = 0; i < 2; i++) {
		CU_ASSERT_EQUAL(run(&machine, config, script, i ? MANY : FEW,
				    wavefronts), 0);
		costs[i] = (struct cost){
			machine.cycles,
			machine_sum(&machine,
				    "ALUEngine.Account.LocalMemory"),
			machine_sum(&machine, "ALUEngine.Account.LocalData"),
		};
		machine_end(&machine);
	}
	return (struct cost){
		(costs[1].cycles - costs[0].cycles) / (MANY - FEW),
		(costs[1].conflict - costs[0].conflict) / (MANY - FEW),
		(costs[1].local - costs[0].local) / (MANY - FEW),
	};
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

/* A value arrives so many cycles after the banks have served all lanes, which
 * takes as long as their requests come: 4 cycles. Groups in between hide it. */
static void test_latency(void)
{
	struct script script = { EVG_LDS_READ_RET, 4, 0, 1, 0, true };
	struct evg_config config = one_unit();

	for (uint32_t latency = 0; latency <= 40; latency += 4) {
		config.local_latency = latency;
		for (unsigned between = 0; between <= 4; between++) {
			uint64_t groups = 8 * (between + 1);
			uint64_t wait = 4 + latency > groups
						? 4 + latency - groups
						: 0;
			struct cost one;

			script.between = between;
			one = cost(&config, &script, 1);
			CU_ASSERT_EQUAL(one.cycles, groups + 8 + wait);
			CU_ASSERT_EQUAL(one.local, wait);
			CU_ASSERT_EQUAL(one.conflict, 0);
		}
	}
}

/* "The hardware does not switch to another wavefront": the pair waits together,
 * and both waits overlap with nothing. */
static void test_stall(void)
{
	struct script script = { EVG_LDS_READ_RET, 4, 0, 1, 0, true };
	struct evg_config config = one_unit();
	struct cost pair;

	config.local_latency = 20;
	pair = cost(&config, &script, 2);
	/* Even reads at 0, odd at 4; even takes its value at 24, odd finds its
	 * own there at 28. */
	CU_ASSERT_EQUAL(pair.cycles, 32);
	CU_ASSERT_EQUAL(pair.local, 16);
}

/* Several values arrive one after the other, and are taken in that order. */
static void test_order(void)
{
	struct script script = { EVG_LDS_READ_RET, 128, 0, 3, 0, true };
	struct evg_config config = one_unit();

	/* 64 cycles each in one bank; then three groups, of which the last
	 * finds its value there for long. */
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 3 * 64 + 3 * 8);
	/* With room before the banks the first group comes earlier, and its
	 * value at 66: the others' at 130 and 194. */
	config.local_input_queue = 3;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 3 * 64 + 2 + 8);
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 0);
}

/* Two 4-byte requests a stream core and cycle. */
static void test_ports(void)
{
	struct script two = { EVG_LDS_READ2_RET, 8, 0, 1, 0, true };
	struct script one = { EVG_LDS_WRITE, 4, 0, 1, 0, false };
	struct evg_config config = one_unit();

	CU_ASSERT_EQUAL(cost(&config, &two, 2).cycles, 16);
	CU_ASSERT_EQUAL(cost(&config, &one, 2).cycles, 8);
	config.local_ports = 1;
	/* 8 cycles each instead of 4, and the group that takes. */
	CU_ASSERT_EQUAL(cost(&config, &two, 2).cycles, 24);
	CU_ASSERT_EQUAL(cost(&config, &one, 2).cycles, 8);
	/* Half as many banks: twice the time, whatever the ports. */
	config = one_unit();
	config.local_banks = 16;
	CU_ASSERT_EQUAL(cost(&config, &two, 2).cycles, 24);
}

/* What is served together: neighbours that conflict in a window of 32 do not
 * in one of 16. */
static void test_window(void)
{
	struct script script = { EVG_LDS_WRITE, 8, 0, 1, 0, false };
	struct evg_config config = one_unit();

	/* 64 lanes over the 16 even banks. */
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 0);
	script.stride = 16;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 8 - 4);
	script.stride = 64;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 32 - 4);
	config.local_window = 2;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 32 - 4);
	script.stride = 8;
	config.local_window = 64;
	config.local_banks = 64;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 0);
}

/* Without a queue the stream cores stall in conflicts; with one until it is
 * full; and the banks are the limit in the end. */
static void test_input_queue(void)
{
	struct script script = { EVG_LDS_WRITE, 128, 10, 1, 0, false };
	struct evg_config config = one_unit();

	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 80 + 64);
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 60);
	config.local_input_queue = 1;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 80 + 8);
	CU_ASSERT_EQUAL(cost(&config, &script, 1).conflict, 0);
	script.before = 2;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 64);
	/* Two at once: the second one fills the queue. */
	script.before = 20;
	script.accesses = 2;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 160 + 8 + 64 - 8);
	config.local_input_queue = 2;
	CU_ASSERT_EQUAL(cost(&config, &script, 1).cycles, 160 + 16);
}

/* A clause that reads more values than the queue holds hangs the hardware. */
static void test_output_queue(void)
{
	struct script script = { EVG_LDS_READ2_RET, 8, 0, 3, 0, true };
	struct evg_config config = one_unit();
	struct timing_machine machine;

	config.local_output_queue = 3;
	CU_ASSERT_EQUAL(run(&machine, &config, &script, 5, 4), 0);
	machine_end(&machine);
	config.local_output_queue = 2;
	CU_ASSERT_EQUAL(run(&machine, &config, &script, 5, 4), -1);
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text,
				      "output queue A is full with 2 values"));
	CU_ASSERT_PTR_NOT_NULL(strstr(machine.error.text, "OutputQueueSize"));
	machine_end(&machine);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "latency", test_latency },
		{ "both wavefronts stall", test_stall },
		{ "order of values", test_order },
		{ "ports", test_ports },
		{ "conflict window", test_window },
		{ "input queue", test_input_queue },
		{ "output queue", test_output_queue },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "local memory queues", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
