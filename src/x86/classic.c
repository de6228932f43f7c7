/* Multi2Sim's variables of a detailed core. Only those that are given are read:
 * most are second names of figures in [ Core ]. */
#include "x86/classic.h"

#include <stdbool.h>
#include <string.h>

#include "base/config.h"
#include "base/memory.h"

struct classic {
	struct x86_core_figures core;
	uint32_t hint_history;
	int recover;
	bool hints, occupancy, trace_cache;
};

static const struct config_variable table[] = {
#define CLASSIC(section, name, type, field, least, most, unit, doc) \
	{ section, name, CONFIG_##type, offsetof(struct classic, field), "", \
	  least, most, unit, doc },
#include "x86/classic.def"
#undef CLASSIC
};

static bool is_figure(const struct config_variable *row)
{
	return row->offset < sizeof(struct x86_core_figures);
}

static uint32_t figure(const void *object, const struct config_variable *row)
{
	return *(const uint32_t *)((const char *)object + row->offset);
}

/* Variables that Multi2Sim's documentation has, and its program refuses. */
static int refuse_documented(struct ini *ini, struct error *error)
{
	static const struct {
		const char *name, *instead;
	} gone[] = {
		{ "PageSize", "pages have 4 KB" },
		{ "DataCachePerfect", "Memory = FirstLevel makes every access "
				      "hit" },
		{ "InstructionCachePerfect", "Memory = FirstLevel makes every "
					     "access hit" },
	};
	struct ini_section *general = ini_section_find(ini, "General");

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++) {
		struct ini_value *value = ini_find(general, gone[i].name);

		if (value)
			return ini_error(value, error, "not in m2s: %s",
					 gone[i].instead);
	}
	return 0;
}

/* Reads one variable if it is given. */
static int read_row(const struct config_variable *row, struct classic *classic,
		    const struct x86_core_figures *preset, struct ini *ini,
		    struct error *error)
{
	struct ini_value *value = ini_find(
		ini_section_find(ini, row->section), row->name);
	uint32_t before;

	if (!value)
		return 0;
	before = is_figure(row) ? figure(classic, row) : 0;
	if (config_read(row, 1, ini, NULL, classic, error))
		return -1;
	if (!is_figure(row))
		return 0;
	if (before != figure(preset, row) && before != figure(classic, row))
		return ini_error(value, error, "[Core] has %u for the same "
				 "figure: expected one of the two", before);
	return 0;
}

/* Figures that say which ports there are, and have no meaning with pools. */
static int refuse_ports(const struct x86_core_figures *core,
			const struct x86_core_figures *preset,
			struct error *error)
{
#define PORTS(name) { #name, core->name, preset->name }
	const struct {
		const char *name;
		uint32_t value, preset;
	} ports[] = {
		PORTS(simple_ports), PORTS(merge_ports), PORTS(load_ports),
		PORTS(port_choice),
		PORTS(queue_ports_0), PORTS(queue_ports_1),
		PORTS(queue_ports_2), PORTS(queue_ports_3),
		PORTS(queue_ports_4), PORTS(queue_ports_5),
		PORTS(queue_size_0), PORTS(queue_size_1), PORTS(queue_size_2),
		PORTS(queue_size_3), PORTS(queue_size_4), PORTS(queue_size_5),
	};

	for (size_t i = 0; i < ARRAY_SIZE(ports); i++)
		if (ports[i].value != ports[i].preset)
			return error_set(error, "[Core] %s = %u and "
					 "[FunctionalUnits]: a core has ports "
					 "or pools of units, not both",
					 ports[i].name, ports[i].value);
	return 0;
}

/* Pools take the place of the ports. */
static void replace_ports(struct x86_core_figures *core)
{
	uint32_t *queue = &core->queue_ports_0;

	core->pools.used = 1;
	core->simple_ports = core->merge_ports = 1u << X86_POOL_INT_ADD;
	for (unsigned i = 0; i < 12; i++)
		queue[i] = 0;
	/* Nothing is fused, so the last decoder waits for nothing. */
	core->fusible_last = 1;
}

int x86_classic_read(struct x86_core_figures *core,
		     struct x86_memory_figures *caches,
		     const struct x86_core_figures *preset, struct ini *ini,
		     struct error *error)
{
	struct classic classic = {
		.core = *core, .recover = (int)core->recover_at_commit,
		.hints = caches->hints, .hint_history = caches->hint_history,
	};

	if (refuse_documented(ini, error))
		return -1;
	if (ini_section_find(ini, "FunctionalUnits"))
		classic.core.pools.used = 1;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (read_row(&table[i], &classic, preset, ini, error))
			return -1;
	if (classic.hints != (caches->hints != 0))
		caches->hints = classic.hints;
	caches->hint_history = classic.hint_history;
	*core = classic.core;
	core->recover_at_commit = (uint32_t)classic.recover;
	core->trace.present = classic.trace_cache;
	core->occupancy = classic.occupancy;
	if (!core->pools.used)
		return 0;
	if (refuse_ports(core, preset, error))
		return -1;
	replace_ports(core);
	return 0;
}

void x86_classic_help(FILE *stream)
{
	config_help(table, ARRAY_SIZE(table), stream);
}
