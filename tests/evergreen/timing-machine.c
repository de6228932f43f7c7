#include "evergreen/timing-machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void bail_out(const char *text)
{
	printf("Bail out! %s\n", text);
	exit(1);
}

void machine_begin(struct timing_machine *machine)
{
	memset(machine, 0, sizeof *machine);
	evg_config_read(&machine->config, NULL, NULL);
	machine->config.compute_units = 1;
	machine->config.code_size = 0;
	machine->config.constant_misses = EVG_MISSES_LATENCY;
}

/* What the configuration describes. */
static void build(struct timing_machine *machine)
{
	struct memsys_options options = {
		.compute_units = machine->config.compute_units,
		.mem_config = machine->mem_config,
		.gpu = machine->gpu,
	};
	struct error *error = &machine->error;

	machine->events = event_queue_create();
	machine->memsys = memsys_create(machine->events, &options, error);
	if (!machine->memsys)
		bail_out(error->text);
	machine->timing = evg_timing_create(&machine->config, machine->events,
					    machine->memsys, error);
	machine->memory = evg_memory_create(16 << 20, error);
	if (!machine->timing || !machine->memory)
		bail_out(error->text);
	machine->data = evg_memory_allocate(machine->memory, MACHINE_DATA,
					    false, "data");
	machine->stats = stats_create();
	evg_timing_register_stats(machine->timing, machine->stats);
	memsys_register_stats(machine->memsys, machine->stats);
}

static void drop_kernel(struct timing_machine *machine)
{
	evg_ndrange_free(machine->ndrange);
	machine->ndrange = NULL;
	if (machine->program)
		program_free(machine->program);
	machine->program = NULL;
}

int machine_launch(struct timing_machine *machine, struct assembler *as,
		   uint32_t global, uint32_t local)
{
	uint32_t arguments[ASM_TAIL / 4] = { 0 };
	struct evg_launch launch;
	uint64_t before;

	if (!machine->timing)
		build(machine);
	drop_kernel(machine);
	machine->program = asm_program(as);
	arguments[MACHINE_ARGUMENT] = machine->data;
	launch = launch_of(machine->program, machine->memory, global, local);
	launch.arguments = (const uint8_t *)arguments;
	launch.local_memory = machine->local_memory;
	launch.bindings = machine->bindings;
	if (machine->bindings)
		machine->bindings->images[0].address += machine->data;
	machine->ndrange = evg_ndrange_create(&launch, &machine->error);
	if (!machine->ndrange)
		bail_out(machine->error.text);
	before = evg_timing_cycles(machine->timing);
	machine->status = evg_timing_run(machine->timing, machine->ndrange,
					 &machine->limits, &machine->error);
	machine->cycles = evg_timing_cycles(machine->timing) - before;
	return machine->status;
}

void machine_end(struct timing_machine *machine)
{
	drop_kernel(machine);
	stats_free(machine->stats);
	evg_timing_free(machine->timing);
	memsys_free(machine->memsys);
	event_queue_free(machine->events);
	evg_memory_free(machine->memory);
}

uint64_t lone_cycles(struct assembler *as, uint32_t global, uint32_t local)
{
	struct timing_machine machine;
	uint64_t cycles;

	machine_begin(&machine);
	if (machine_launch(&machine, as, global, local))
		bail_out(machine.error.text);
	cycles = machine.cycles;
	machine_end(&machine);
	return cycles;
}

uint64_t machine_figure(const struct timing_machine *machine,
			const char *section, const char *name)
{
	double value;

	if (!stats_lookup(machine->stats, "evergreen", section, name, &value))
		bail_out(name);
	return (uint64_t)value;
}

uint64_t machine_sum(const struct timing_machine *machine, const char *name)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < machine->config.compute_units; i++) {
		char *section = xasprintf("ComputeUnit %u", i);

		sum += machine_figure(machine, section, name);
		free(section);
	}
	return sum;
}

char *machine_report(const struct timing_machine *machine)
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (!stream)
		bail_out("no memory");
	stats_write(machine->stats, "evergreen", STATS_INI, NULL,
			   stream, NULL);
	stats_write(machine->stats, "memory", STATS_INI, NULL, stream,
			   NULL);
	fclose(stream);
	return text;
}
