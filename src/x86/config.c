#include "x86/config.h"

#include <string.h>

#include "base/config-file.h"
#include "base/config.h"
#include "base/memory.h"
#include "x86/classic.h"

/* Choices of CPUModel: the levels, then this one. */
enum { CPU_MODEL_HOST = X86_LEVEL_COUNT };

static const struct config_variable table[] = {
#define CONFIG(...) CONFIG_ROW(struct x86_config, __VA_ARGS__)
#include "x86/config.def"
};

static int check(const struct x86_config *config, struct error *error)
{
	struct x86_model model;

	struct x86_core_figures own = config->core;

	x86_core_figures_divide(&own, &config->core, config->threads,
				config->threads);
	if (config->core.cache_sets && !own.cache_sets)
		return error_set(error, "[General] Threads = %u: a thread has "
				 "no set of the uop cache (cache_sets = %u)",
				 config->threads, config->core.cache_sets);
	if (config->threads > 1 && x86_core_figures_check(&own, error))
		return error_prefix(error, "[General] Threads = %u: what one of "
				    "them has", config->threads);
	x86_config_model(config, false, &model);
	return x86_model_check(&model, error);
}

static int read_file(struct x86_config *config, const char *path,
		     struct settings *settings, struct error *error)
{
	const struct x86_core_figures preset = config->core;
	struct ini *ini = config_file_read(settings, "x86", path,
					   "built-in processor", "", error);
	int status;

	if (!ini)
		return -1;
	status = config_read(table, ARRAY_SIZE(table), ini, NULL, config,
			     error);
	if (!status)
		status = predict_config_read(&config->predict, ini, error);
	if (!status)
		status = x86_core_figures_read(&config->core, ini, error);
	if (!status)
		status = x86_classic_read(&config->core, &config->caches, &preset,
					  ini, error);
	if (!status)
		status = x86_memory_figures_read(&config->caches, ini, error);
	if (!status)
		status = x86_core_figures_check(&config->core, error);
	if (!status)
		status = x86_memory_figures_check(
			&config->caches, config->core.load_chased, error);
	if (!status)
		status = ini_check(ini, error);
	ini_free(ini);
	return status;
}

static int choose_model(struct x86_config *config, const char *name,
			struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, "CPUModel"))
			return config_override(&table[i], "--x86-cpu", name,
					       config, error);
	return -1;
}

int x86_config_read(struct x86_config *config, const char *path,
		    const char *preset, const char *cpu_model,
		    struct settings *settings, struct error *error)
{
	config->preset = preset ? preset : "nehalem";
	if (x86_core_figures_find(config->preset, &config->core, error) ||
	    x86_memory_figures_find(config->preset, &config->caches, error))
		return error_prefix(error, "--x86-preset");
	config_defaults(table, ARRAY_SIZE(table), config);
	predict_config_preset(&config->predict, config->preset);
	if (read_file(config, path, settings, error))
		return -1;
	if (cpu_model && choose_model(config, cpu_model, error))
		return -1;
	return check(config, error);
}

void x86_config_model(const struct x86_config *config, bool narrow,
		      struct x86_model *model)
{
	bool choices = config->cpu_model >= X86_LEVEL_V2;

	if (config->cpu_model == CPU_MODEL_HOST) {
		x86_model_host(model);
	} else {
		x86_model_init(model, (enum x86_level)config->cpu_model);
		model->has[X86_FEATURE_AES] = choices && config->aes;
		model->has[X86_FEATURE_PCLMULQDQ] = choices && config->aes;
		model->has[X86_FEATURE_SHA] = choices && config->sha;
	}
	if (narrow)
		x86_model_narrow(model);
}

void x86_config_register(const struct x86_config *config, struct stats *stats)
{
	stats_config(stats_section(stats, "x86", "Config.General"), table,
		     ARRAY_SIZE(table), "General", config);
}

void x86_config_help(FILE *stream)
{
	fputs("x86 configuration file (--x86-config): INI sections and "
	      "variables with their\ndefaults, units and ranges.\n\n", stream);
	config_help(table, ARRAY_SIZE(table), stream);
	fputs("\nBranch prediction of detailed simulation; presets of chips have "
	      "values of their own\n(--x86-preset help):\n", stream);
	predict_config_help(stream);
	fputs("\nMulti2Sim's names, of detailed simulation. What is not given "
	      "leaves the preset's\nfigure:\n", stream);
	x86_classic_help(stream);
}
