/* The sections [ DRAM ]. */
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "memsys/read/reader.h"

/* The AddressMapping of a [ DRAM ]. */
struct dram_text {
#define MEMORY_DRAM_TEXT CONFIG_MEMBER
#include "memsys/config.def"
};

static const struct config_variable dram_table[] = {
#define MEMORY_DRAM(...) CONFIG_NAMED(struct dram_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable dram_text_table[] = {
#define MEMORY_DRAM_TEXT(...) CONFIG_NAMED(struct dram_text, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

/* The place of the name as a word in the text, or NULL. */
static const char *find_word(const char *text, const char *name)
{
	size_t length = strlen(name);

	while ((text = strcasestr(text, name)) &&
	       isalnum((unsigned char)text[length]))
		text += length;
	return text;
}

/* At the first of the variables that the message names and the section has. */
static int dram_error(struct reader *reader, struct ini_section *section,
		      const char *text)
{
	struct ini_value *first = NULL;
	const char *at = NULL;

	for (size_t i = 0; i < ini_value_count(section); i++) {
		struct ini_value *value = ini_value_at(section, i);
		const char *found = find_word(text, value->name);

		if (found && (!at || found < at)) {
			at = found;
			first = value;
		}
	}
	return first ? ini_error(first, reader->error, "%s", text)
		     : ini_section_error(section, reader->error, "%s", text);
}

static int read_dram(struct reader *reader, struct ini_section *section,
		     struct dram_config *config)
{
	struct dram_text text;
	struct error error = {0};

	config_defaults(dram_table, ARRAY_SIZE(dram_table), config);
	config_defaults(dram_text_table, ARRAY_SIZE(dram_text_table), &text);
	if (config_read(dram_table, ARRAY_SIZE(dram_table), reader->ini,
			section, config, reader->error) ||
	    config_read(dram_text_table, ARRAY_SIZE(dram_text_table),
			reader->ini, section, &text, reader->error))
		return -1;
	if (dram_config_check(config, text.mapping ? text.mapping->text : NULL,
			      &error))
		return dram_error(reader, section, error.text);
	return 0;
}

int reader_drams(struct reader *reader)
{
	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		struct dram_config config;

		if (ini_name_after(ini_section_name(section), "DRAM")) {
			ini_section_use(section);
			if (read_dram(reader, section, &config))
				return -1;
		}
	}
	return 0;
}

int reader_devices(struct reader *reader, struct module *module,
		   struct ini_section *section)
{
	static const char *const replaced[] = {"Bandwidth", "BurstSize"};
	const struct ini_value *value = reader->texts[module->index].dram;
	struct ini_section *devices;
	struct dram_config config;

	if (!value)
		return 0;
	devices = ini_section_of_kind(reader->ini, "DRAM", value->text);
	if (!devices)
		return reader_no_such(reader, value, "DRAM", value->text,
				      "DRAM section");
	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++)
		if (ini_find(section, replaced[i]))
			return ini_error(ini_find(section, replaced[i]),
					 reader->error,
					 "cannot be given together with DRAM, "
					 "whose section gives this value");
	if (read_dram(reader, devices, &config))
		return -1;
	module->config.burst = config.burst_length * config.bus_width / 8;
	/* Bytes a cycle of the module. */
	module->config.bandwidth = config.channels * config.bus_width / 8.0 *
				   config.data_rate * config.frequency *
				   (double)module->period * 1e-6;
	module->dram = dram_create(reader->memsys->events, &config);
	dram_set_exact(module->dram, reader_exact(reader, config.frequency));
	return 0;
}

void reader_drams_help(FILE *stream)
{
	config_help(dram_text_table, ARRAY_SIZE(dram_text_table), stream);
	config_help(dram_table, ARRAY_SIZE(dram_table), stream);
}
