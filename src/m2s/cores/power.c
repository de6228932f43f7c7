/* --x86-mcpat: what the cores did, for McPAT. */
#include "m2s/cores/internal.h"
#include "m2s/mcpat/mcpat.h"

int x86_machine_measure_power(struct x86_machine *machine, struct error *error)
{
	if (!machine->memsys || memsys_is_given(machine->memsys) ||
	    machine->config->caches.classic)
		return error_set(error, "--x86-mcpat: needs the caches of the "
				 "chip of --x86-preset, without --mem-config, "
				 "Memory = FirstLevel and the classic hierarchy "
				 "of multi2sim-4.2");
	x86_machine_profile(machine);
	return 0;
}

static double figure(const struct stats *stats, const char *module,
		     const char *name)
{
	double value = 0;

	stats_lookup(stats, "memory", module, name, &value);
	return value;
}

/* The cache of each core, or one of all (`cores` is 0). */
static struct mcpat_cache cache_of(const struct stats *stats, const char *name,
				   unsigned cores)
{
	struct mcpat_cache sum = { 0 };
	unsigned count = cores ? cores : 1;
	struct stats_name module;

	for (unsigned i = 0; i < count; i++) {
		stats_name(&module, cores ? "%s-%u" : "%s", name, i);
		sum.reads += figure(stats, module.text, "Reads") / count;
		sum.read_misses +=
			figure(stats, module.text, "ReadMisses") / count;
		sum.writes += figure(stats, module.text, "Writes") / count;
		sum.write_misses +=
			figure(stats, module.text, "WriteMisses") / count;
	}
	return sum;
}

static void add_row(void *owner, const struct x86_profile_row *row, bool wide)
{
	struct mcpat_values *values = owner;

	mcpat_mix_add(&values->mix, wide, row->code, row->size,
		      (double)row->executions / values->cores);
}

/* Cycles without a thread: those of the one that was idle least, since the core is
 * idle when all of its threads are. */
static double idle_cycles(const struct machine_core *first)
{
	const struct x86_machine *machine = first->machine;
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < machine->threads; i++) {
		uint64_t idle =
			x86_core_counts(first[i].core)->part[X86_CORE_IDLE];

		if (idle < least)
			least = idle;
	}
	return (double)least / machine->figures.retire_width;
}

/* A core's cycles are those of each of its threads; all else is their sum. */
static void add_thread(struct mcpat_values *values,
		       const struct machine_core *core)
{
	const struct x86_core_counts *of = x86_core_counts(core->core);
	const struct x86_caches_counts *caches =
		x86_caches_counts(core->caches);
	double share = 1.0 / values->cores;

	if (core->id % values->threads == 0) {
		values->cycles += share * (double)core->total.cycles;
		values->idle_cycles += share * idle_cycles(core);
	}
	values->instructions += share * (double)core->total.instructions;
	values->fetched += share * (double)(core->total.instructions +
					    of->squashed);
	values->mispredicted += share * (double)core->total.wrong;
	values->starts += share * (double)core->n.starts;
	values->slots += share * (double)of->stall[X86_CORE_STALL_USED];
	values->slots_fetched +=
		share * (double)(of->stall[X86_CORE_STALL_USED] +
				 of->stall[X86_CORE_STALL_WRONG]);
	values->uops += share * (double)of->uops;
	values->translations_missed +=
		share * (double)(caches->second_tlb + caches->walks);
}

/* Ports that a scheduler has: the highest one of the figures, and those below. */
static unsigned ports_of(const struct x86_core_figures *figures)
{
	uint32_t ports = figures->simple_ports | figures->load_ports |
			 figures->queue_ports_0 | figures->queue_ports_1 |
			 figures->queue_ports_2 | figures->queue_ports_3 |
			 figures->queue_ports_4 | figures->queue_ports_5;

	return ports ? 32 - (unsigned)__builtin_clz(ports) : 1;
}

int x86_machine_write_power(struct x86_machine *machine,
			    const struct stats *stats, struct output *output,
			    struct error *error)
{
	const unsigned cores = machine->count / machine->threads;
	struct mcpat_values values = {
		.preset = machine->name,
		.cores = cores,
		.threads = machine->threads,
		.frequency = machine->frequency,
		.node = mcpat_node(machine->name),
		.core = &machine->figures,
		.caches = &machine->config->caches,
		.predict = &machine->config->predict,
		.ports = ports_of(&machine->figures),
		.code = cache_of(stats, "l1i", cores),
		.data = cache_of(stats, "l1d", cores),
		.second = cache_of(stats, "l2", cores),
		.third = cache_of(stats, "l3", 0),
		.memory = cache_of(stats, "memory", 0),
	};
	struct direction direction;

	direction_choose(&direction, values.predict);
	values.direction_bits = (double)direction_storage_bits(&direction);
	for (unsigned i = 0; i < machine->count; i++)
		add_thread(&values, &machine->core[i]);
	if (!values.instructions) {
		error_set(error, "--x86-mcpat: no instruction was simulated");
		return output_close(output, -1, error);
	}
	machine_profile_visit(machine->profile, add_row, &values);
	mcpat_write(&values, output->stream);
	return output_close(output, 0, error);
}
