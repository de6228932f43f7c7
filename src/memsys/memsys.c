/* The life of a memory system. */
#include "memsys/ahead.h"
#include "memsys/module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/config-file.h"
#include "base/memory.h"
#include "memsys/tlb/tlb.h"
#include "network/script.h"

/* Commands are for --net-sim. */
static int check_networks(const struct memsys *memsys, const struct ini *ini,
			  struct error *error)
{
	const struct network_set *set = &memsys->external;

	for (size_t i = 0; i < set->count; i++)
		if (network_has_script(set->networks[i]))
			return error_set(error, "%s: network '%s' has "
					 "commands, which only --net-sim runs",
					 ini_path(ini),
					 network_name(set->networks[i]));
	return 0;
}

static int read_files(struct memsys *memsys,
		      const struct memsys_options *options,
		      struct error *error)
{
	const char *name = options->text ? options->text_name
					 : "built-in memory configuration";
	struct ini *ini;
	char *text = NULL;
	size_t size = 0;
	int status = 0;

	ini = config_file_read(options->settings, "net", options->net_config,
			       "built-in networks", "", error);
	if (!ini)
		return -1;
	if (ini_section_count(ini)) {
		status = networks_read(&memsys->external, memsys->events,
				       memsys->log, ini, error) ||
			 check_networks(memsys, ini, error);
	}
	ini_free(ini);
	if (status)
		return -1;
	if (!options->text) {
		FILE *stream = open_memstream(&text, &size);

		memsys_default(stream, options);
		fclose(stream);
	}
	ini = config_file_read(options->settings, "mem", options->mem_config,
			       name, text ? text : options->text, error);
	memsys->given = ini && strcmp(ini_path(ini), name) != 0;
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
	memsys->exact_clocks = options->exact_clocks;
	memsys->rounded_clock = options->rounded_clock;
	if (read_files(memsys, options, error)) {
		memsys_free(memsys);
		return NULL;
	}
	if (options->islands)
		memsys_split(memsys, options);
	memsys_start_ahead(memsys);
	return memsys;
}

bool memsys_is_given(const struct memsys *memsys)
{
	return memsys->given;
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
