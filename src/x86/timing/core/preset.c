#include "x86/timing/core/preset.h"

#include <string.h>

#include "base/memory.h"
#include "x86/timing/figures/figures.h"

#define FIGURES_OBJECT struct x86_core_figures
#define FIGURES_SECTION "Core"
#define FIGURES_ROWS "x86/timing/core/figures.def"
#define FIGURES_PRESETS "x86/timing/core/presets.def"
#include "x86/timing/figures/table.def"

int x86_core_figures_read(struct x86_core_figures *figures, struct ini *ini,
			  struct error *error)
{
	return config_read(figures_table.variable, figures_table.count, ini,
			   NULL, figures, error);
}

const char *x86_core_names(void)
{
	static const char names[] =
#define NAME(name) ", " name
#define PRESET(name, base) ", " name
#define SET(...)
		X86_FIGURE_BASES(NAME)
#include "x86/timing/core/presets.def"
#undef NAME
#undef PRESET
#undef SET
		;

	return names + strlen(", ");
}

int x86_core_figures_find(const char *name, struct x86_core_figures *figures,
			  struct error *error)
{
	/* Only cores with pools say so. */
	*figures = (struct x86_core_figures){ 0 };
	if (x86_figures_find(&figures_table, name, figures)) {
		uint32_t used = figures->pools.used;

		figures->sharing = (struct x86_core_sharing){
			.fetch = X86_CORE_TURNS_TIME,
			.dispatch = X86_CORE_TURNS_TIME,
			.issue = used ? X86_CORE_TURNS_TIME
				      : X86_CORE_TURNS_SHARED,
			.commit = used ? X86_CORE_TURNS_SHARED
				       : X86_CORE_TURNS_TIME,
			.iq = !used, .rf = !used,
			.quantum = 1000,
		};
		figures->trace = (struct x86_trace_figures){
			.sets = 64, .ways = 4, .uops = 16, .branches = 3,
			.queue = 32,
		};
		figures->pools = (struct x86_pools){
			.used = used, .pool = {
#define POOL(id, name, count, latency, issue) { count, latency, issue },
#include "x86/timing/uops/pools.def"
#undef POOL
			},
		};
		return 0;
	}
	return error_set(error, "'%s': expected the name of a core, one of %s",
			 name, x86_core_names());
}

/* A queue that serves ports has entries. */
static int check_queues(const struct x86_core_figures *figures,
			struct error *error)
{
	const struct {
		uint32_t ports, size;
	} queues[] = {
		{ figures->queue_ports_0, figures->queue_size_0 },
		{ figures->queue_ports_1, figures->queue_size_1 },
		{ figures->queue_ports_2, figures->queue_size_2 },
		{ figures->queue_ports_3, figures->queue_size_3 },
		{ figures->queue_ports_4, figures->queue_size_4 },
		{ figures->queue_ports_5, figures->queue_size_5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		if (!queues[i].ports != !queues[i].size)
			return error_set(error, "[Core] queue_ports_%zu = %u, "
					 "queue_size_%zu = %u: expected both "
					 "or none", i, queues[i].ports, i,
					 queues[i].size);
	return 0;
}

/* With pools all uops of an instruction enter the queue at once. */
static int check_pools(const struct x86_core_figures *figures,
		       struct error *error)
{
	if (!figures->pools.used || figures->uop_queue >= X86_CLASSIC_UOPS)
		return 0;
	return error_set(error, "[Core] uop_queue (UopQueueSize) = %u: expected "
			 "at least %d with [FunctionalUnits]",
			 figures->uop_queue, X86_CLASSIC_UOPS);
}

/* What a slot needs fits into empty files and queues. */
static int check_limits(const struct x86_core_figures *figures,
			struct error *error)
{
	const struct {
		const char *name;
		uint32_t size, least;
	} limits[] = {
		{ "registers_general (RfIntSize)", figures->registers_general,
		  X86_PLAIN_GENERAL + X86_PLAIN_SPARE },
		{ "registers_x87 (RfFpSize)", figures->registers_x87,
		  X86_PLAIN_X87 + X86_PLAIN_SPARE },
		{ "registers_vector (RfXmmSize)", figures->registers_vector,
		  X86_PLAIN_VECTOR + X86_PLAIN_SPARE },
		{ "memory_queue (LsqSize)", figures->memory_queue, 4 },
		{ "fetch_queue_bytes (FetchQueueSize)",
		  figures->fetch_queue_bytes, figures->predecode_bytes },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (limits[i].size && limits[i].size < limits[i].least)
			return error_set(error, "[Core] %s = %u: expected at "
					 "least %u", limits[i].name,
					 limits[i].size, limits[i].least);
	return 0;
}

/* A trace fits into its queue, and decoded code is kept once. */
static int check_traces(const struct x86_core_figures *figures,
			struct error *error)
{
	const struct x86_trace_figures *trace = &figures->trace;

	if (!trace->present)
		return 0;
	if (figures->cache_sets)
		return error_set(error, "[TraceCache] Present: the core has a "
				 "uop cache ([Core] cache_sets = %u): expected "
				 "cache_sets = 0", figures->cache_sets);
	if (trace->queue >= trace->uops)
		return 0;
	return error_set(error, "[TraceCache] QueueSize = %u: expected at least "
			 "TraceSize (%u)", trace->queue, trace->uops);
}

int x86_core_figures_check(const struct x86_core_figures *figures,
			   struct error *error)
{
	for (size_t i = 0; i < figures_table.count; i++) {
		const struct config_variable *row = &figures_table.variable[i];
		uint32_t value = *(const uint32_t *)((const char *)figures +
						     row->offset);

		if (value < row->minimum || value > row->maximum)
			return error_set(error, "%s = %u: expected %.0f to "
					 "%.0f %s", row->name, value,
					 row->minimum, row->maximum, row->unit);
	}
	if (figures->instruction_queue < figures->predecode_width)
		return error_set(error, "[Core] instruction_queue = %u: "
				 "expected at least predecode_width (%u)",
				 figures->instruction_queue,
				 figures->predecode_width);
	if (figures->decoders == 1 && !figures->fusible_last)
		return error_set(error, "[Core] decoders = 1: expected "
				 "fusible_last = 1, since an instruction that "
				 "may be fused would wait for another decoder");
	return check_traces(figures, error) || check_queues(figures, error) || check_pools(figures, error) ||
	       check_limits(figures, error) ? -1 : 0;
}

void x86_core_figures_help(FILE *stream)
{
	x86_figures_help(&figures_table, stream);
}
