/* The x86 report's sections of detailed simulation, and what is told at the end
 * of a run. */
#include "m2s/cores/internal.h"
#include "m2s/sampling/parts.h"
#include "m2s/sampling/phases.h"
#include "x86/timing/core/occupancy.h"

static const struct {
	const char *name, *doc;
} parts[] = {
#define PART(id, name, doc) { name, doc },
#include "x86/timing/core/parts.def"
#undef PART
};

static const struct {
	const char *name, *doc;
} stalls[] = {
#define STALL(id, name, doc) { name, doc },
#include "x86/timing/core/stalls.def"
#undef STALL
};

static double per(double value, double under)
{
	return under > 0 ? value / under : 0;
}

/* ---- One core ---- */

static double ipc(void *owner)
{
	const struct machine_core *core = owner;

	return per((double)core->total.instructions,
		   (double)core->total.cycles);
}

static uint64_t branch_count(const struct machine_core *core, bool wrong)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < BRANCH_KINDS; i++)
		sum += wrong ? core->fetch.unit.counts[i].wrong
			     : core->fetch.unit.counts[i].branches;
	return sum;
}

static double accuracy_of(const struct machine_total *total)
{
	return total->branches ? 1 - per((double)total->wrong,
					 (double)total->branches)
			       : 1;
}

static double accuracy(void *owner)
{
	return accuracy_of(&((const struct machine_core *)owner)->total);
}

static double part_cycles(void *owner)
{
	const struct machine_part *part = owner;
	const struct x86_core_counts *counts =
		x86_core_counts(part->core->core);

	return (double)counts->part[part->part] /
	       part->core->machine->figures.retire_width;
}

static void register_check(const struct x86_check_counts *count,
			   struct stats_section *section)
{
#define STATS_REGISTRATION
#include "x86/timing/check/check.stat.def"
}

static void register_caches(const struct x86_caches_counts *count,
			    struct stats_section *section)
{
#define STATS_REGISTRATION
#include "x86/timing/memory/caches.stat.def"
}

static void register_frames(const struct x86_frames_counts *count,
			    struct stats_section *section)
{
#define STATS_REGISTRATION
#include "x86/timing/memory/frames.stat.def"
}

static void register_fetch(const struct fetch_counts *count,
			   struct stats_section *section)
{
#define STATS_REGISTRATION
#include "m2s/cores/fetch.stat.def"
}

static void register_pipeline(const struct x86_core_counts *count,
			      struct stats_section *section)
{
#define STATS_REGISTRATION
#include "x86/timing/core/core.stat.def"
}

static void register_traces(const struct x86_core_counts *count,
			    struct stats_section *section)
{
#define STATS_REGISTRATION
#include "x86/timing/core/front/trace.stat.def"
}

static void register_pools(const struct x86_core_counts *count,
			   struct stats_section *section)
{
	static const char *const names[] = {
#define POOL(id, name, count, latency, issue) name,
#include "x86/timing/uops/pools.def"
#undef POOL
	};
	struct stats_name name;

	for (unsigned i = 0; i < X86_POOLS; i++) {
		stats_counter(section,
			      stats_name(&name, "fu.%s.Accesses", names[i]),
			      &count->pool[i].accesses, "uops",
			      "uops that started in a unit of the pool");
		stats_counter(section,
			      stats_name(&name, "fu.%s.Denied", names[i]),
			      &count->pool[i].denied, "uops",
			      "those that were ready before and had to wait");
		stats_counter(section,
			      stats_name(&name, "fu.%s.WaitingTime", names[i]),
			      &count->pool[i].waiting, "cycles",
			      "cycles for which they waited, all together");
	}
}

static void register_occupancy(const struct x86_core *core,
			       struct stats_section *section)
{
	static const struct {
		const char *name, *doc;
	} queues[] = {
#define QUEUE(id, name, used, size, doc) { name, doc },
#include "x86/timing/core/queues.def"
#undef QUEUE
	};
	const struct x86_occupancy *of = x86_core_occupancy(core);
	struct stats_name name;

	for (unsigned i = 0; of && i < X86_CORE_QUEUES; i++) {
		const struct x86_queue_counts *count = &of->queue[i];
		uint32_t size = x86_core_queue_size(core,
						    (enum x86_core_queue)i);

		if (!size)
			continue;
		stats_u64(section, stats_name(&name, "%s.Size", queues[i].name),
			  size, "entries", queues[i].doc);
		stats_ratio(section,
			    stats_name(&name, "%s.Occupancy", queues[i].name),
			    &count->sum, &of->cycles, "entries",
			    "entries in use at the end of a cycle, on average");
		stats_counter(section,
			      stats_name(&name, "%s.Full", queues[i].name),
			      &count->full, "cycles",
			      "cycles in which no entry was free");
		stats_vector(section,
			     stats_name(&name, "%s.Histogram", queues[i].name),
			     count->filled, X86_CORE_FILLED, "cycles",
			     "cycles in which it was empty, and filled up to "
			     "1, 2, ... 8 eighths");
	}
}

static void register_core(struct machine_core *core, struct stats *stats)
{
	struct stats_name name;
	unsigned threads = core->machine->threads;
	struct stats_section *section = stats_section(
		stats, "x86",
		threads == 1 ? stats_name(&name, "Core %u", core->id)
			     : stats_name(&name, "Core %u Thread %u",
					  core->id / threads,
					  core->id % threads));
	const struct x86_core_counts *of = x86_core_counts(core->core);
	const struct machine_core_counts *count = &core->n;

	stats_counter(section, "Cycles", &core->total.cycles, "cycles",
		      "cycles of the core, idle ones too");
	register_fetch(&core->fetch.counts, section);
	stats_derived(section, "IPC", ipc, core, "instructions/cycle",
		      "Instructions over Cycles");
	stats_counter(section, "Commit.Branches", &core->total.branches,
		      "branches", "branches that have retired");
	stats_counter(section, "Commit.Mispred", &core->total.wrong,
		      "branches", "mispredicted branches that have retired");
	stats_derived(section, "Commit.PredAcc", accuracy, core, "",
		      "share of the branches that were predicted right");
	register_pipeline(of, section);
	if (core->machine->figures.trace.present)
		register_traces(of, section);
	if (core->machine->figures.pools.used)
		register_pools(of, section);
	register_occupancy(core->core, section);
	if (core->fetch.check)
		register_check(x86_check_counts(core->fetch.check), section);
#define STATS_REGISTRATION
#include "m2s/cores/core.stat.def"
	if (core->caches)
		register_caches(x86_caches_counts(core->caches), section);
	for (unsigned i = 0; i < X86_CORE_STALLS; i++) {
		if (i == X86_CORE_STALL_SIBLING && threads == 1)
			continue;
		stats_counter(section,
			      stats_name(&name, "Dispatch.Stall.%s",
					 stalls[i].name),
			      &of->stall[i], "slots", stalls[i].doc);
	}
	for (unsigned i = 0; i < X86_CORE_PARTS; i++) {
		if (i == X86_CORE_SIBLING && threads == 1)
			continue;
		core->parts[i] = (struct machine_part){ core, i };
		stats_derived(section,
			      stats_name(&name, "Cycles.%s", parts[i].name),
			      part_cycles, &core->parts[i], "cycles",
			      parts[i].doc);
		stats_counter(section,
			      stats_name(&name, "Commit.Slots.%s",
					 parts[i].name),
			      &of->part[i], "slots",
			      "slots of retirement that the part of the same name took");
	}
}

/* What the threads of a core have done together. */
static double core_ipc(void *owner)
{
	const struct machine_core *core = owner;

	return per((double)core->all.instructions, (double)core->all.cycles);
}

static void register_threads(struct machine_core *core, struct stats *stats)
{
	struct stats_name name;
	struct stats_section *section = stats_section(
		stats, "x86",
		stats_name(&name, "Core %u",
			   core->id / core->machine->threads));

	stats_counter(section, "Cycles", &core->all.cycles, "cycles",
		      "cycles of the core, idle ones too");
	stats_counter(section, "Instructions", &core->all.instructions,
		      "instructions",
		      "instructions of all its threads that have retired");
	stats_derived(section, "IPC", core_ipc, core, "instructions/cycle",
		      "Instructions over Cycles");
	stats_counter(section, "Commit.Branches", &core->all.branches,
		      "branches", "branches of all threads that have retired");
	stats_counter(section, "Commit.Mispred", &core->all.wrong, "branches",
		      "mispredicted branches of all threads that have retired");
}

/* ---- The machine ---- */

static double machine_time(void *owner)
{
	const struct x86_machine *machine = owner;

	return (double)clock_cycle_start(machine->total.cycles,
					 machine->frequency) /
	       1000;
}

/* Adds a thread to its core's sum. */
static void add(struct machine_total *all, const struct machine_total *one,
		unsigned thread)
{
	if (!thread)
		*all = (struct machine_total){ .cycles = one->cycles };
	all->instructions += one->instructions;
	all->branches += one->branches;
	all->wrong += one->wrong;
}

void x86_machine_count(struct x86_machine *machine)
{
	machine->total = (struct machine_total){
		.cycles = machine->now - machine->forwarded,
	};
	for (unsigned i = 0; i < machine->count; i++) {
		struct machine_core *core = &machine->core[i];

		core->total = (struct machine_total){
			.cycles = x86_core_cycle(core->core) -
				  machine->forwarded,
			.instructions = core->fetch.counts.instructions,
			.branches = branch_count(core, false),
			.wrong = branch_count(core, true),
		};
		add(&machine->core[i - i % machine->threads].all, &core->total,
		    i % machine->threads);
		machine->total.instructions += core->total.instructions;
		machine->total.branches += core->total.branches;
		machine->total.wrong += core->total.wrong;
	}
}

static double all_ipc(void *owner)
{
	const struct x86_machine *machine = owner;

	return per((double)machine->total.instructions,
		   (double)machine->total.cycles);
}

static double all_accuracy(void *owner)
{
	return accuracy_of(&((struct x86_machine *)owner)->total);
}

static const char *memory_of(const struct x86_machine *machine)
{
	if (machine->memsys && memsys_is_given(machine->memsys))
		return "caches and memory of --mem-config, TLBs of the chip";
	return machine->memsys ? "caches, TLBs and memory of the chip"
			       : "every access hits the first-level cache";
}

void x86_machine_register(struct x86_machine *machine, struct stats *stats)
{
	struct stats_section *section = stats_section(stats, "x86", "Global");

	stats_text(section, "Core", machine->name, "the cores' structure");
	stats_text(section, "Memory", memory_of(machine),
		   "how memory is simulated");
	stats_u64(section, "Cores", machine->count / machine->threads, "cores",
		  "simulated cores");
	if (machine->threads > 1)
		stats_u64(section, "Threads", machine->threads, "threads",
			  "threads of a core");
	stats_u64(section, "Frequency", machine->frequency, "MHz",
		  "clock of the cores");
	stats_counter(section, "Cycles", &machine->total.cycles, "cycles",
		      "cycles from the start to the end");
	stats_derived(section, "SimTime", machine_time, machine, "ns",
		      "time from the start to the end");
	stats_counter(section, "Commit.Instructions",
		      &machine->total.instructions, "instructions",
		      "instructions that have retired; Instructions lacks "
		      "those of a thread that another one ended");
	stats_derived(section, "Commit.IPC", all_ipc, machine,
		      "instructions/cycle",
		      "Commit.Instructions over Cycles, all cores together");
	stats_counter(section, "Commit.Branches", &machine->total.branches,
		      "branches", "branches that have retired");
	stats_counter(section, "Commit.Mispred", &machine->total.wrong,
		      "branches", "mispredicted branches that have retired");
	stats_derived(section, "Commit.PredAcc", all_accuracy, machine, "",
		      "share of the branches that were predicted right");
	if (machine->frames)
		register_frames(x86_frames_counts(machine->frames), section);
	if (machine->plan.period)
		sampling_register(&machine->estimate, stats);
	if (machine->plan.part)
		sampling_part_register(machine->plan.part, stats);
	if (machine->plan.phases)
		sampling_phases_register(machine->plan.phases, stats);
	if (machine->memsys)
		memsys_register_stats(machine->memsys, stats);
	for (unsigned i = 0; i < machine->count; i++) {
		if (machine->threads > 1 && i % machine->threads == 0)
			register_threads(&machine->core[i], stats);
		register_core(&machine->core[i], stats);
	}
}

void x86_machine_summarize(const struct x86_machine *machine,
			   struct x86_summary *summary)
{
	*summary = (struct x86_summary){
		.core = machine->name,
		.memory = memory_of(machine),
		.cores = machine->count / machine->threads,
		.frequency = machine->frequency,
		.cycles = machine->total.cycles,
		.instructions = machine->total.instructions,
		.branches = machine->total.branches,
		.wrong = machine->total.wrong,
		.part_count = X86_CORE_PARTS,
		.diagnosis = x86_machine_diagnose(machine),
	};
	for (unsigned i = 0; i < machine->count; i++) {
		const struct machine_core *core = &machine->core[i];

		for (unsigned k = 0; k < X86_CORE_PARTS; k++)
			summary->part[k].share +=
				(double)x86_core_counts(core->core)->part[k];
	}
	for (unsigned k = 0; k < X86_CORE_PARTS; k++) {
		summary->part[k].name = parts[k].name;
		summary->part[k].share =
			per(summary->part[k].share,
			    (double)machine->total.cycles * machine->count *
				    machine->figures.retire_width);
	}
}
