/* Atomics on one word: in global memory, and in local memory. Both were measured
 * on a Mobility HD 5470, whose clock is 750 MHz (AMD's product data, as printed
 * by notebookcheck): 41.1 M/s are one in 18 clocks. */
#include <stdlib.h>

#include "fidelity/rows.h"

void rows_atomic(struct table *table)
{
	enum { ITEMS = 16384 };
	struct device *device = device_create(table_options(table), NULL);
	struct evg_program *program = program_compile("copy.cl", "");
	struct launch launch = {
		.program = program,
		.kernel = "one_address",
		.global = {ITEMS},
		.local = {256},
		.arguments = {device_allocate(device, 4)},
	};
	double cycles = (double)device_run(device, &launch);

	if (*(uint32_t *)device_bytes(device, launch.arguments[0], 4) !=
	    ITEMS) {
		fprintf(stderr, "fidelity: atomics were lost\n");
		exit(1);
	}
	table_row(table, KIND_INPUT, "atomics on one address, clocks each", 18,
		  "clk", "SO, 9", "AtomicLatency", cycles / ITEMS);
	evg_program_free(program);
	device_free(device);
}

/* A sum by atomics in the LDS, then one of each group in global memory. The chip
 * has two compute units, as that of the HD 5450. */
void rows_local_atomic(struct table *table)
{
	static const char name[] = "atomics in the LDS, two compute units";
	enum { ITEMS = 1 << 16 };
	struct evg_config config;
	struct device *device;
	struct evg_program *program;
	struct launch launch = {
		.kernel = "local_sum",
		.global = {ITEMS},
		.local = {128},
	};
	struct error error;
	double cycles;

	if (!table_wants_row(table, name))
		return;
	if (evg_config_read_preset(&config, "hd5450", NULL, NULL, &error)) {
		fprintf(stderr, "fidelity: %s\n", error.text);
		exit(1);
	}
	config.frequency = 750;
	program = program_compile("copy.cl", "");
	device = device_create(table_options(table), &config);
	launch.program = program;
	launch.arguments[0] = device_allocate(device, 4);
	cycles = (double)device_run(device, &launch);
	if (*(uint32_t *)device_bytes(device, launch.arguments[0], 4) !=
	    ITEMS) {
		fprintf(stderr, "fidelity: local atomics were lost\n");
		exit(1);
	}
	table_row(table, KIND_OUTCOME, name, 560, "M/s", "SO, 9", NULL,
		  ITEMS / cycles * config.frequency);
	evg_program_free(program);
	device_free(device);
}
