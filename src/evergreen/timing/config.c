#include "evergreen/timing/config.h"

#include <stdlib.h>

#include "base/memory.h"

static const struct config_variable table[] = {
#define CONFIG(section, name, type, field, dflt, min, max, unit, doc)          \
	CONFIG_ROW(struct evg_config, section, name, type, field, dflt, min,   \
		   max, unit, doc)
#include "evergreen/timing/config.def"
};

static int check(const struct evg_config *config, const char *path,
		 struct error *error)
{
	if (config->reserved_registers >= config->registers)
		return error_set(error, "%s: [Device] ReservedRegisters = %u "
				 "leaves none of NumRegisters = %u", path,
				 config->reserved_registers,
				 config->registers);
	return 0;
}

int evg_config_read(struct evg_config *config, const char *path,
		    struct error *error)
{
	struct ini *ini;
	int status;

	config_defaults(table, ARRAY_SIZE(table), config);
	if (!path)
		return 0;
	ini = ini_read(path, error);
	if (!ini)
		return -1;
	status = config_read(table, ARRAY_SIZE(table), ini, NULL, config,
			     error);
	if (!status)
		status = ini_check(ini, error);
	if (!status)
		status = check(config, path, error);
	ini_free(ini);
	return status;
}

void evg_config_help(FILE *stream)
{
	fputs("GPU configuration file (--evg-config): INI sections and "
	      "variables with their\ndefaults, units and ranges.\n\n", stream);
	config_help(table, ARRAY_SIZE(table), stream);
}

void evg_config_register(const struct evg_config *config, struct stats *stats)
{
	static const char *const sections[] = { "Device", "LocalMemory",
						"CFEngine", "ALUEngine",
						"TEXEngine" };

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		char *name = xasprintf("Config.%s", sections[i]);

		stats_config(stats_section(stats, "evergreen", name), table,
			     ARRAY_SIZE(table), sections[i], config);
		free(name);
	}
}
