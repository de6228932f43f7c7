/* The memory system: life, entries, and what its modules are made of. */
#include "memsys/module.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"
#include "network/script.h"

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

static int read_files(struct memsys *memsys,
		      const struct memsys_options *options,
		      struct error *error)
{
	struct ini *ini;
	char *text = NULL;
	size_t size = 0;
	int status;

	if (options->net_config) {
		ini = ini_read(options->net_config, error);
		if (!ini)
			return -1;
		status = networks_read(&memsys->external, memsys->events,
				       memsys->log, ini, error);
		ini_free(ini);
		if (status)
			return -1;
		for (size_t i = 0; i < memsys->external.count; i++)
			if (network_has_script(memsys->external.networks[i]))
				return error_set(error, "%s: network '%s' has "
						 "commands, which only "
						 "--net-sim runs",
						 options->net_config,
						 network_name(
							 memsys->external
								 .networks[i]));
	}
	if (options->mem_config) {
		ini = ini_read(options->mem_config, error);
	} else {
		FILE *stream = open_memstream(&text, &size);

		memsys_default(stream, options);
		fclose(stream);
		ini = ini_parse("built-in memory configuration", text, size,
				error);
	}
	status = ini ? memsys_read(memsys, ini, options, error) : -1;
	ini_free(ini);
	free(text);
	return status;
}

struct memsys *memsys_create(struct event_queue *events,
			     const struct memsys_options *options,
			     struct error *error)
{
	struct memsys *memsys = xcalloc(1, sizeof *memsys);

	memsys->events = events;
	memsys->dispatcher_source = event_source_create(events);
	memsys->log = options->log;
	if (read_files(memsys, options, error)) {
		memsys_free(memsys);
		return NULL;
	}
	if (options->islands)
		memsys_split(memsys, options->islands, options->window);
	return memsys;
}

uint32_t memsys_dispatcher_source(const struct memsys *memsys)
{
	return memsys->dispatcher_source;
}

uint32_t memsys_unit_source(const struct memsys *memsys, unsigned unit)
{
	assert(unit < memsys->units);
	return memsys->first_unit_source + unit;
}

void memsys_free(struct memsys *memsys)
{
	if (!memsys)
		return;
	for (size_t i = 0; i < memsys->module_count; i++)
		module_free(memsys->modules[i]);
	for (size_t i = 0; i < memsys->tlb_count; i++)
		tlb_free(memsys->tlbs[i]);
	free(memsys->tlbs);
	networks_free(&memsys->internal);
	networks_free(&memsys->external);
	for (size_t i = 0; i < memsys->pool_count; i++) {
		struct memsys_pool *pool = memsys->pools[i];

		for (size_t j = 0; j < pool->chunk_count; j++)
			free(pool->chunks[j]);
		free(pool->chunks);
		free(pool);
	}
	memsys_script_free(memsys->script);
	free(memsys->pools);
	free(memsys->modules);
	free(memsys->entries);
	free(memsys);
}

static const struct memsys_entry *
find_entry(const struct memsys *memsys, enum memsys_architecture architecture,
	   unsigned core, unsigned thread)
{
	for (size_t i = 0; i < memsys->entry_count; i++) {
		const struct memsys_entry *entry = &memsys->entries[i];

		if (entry->architecture == architecture &&
		    entry->core == core && entry->thread == thread)
			return entry;
	}
	return NULL;
}

struct module *memsys_entry(struct memsys *memsys,
			    enum memsys_architecture architecture,
			    unsigned core, unsigned thread)
{
	const struct memsys_entry *entry =
		find_entry(memsys, architecture, core, thread);

	return entry ? entry->data : NULL;
}

struct module *memsys_instruction_entry(struct memsys *memsys,
					enum memsys_architecture architecture,
					unsigned core, unsigned thread)
{
	const struct memsys_entry *entry =
		find_entry(memsys, architecture, core, thread);

	return entry ? entry->instruction : NULL;
}

uint64_t memsys_pending(const struct memsys *memsys)
{
	uint64_t pending = 0;

	for (size_t i = 0; i < memsys->pool_count; i++)
		pending += memsys->pools[i]->pending;
	return pending;
}
