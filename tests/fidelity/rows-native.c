/* How much faster native_ functions are than the full ones of m2s-clc's
 * library, which is not AMD's. */
#include <stdlib.h>

#include "base/memory.h"
#include "fidelity/rows.h"

enum { ROUNDS = 32 };

static double loop_cycles(struct table *table,
			  const struct evg_program *program,
			  const char *kernel)
{
	struct evg_config config = table_options(table)->config;
	struct device *device;
	struct launch launch = {
		.program = program,
		.kernel = kernel,
		.global = {64 * 8},
		.local = {64},
		.arguments = {0, ROUNDS},
	};
	float *data;
	double cycles;

	config.compute_units = 1;
	device = device_create(table_options(table), &config);
	launch.arguments[0] = device_allocate(device, 4 * 64 * 8);
	data = device_bytes(device, launch.arguments[0], 4 * 64 * 8);
	for (int i = 0; i < 64 * 8; i++)
		data[i] = 0.5f + (float)i / 512;
	cycles = (double)device_run(device, &launch);
	device_free(device);
	return cycles;
}

void rows_native(struct table *table)
{
	static const struct {
		const char *name;
		double published;
	} rows[] = {
		{"sin", 27.1},  {"cos", 34.2},  {"tan", 13.4},
		{"exp", 4.0},   {"exp2", 3.4},  {"exp10", 5.2},
		{"log", 12.3},  {"log2", 11.3}, {"log10", 12.8},
		{"sqrt", 1.8},  {"rsqrt", 6.4}, {"powr", 28.7},
		{"divide", 4.4},
	};
	struct evg_program *program = program_compile("native.cl", "");
	double nothing = loop_cycles(table, program, "nothing");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *full = xasprintf("full_%s", rows[i].name);
		char *native = xasprintf("native_%s_", rows[i].name);
		char *name = xasprintf("native_%s, speed-up", rows[i].name);
		/* One group for the function at the least. */
		double least = 4.0 * 8 * ROUNDS;
		double slow, fast;

		if (!table_wants_row(table, name)) {
			free(full);
			free(native);
			free(name);
			continue;
		}
		slow = loop_cycles(table, program, full) - nothing;
		fast = loop_cycles(table, program, native) - nothing;

		table_row(table, KIND_LIBRARY, name, rows[i].published,
			  "", "G, 3", NULL,
			  (slow + least) / (fast > 0 ? fast + least : least));
		free(full);
		free(native);
		free(name);
	}
	evg_program_free(program);
}
