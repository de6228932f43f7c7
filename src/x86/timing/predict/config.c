#include "x86/timing/predict/config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The kinds' names as a choice, "A|B|C". */
#define PREDICTOR(id, name, ...) "|" name
#define PREDICT_KINDS (predict_kinds + 1)
static const char predict_kinds[] =
#include "x86/timing/predict/kinds.def"
    ;

#define TARGET_PREDICTOR(id, name, ...) "|" name
#define PREDICT_TARGETS (predict_targets + 1)
static const char predict_targets[] =
#include "x86/timing/predict/targets.def"
    ;

static const struct config_variable table[] = {
#define CONFIG(...) CONFIG_ROW(struct predict_config, __VA_ARGS__)
#include "x86/timing/predict/config.def"
};

/* Likewise for a section of any name. */
static const struct config_variable anywhere[] = {
#define CONFIG(section, ...) CONFIG_ROW(struct predict_config, NULL, __VA_ARGS__)
#include "x86/timing/predict/config.def"
};

static const struct {
	const char *preset, *variable, *value, *source;
} presets[] = {
#define BRANCH_PREDICTOR(preset, variable, value, source)                      \
	{ preset, variable, value, source },
#include "x86/timing/predict/presets.def"
};

#define SECTION "BranchPredictor"

/* Variables that choose an entry by bits of an address. */
static const char *const powers[] = {
    "Bimod.Size",      "Choice.Size", "TwoLevel.L1Size",
    "TwoLevel.L2Size", "Gshare.Size", "BTB.Sets", "IndirectCache.Sets", "HashedPerceptron.Size",
};

/* More counters are a mistake. */
enum { MOST_COUNTERS_LOG = 26 };

static uint32_t value_of(const struct predict_config *config, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (!strcmp(table[i].name, name))
			return *(const uint32_t *)((const char *)config +
						   table[i].offset);
	return 0;
}

static int check_powers(const struct predict_config *config,
			struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(powers); i++) {
		uint32_t value = value_of(config, powers[i]);

		if (!value || value & (value - 1))
			return error_set(error,
					 "%s: expected a power "
					 "of two, not %" PRIu32,
					 powers[i], value);
	}
	return 0;
}

int predict_config_check(const struct predict_config *config,
			 struct error *error)
{
	if (check_powers(config, error))
		return -1;
	if (config->btb2_sets & (config->btb2_sets - 1))
		return error_set(error,
				 "BTB2.Sets: expected 0 or a "
				 "power of two, not %" PRIu32,
				 config->btb2_sets);
	if (config->gshare_size >> config->gshare_history == 0)
		return error_set(error,
				 "Gshare.HistorySize: %" PRIu32
				 " branches are more than the bits of an index "
				 "of %" PRIu32 " counters",
				 config->gshare_history, config->gshare_size);
	if ((uint64_t)config->two_level_second << config->two_level_history >>
	    MOST_COUNTERS_LOG)
		return error_set(error,
				 "TwoLevel.L2Size: %" PRIu32
				 " columns of 2^%" PRIu32
				 " counters are more than 2^%d",
				 config->two_level_second,
				 config->two_level_history, MOST_COUNTERS_LOG);
	return 0;
}

void predict_config_defaults(struct predict_config *config)
{
	config_defaults(table, ARRAY_SIZE(table), config);
}

static const struct config_variable *find_variable(const char *name)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(table) && strcmp(table[i].name, name))
		i++;
	return i < ARRAY_SIZE(table) ? &table[i] : NULL;
}

void predict_config_preset(struct predict_config *config, const char *preset)
{
	const struct config_variable *row;
	struct error error;

	predict_config_defaults(config);
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++) {
		if (strcmp(presets[i].preset, preset))
			continue;
		row = find_variable(presets[i].variable);
		if (!row || config_override(row, preset, presets[i].value,
					    config, &error))
			abort(); /* a wrong row */
	}
}

/* The values that the section gives, over those that are there. */
static int read_section(struct predict_config *config, struct ini *ini,
			struct ini_section *section, struct error *error)
{
	struct error found = { "" };

	ini_section_use(section);
	if (config_read(anywhere, ARRAY_SIZE(anywhere), ini, section, config,
			error))
		return -1;
	return predict_config_check(config, &found)
		       ? ini_section_error(section, error, "%s", found.text)
		       : 0;
}

int predict_config_read(struct predict_config *config, struct ini *ini,
			struct error *error)
{
	struct ini_section *section = ini_section_find(ini, SECTION);

	if (section)
		return read_section(config, ini, section, error);
	/* No variable is there; the settings note the values. */
	return config_read(table, ARRAY_SIZE(table), ini, NULL, config, error);
}

int predict_config_read_section(struct predict_config *config, struct ini *ini,
				struct ini_section *section,
				struct error *error)
{
	predict_config_defaults(config);
	return read_section(config, ini, section, error);
}

void predict_presets_help(FILE *stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		fprintf(stream, "%s of %s: %s\n  %s\n", presets[i].variable,
			presets[i].preset, presets[i].value,
			presets[i].source);
}

void predict_config_help(FILE *stream)
{
	config_help(table, ARRAY_SIZE(table), stream);
}
