/* A module: what it is made of, before a run and after. */
#include "memsys/coherence.h"

#include <stdlib.h>

#include "base/memory.h"

struct module *module_create(struct memsys *memsys, const char *name)
{
	struct module *module = xcalloc_aligned(sizeof *module);

	module->memsys = memsys;
	module->pool = memsys_pool(memsys, memsys->events);
	module->events = memsys->events;
	module->log = memsys->log;
	module->name = xstrdup(name);
	module->index = (unsigned)memsys->module_count;
	module->source = event_source_create(memsys->events);
	module->placing_end = &module->placing;
	ARRAY_GROW(memsys->modules, memsys->module_count,
		   memsys->module_capacity);
	memsys->modules[memsys->module_count++] = module;
	return module;
}

void module_free(struct module *module)
{
	free(module->shadow);
	cache_free(module->cache);
	directory_free(module->directory);
	dram_free(module->dram);
	prefetch_free(module);
	free(module->table);
	free(module->combines);
	free(module->low);
	free(module->upper);
	free(module->upper_number);
	free(module->name);
	free(module);
}

/* A power of two that is at least twice `count`. */
static uint32_t table_size(uint32_t count)
{
	uint32_t size = 16;

	while (size < 2 * count)
		size *= 2;
	return size;
}

/* Tags of a victim cache for what is only above: as many as can be there of one
 * set. */
static uint32_t ways_away(const struct module *module)
{
	uint32_t ways = 0;

	for (uint32_t i = 0; i < module->upper_count; i++) {
		const struct module_config *upper = &module->upper[i]->config;
		uint32_t sets = module->config.sets;

		if (module_excludes(module, module->upper[i]))
			ways += upper->assoc *
				(upper->sets > sets ? upper->sets / sets : 1);
	}
	return ways;
}

/* The tags of a cache, or the directory of a main memory. */
static void start_tags(struct module *module)
{
	const struct module_config *config = &module->config;
	bool memory = module->kind == MODULE_MAIN_MEMORY;
	struct cache_geometry geometry = {
		.sets = memory ? config->directory_size : config->sets,
		.ways = memory ? config->directory_assoc : config->assoc,
		.block_size = config->block_size,
		.policy = memory ? CACHE_POLICY_LRU
				 : (enum cache_policy_id)config->policy,
		.interleave = { 1, 1 },
		.seed = module->index + 1,
	};
	uint32_t smallest = module->block_size;

	geometry.ways += ways_away(module);
	if (module->range.kind == RANGE_INTERLEAVED) {
		geometry.interleave.divide = module->range.divide;
		geometry.interleave.modulo = module->range.modulo;
	}
	/* Of a single module above, a main memory need not know what it has. */
	if (!memory || (module->upper_count && module->shared))
		module->cache = cache_create(&geometry);
	if (!module->cache || !module->upper_count)
		return;
	for (uint32_t i = 0; i < module->upper_count; i++)
		if (module->upper[i]->block_size < smallest)
			smallest = module->upper[i]->block_size;
	module->directory =
		directory_create(geometry.sets * geometry.ways,
				 module->block_size / smallest, smallest,
				 module->upper_count);
}

void module_start(struct module *module)
{
	const struct module_config *config = &module->config;

	start_tags(module);
	prefetch_start(module);
	if (config->bandwidth > 0)
		module->transfer = (double)module->period / config->bandwidth;
	module->table_mask = table_size(config->mshr) - 1;
	module->table = xcalloc(module->table_mask + 1,
				sizeof *module->table);
	module->combine_mask = table_size(config->write_buffer) - 1;
	module->combines = xcalloc(module->combine_mask + 1,
				   sizeof *module->combines);
	while (module->block_size >> module->combine_shift > 64)
		module->combine_shift++;
	module_attach_networks(module);
}
