/* The life of a memory system. */
#include "memsys/module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"
#include "network/script.h"

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
	} else if (options->text) {
		ini = ini_parse(options->text_name, options->text,
				strlen(options->text), error);
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
