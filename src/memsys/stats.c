/* The "memory" report: one section per module. */
#include "memsys/ahead.h"
#include "memsys/module.h"

#include <string.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"

static double utilization(void *owner)
{
	const struct module *module = owner;
	picoseconds now = event_queue_now(module->events);

	return now ? (double)module->count.busy / (double)now : 0;
}

static void register_devices(struct stats_section *section,
			     const struct dram_count *count)
{
#define STATS_REGISTRATION
#include "memsys/dram/dram.stat.def"
}

void module_register_stats(struct module *module, struct stats *stats)
{
	const struct module_config *config = &module->config;
	struct stats_section *section =
		stats_section(stats, "memory", module->name);
	const struct module_count *count = &module->count;
	struct module *owner = module;
	bool memory = module->kind == MODULE_MAIN_MEMORY;

#define STATS_REGISTRATION
#include "memsys/module.stat.def"
	if (module->dram)
		register_devices(section, dram_count(module->dram));
#define STATS_REGISTRATION
#include "memsys/channel.stat.def"
}

void memsys_register_stats(struct memsys *memsys, struct stats *stats)
{
	for (size_t i = 0; i < memsys->module_count; i++)
		module_register_stats(memsys->modules[i], stats);
	for (size_t i = 0; i < memsys->tlb_count; i++)
		tlb_register_stats(memsys->tlbs[i], stats);
	for (size_t i = 0; i < memsys->internal.count; i++) {
		/* As in the classic memory report. */
		network_register_stats(memsys->internal.networks[i], stats,
				       "memory");
		network_register_stats(memsys->internal.networks[i], stats,
				       "network");
	}
	for (size_t i = 0; i < memsys->external.count; i++)
		network_register_stats(memsys->external.networks[i], stats,
				       "network");
}

static bool is_entry(const struct memsys *memsys, const struct module *module)
{
	for (size_t i = 0; i < memsys->entry_count; i++)
		if (memsys->entries[i].data == module ||
		    memsys->entries[i].instruction == module)
			return true;
	return false;
}

/* A cache of page-table entries only is of no level. */
static bool is_walk_cache(const struct memsys *memsys,
			  const struct module *module)
{
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (memsys->tlbs[i]->walk_module == module)
			return !is_entry(memsys, module) &&
			       !module->high_network;
	return false;
}

static bool reaches(const struct module *from, const struct module *module)
{
	if (from == module)
		return true;
	for (size_t i = 0; i < from->low_count; i++)
		if (reaches(from->low[i], module))
			return true;
	return false;
}

/* Whether compute units enter there, or (level 2) below. Without compute units,
 * the same of cores. */
static bool is_of_level(const struct memsys *memsys,
			const struct module *module, unsigned level)
{
	bool units = false;

	if (is_entry(memsys, module) != (level == 1))
		return false;
	for (size_t i = 0; i < memsys->entry_count; i++)
		units |= memsys->entries[i].architecture == MEMSYS_EVERGREEN;
	for (size_t i = 0; i < memsys->entry_count; i++) {
		const struct memsys_entry *entry = &memsys->entries[i];

		if (units != (entry->architecture == MEMSYS_EVERGREEN))
			continue;
		if (level > 1 ? reaches(entry->data, module)
			      : entry->data == module ||
					entry->instruction == module)
			return true;
	}
	return false;
}

void memsys_cache_reads(const struct memsys *memsys, unsigned level,
			uint64_t *hits, uint64_t *accesses)
{
	*hits = *accesses = 0;
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];
		const struct class_count *n = &module->count.class[CLASS_READ];

		if (module->kind != MODULE_CACHE ||
		    !is_of_level(memsys, module, level) ||
		    is_walk_cache(memsys, module))
			continue;
		*hits += n->hits;
		*accesses += n->accesses;
	}
}

void memsys_traffic(const struct memsys *memsys,
		    struct memsys_traffic *traffic)
{
	memset(traffic, 0, sizeof *traffic);
	memsys_settle(memsys);
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];
		const struct dram_count *count;

		if (module->kind != MODULE_MAIN_MEMORY)
			continue;
		traffic->channels++;
		traffic->read_bytes += module->count.read_bytes;
		traffic->written_bytes += module->count.written_bytes;
		traffic->busy += module->count.busy;
		if (!module->dram) {
			traffic->moved_bytes += module->count.read_bytes +
						module->count.written_bytes;
			continue;
		}
		count = dram_count(module->dram);
		traffic->moved_bytes += count->bursts * module->config.burst;
		traffic->row_hits += count->row_hits;
		traffic->row_requests += count->row_hits + count->row_misses +
					 count->row_conflicts;
	}
	for (size_t i = 0; i < memsys->internal.count; i++)
		traffic->network_bytes +=
			network_moved(memsys->internal.networks[i]);
	for (size_t i = 0; i < memsys->external.count; i++)
		traffic->network_bytes +=
			network_moved(memsys->external.networks[i]);
}
