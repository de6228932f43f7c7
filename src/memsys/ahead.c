/* Modules that need fewer events: where what happens is known ahead of time, or
 * need not be known in time, and nobody looks in between. */
#include "memsys/ahead.h"
#include "sim/island.h"

static bool is_entry(const struct module *module)
{
	const struct memsys *memsys = module->memsys;

	for (size_t i = 0; i < memsys->entry_count; i++)
		if (memsys->entries[i].data == module ||
		    memsys->entries[i].instruction == module ||
		    memsys->entries[i].coherent == module)
			return true;
	return false;
}

/* Cores try what was refused again when their queue has an event or a window
 * ends; scripts look at what is under way. */
static bool is_polled(const struct memsys *memsys)
{
	for (size_t i = 0; i < memsys->entry_count; i++)
		if (memsys->entries[i].architecture == MEMSYS_X86)
			return true;
	return memsys->script;
}

static void find_reserves(struct module *module, struct outbox *outbox,
			  bool later)
{
	outbox->module = module;
	if (outbox->node)
		outbox->reserves =
			network_node_reserve(outbox->node, module->source,
					     outbox_return, outbox) && later;
}

/* A side reserves if all its messages leave later than they are decided on, so
 * that only their times say which is first. Stores that an entry has combined
 * leave at once, and answers if they take no time. */
static void start(struct module *module, bool polled)
{
	const struct module_config *config = &module->config;
	bool entry = is_entry(module);
	bool later = !polled && config->directory_latency &&
		     module->up.node != module->down.node;

	find_reserves(module, &module->up, later && config->latency);
	find_reserves(module, &module->down,
		      later && (!entry || module_keeps_stores(module)));
	if (module->dram)
		dram_look_late(module->dram, !polled && !entry);
}

void memsys_start_ahead(struct memsys *memsys)
{
	bool polled = is_polled(memsys);

	for (size_t i = 0; i < memsys->module_count; i++)
		start(memsys->modules[i], polled);
}

void memsys_settle(const struct memsys *memsys)
{
	picoseconds now = memsys->islands ? islands_now(memsys->islands) : 0;

	for (size_t i = 0; i < memsys->module_count; i++)
		if (memsys->modules[i]->dram)
			dram_gather(memsys->modules[i]->dram, now);
	for (size_t i = 0; i < memsys->internal.count; i++)
		network_settle(memsys->internal.networks[i], now);
	for (size_t i = 0; i < memsys->external.count; i++)
		network_settle(memsys->external.networks[i], now);
}
