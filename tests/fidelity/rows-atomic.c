/* Atomics on one word: in global memory, and in local memory. */
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
	table_row(table, KIND_INPUT, "atomics on one address, clocks each", 16,
		  "clk", "SO, 9", "AtomicLatency", cycles / ITEMS);
	evg_program_free(program);
	device_free(device);
}

/* A sum by atomics in the LDS, then one of each group in global memory. It was
 * measured on a chip with two compute units whose clock is not known: the
 * HD 5450 is of that class. */
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
