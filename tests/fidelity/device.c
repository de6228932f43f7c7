#include "fidelity/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "clc/support.h"
#include "evergreen/asm/assemble.h"
#include "evergreen/emu/machine.h"

enum { MEMORY = 256 << 20, CONSTANT_BUFFER = 4096, FIRST_ARGUMENT = 36 };

static _Noreturn void fail(const char *what, const char *why)
{
	fprintf(stderr, "fidelity: %s: %s\n", what, why);
	exit(1);
}

struct device *device_create(const struct device_options *options,
			     const struct evg_config *config)
{
	struct device *device = xcalloc(1, sizeof *device);
	struct memsys_options memory = {.mem_config = options->mem_config};
	struct error error;

	device->report = options->report;
	device->config = config ? *config : options->config;
	memory.compute_units = device->config.compute_units;
	device->events = event_queue_create();
	device->memsys = memsys_create(device->events, &memory, &error);
	if (!device->memsys)
		fail("memory system", error.text);
	device->timing = evg_timing_create(&device->config, device->events,
					   device->memsys, &error);
	if (!device->timing)
		fail("timing model", error.text);
	device->memory = evg_memory_create(MEMORY, &error);
	if (!device->memory)
		fail("global memory", error.text);
	device->stats = stats_create();
	evg_timing_register_stats(device->timing, device->stats);
	memsys_register_stats(device->memsys, device->stats);
	return device;
}

static void write_report(const struct device *device)
{
	static const char *const reports[] = {"evergreen", "memory"};
	struct error error;

	for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
		if (stats_write(device->stats, reports[i], STATS_INI,
				       NULL, device->report, &error))
			fail("report", error.text);
}

void device_free(struct device *device)
{
	if (device->report)
		write_report(device);
	stats_free(device->stats);
	evg_timing_free(device->timing);
	memsys_free(device->memsys);
	event_queue_free(device->events);
	evg_memory_free(device->memory);
	free(device);
}

uint32_t device_allocate(struct device *device, uint32_t bytes)
{
	uint32_t address = evg_memory_allocate(device->memory, bytes, false,
					       "fidelity");

	if (!address)
		fail("global memory", "a buffer does not fit");
	return address;
}

void *device_bytes(struct device *device, uint32_t address, uint32_t bytes)
{
	return evg_memory_host(device->memory, address, bytes);
}

static const struct evg_kernel *find(const struct launch *launch)
{
	const struct evg_kernel *kernel = &launch->program->kernels[0];

	if (launch->kernel)
		kernel = evg_program_find(launch->program, launch->kernel);
	if (!kernel)
		fail(launch->kernel, "no such kernel");
	return kernel;
}

/* Vertex fetch 2 reads constant tables in the text. */
static uint32_t load_text(struct device *device,
			  const struct evg_program *program)
{
	uint32_t address;
	uint8_t *text;

	if (!program->relocation_count)
		return 0;
	address = device_allocate(device, program->text_size);
	text = device_bytes(device, address, program->text_size);
	memcpy(text, program->text, program->text_size);
	for (uint32_t i = 0; i < program->relocation_count; i++) {
		uint32_t word;

		memcpy(&word, text + program->relocations[i], 4);
		word += address;
		memcpy(text + program->relocations[i], &word, 4);
	}
	return address;
}

uint64_t device_run(struct device *device, const struct launch *launch)
{
	uint8_t constants[CONSTANT_BUFFER] = {0};
	const struct evg_kernel *kernel = find(launch);
	struct evg_launch run = {
		.kernel = kernel,
		.text_address = load_text(device, launch->program),
		.memory = device->memory,
		.bindings = launch->bindings,
		.work_dim = launch->global[1] ? 2 : 1,
		.local_memory = kernel->local_size + launch->local_memory,
		.arguments = constants,
	};
	struct evg_timing_limits limits = {0};
	struct evg_ndrange *ndrange;
	struct error error;
	uint64_t before = evg_timing_cycles(device->timing);

	for (int i = 0; i < 3; i++) {
		run.global_size[i] = i < 2 && launch->global[i]
					     ? launch->global[i]
					     : 1;
		run.local_size[i] = i < 2 && launch->local[i]
					    ? launch->local[i]
					    : 1;
	}
	memcpy(constants + FIRST_ARGUMENT, launch->arguments,
	       sizeof launch->arguments);
	ndrange = evg_ndrange_create(&run, &error);
	if (!ndrange)
		fail(kernel->name, error.text);
	if (evg_timing_run(device->timing, ndrange, &limits, &error))
		fail(kernel->name, error.text);
	evg_ndrange_free(ndrange);
	return evg_timing_cycles(device->timing) - before;
}

double device_figure(const struct device *device, const char *section,
		     const char *name)
{
	double value;

	if (!stats_lookup(device->stats, "evergreen", section, name, &value))
		fail(name, "no such figure");
	return value;
}

struct evg_program *program_assemble(const char *text)
{
	struct error error;
	struct evg_program *program = evg_assemble("row", text, strlen(text),
						   &error);

	if (!program)
		fail("assembler", error.text);
	return program;
}

struct evg_program *program_compile(const char *file, const char *options)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/tests/fidelity/%s", top ? top : ".", file);
	struct clc_result result = compile_file(path, options);
	struct evg_program *program;
	struct error error;

	if (!result.binary)
		fail(file, result.log ? result.log : "cannot be compiled");
	program = evg_program_read(file, result.binary, result.binary_size,
				   &error);
	if (!program)
		fail(file, error.text);
	clc_result_free(&result);
	free(path);
	return program;
}
