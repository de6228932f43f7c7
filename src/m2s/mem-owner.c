#include "m2s/mem-owner.h"

#include <string.h>
#include <strings.h>

#include "base/config-file.h"
#include "base/memory.h"

int mem_owner_find(const struct options *options, bool gpu_detailed,
		   bool x86_detailed, enum mem_owner *owner,
		   struct error *error)
{
	struct ini_section *cores = NULL, *units = NULL;
	struct ini *ini;

	*owner = x86_detailed && !gpu_detailed ? MEM_OF_CORES : MEM_OF_GPU;
	if (!x86_detailed || (!options->mem_config && !options->config))
		return 0;
	ini = config_file_read(options->settings, "mem", options->mem_config,
			       "", "", error);
	if (!ini)
		return -1;
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);
		const struct ini_value *value;

		if (!ini_name_after(ini_section_name(section), "Entry"))
			continue;
		value = ini_find(section, "Arch");
		if (value && !strcasecmp(value->text, "x86"))
			cores = section;
		else if (value)
			units = section;
	}
	if (cores && units && gpu_detailed)
		*owner = MEM_OF_BOTH;
	else if (cores)
		*owner = MEM_OF_CORES;
	else if (units)
		*owner = MEM_OF_GPU;
	ini_free(ini);
	return 0;
}

static const struct chip {
	const char *core;
	enum evg_preset gpu;
} chips[] = {
	{ "llano", EVG_PRESET_LLANO }, /* A8-3850 */
};

bool mem_owner_is_one_chip(const char *core, enum evg_preset gpu)
{
	for (size_t i = 0; i < ARRAY_SIZE(chips); i++)
		if (!strcmp(chips[i].core, core) && chips[i].gpu == gpu)
			return true;
	return false;
}
