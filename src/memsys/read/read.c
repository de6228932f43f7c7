/* Builds a memory system from its INI file. Every mistake in the file is found
 * here and named with its place; what is built afterwards can run. */
#include "memsys/read/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/memory.h"
#include "memsys/script/script.h"
#include "memsys/prefetch/prefetcher.h"
#include "memsys/tlb/tlb.h"

static const struct config_variable general_table[] = {
#define MEMORY_GENERAL(...)                                                    \
	CONFIG_NAMED(struct memsys_config, "General", __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable module_table[] = {
#define MEMORY_MODULE(...) CONFIG_NAMED(struct module_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable module_text_table[] = {
#define MEMORY_MODULE_TEXT(...)                                                \
	CONFIG_NAMED(struct module_text, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable cache_text_table[] = {
#define MEMORY_CACHE_TEXT(...)                                                 \
	CONFIG_NAMED(struct module_text, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable main_table[] = {
#define MEMORY_MAIN(...) CONFIG_NAMED(struct module_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable main_text_table[] = {
#define MEMORY_MAIN_TEXT(...)                                                  \
	CONFIG_NAMED(struct module_text, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable geometry_table[] = {
#define MEMORY_GEOMETRY(...)                                                   \
	CONFIG_NAMED(struct module_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

/* --- General ------------------------------------------------------------- */

static int read_general(struct reader *reader)
{
	struct memsys_config *config = &reader->memsys->config;

	config_defaults(general_table, ARRAY_SIZE(general_table), config);
	if (config_read(general_table, ARRAY_SIZE(general_table), reader->ini,
			NULL, config, reader->error))
		return -1;
	if (!reader_is_power(config->page_size))
		return ini_error(ini_find(ini_section_find(reader->ini,
							   "General"),
					  "PageSize"),
				 reader->error, "must be a power of two");
	memsys_watchdog_start(reader->memsys);
	return 0;
}

/* --- Geometries ---------------------------------------------------------- */

static int read_geometry(struct reader *reader, struct ini_section *section,
			 struct module_config *config)
{
	config_defaults(geometry_table, ARRAY_SIZE(geometry_table), config);
	if (config_read(geometry_table, ARRAY_SIZE(geometry_table),
			reader->ini, section, config, reader->error) ||
	    reader_check_power(reader, section, "Sets", config->sets) ||
	    reader_check_power(reader, section, "BlockSize", config->block_size))
		return -1;
	if ((uint64_t)config->sets * config->assoc > 0x1000000)
		return ini_section_error(section, reader->error,
					 "Sets x Assoc is more than 16M "
					 "blocks");
	if (config->victim && config->policy != CACHE_POLICY_LRU)
		return ini_section_error(section, reader->error,
					 "Victim = t needs Policy = LRU");
	if (cache_policies[config->policy].tree &&
	    reader_check_power(reader, section, "Assoc", config->assoc))
		return -1;
	return 0;
}

/* Reads all geometries, so that mistakes are found even in unused ones. */
static int read_geometries(struct reader *reader)
{
	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		struct module_config config;

		if (ini_name_after(ini_section_name(section),
				   "CacheGeometry")) {
			ini_section_use(section);
			if (read_geometry(reader, section, &config))
				return -1;
		}
	}
	return 0;
}

/* --- Modules ------------------------------------------------------------- */

static int read_number(const char **text, uint64_t *number)
{
	char *end;

	*text += strspn(*text, " ");
	errno = 0;
	*number = strtoull(*text, &end, 0);
	if (end == *text || errno || **text == '-')
		return -1;
	*text = end;
	return 0;
}

/* "DIV" and the like, then a number. */
static int read_word_number(const char **text, const char *word,
			    uint64_t *number)
{
	size_t length = strlen(word);

	*text += strspn(*text, " ");
	if (strncasecmp(*text, word, length))
		return -1;
	*text += length;
	return read_number(text, number);
}

static int read_range(struct reader *reader, struct module *module)
{
	const struct ini_value *value = reader->texts[module->index].range;
	struct address_range *range = &module->range;
	const char *text;
	int status;

	range->high = UINT64_MAX;
	if (!value)
		return 0;
	text = value->text;
	if (!strncasecmp(text, "BOUNDS ", 7)) {
		text += 7;
		status = read_number(&text, &range->low) ||
			 read_number(&text, &range->high) || *text;
	} else {
		range->kind = RANGE_INTERLEAVED;
		status = read_word_number(&text, "ADDR DIV", &range->divide) ||
			 read_word_number(&text, "MOD", &range->modulo) ||
			 read_word_number(&text, "EQ", &range->equal) || *text;
	}
	if (status)
		return ini_error(value, reader->error,
				 "expected BOUNDS <low> <high> or "
				 "ADDR DIV <n> MOD <n> EQ <n>");
	if (range->kind == RANGE_INTERLEAVED) {
		if (!range->divide || range->divide % module->block_size)
			return ini_error(value, reader->error,
					 "DIV must be a multiple of the block "
					 "size %u", module->block_size);
		if (!range->modulo || range->equal >= range->modulo)
			return ini_error(value, reader->error,
					 "EQ must be below MOD");
		return 0;
	}
	/* The end of memory in files written for 32-bit programs. */
	if (range->high == UINT32_MAX)
		range->high = UINT64_MAX;
	if (range->low > range->high)
		return ini_error(value, reader->error,
				 "the low bound is above the high bound");
	if (range->low % module->block_size ||
	    (range->high + 1) % module->block_size)
		return ini_error(value, reader->error,
				 "the bounds must enclose whole blocks of %u "
				 "bytes", module->block_size);
	return 0;
}

static int read_main_memory(struct reader *reader, struct ini_section *section,
			    struct module_config *config,
			    struct module_text *text)
{
	config_defaults(main_table, ARRAY_SIZE(main_table), config);
	if (config_read(main_table, ARRAY_SIZE(main_table), reader->ini,
			section, config, reader->error) ||
	    config_read(main_text_table, ARRAY_SIZE(main_text_table),
			reader->ini, section, text, reader->error))
		return -1;
	if (reader_check_power(reader, section, "BlockSize", config->block_size) ||
	    reader_check_power(reader, section, "DirectorySize",
			config->directory_size))
		return -1;
	if (config->bandwidth > 0 && config->bandwidth < 0.001)
		return ini_error(ini_find(section, "Bandwidth"), reader->error,
				 "expected 0 (not limited) or at least 0.001");
	if ((uint64_t)config->directory_size * config->directory_assoc >
	    0x1000000)
		return ini_section_error(section, reader->error,
					 "DirectorySize x DirectoryAssoc is "
					 "more than 16M entries");
	return 0;
}

static int read_cache(struct reader *reader, struct ini_section *section,
		      struct module_config *config, struct module_text *text)
{
	struct ini_section *geometry;

	if (config_read(cache_text_table, ARRAY_SIZE(cache_text_table),
			reader->ini, section, text, reader->error))
		return -1;
	geometry = ini_section_of_kind(reader->ini, "CacheGeometry",
				       text->geometry->text);
	if (!geometry)
		return reader_no_such(reader, text->geometry, "CacheGeometry",
				      text->geometry->text, "cache geometry");
	return read_geometry(reader, geometry, config);
}

/* Reads a module's section, except for references to other sections. */
static int read_config(struct reader *reader, struct module *module)
{
	struct ini_section *section = reader->sections[module->index];
	struct module_text *text = &reader->texts[module->index];
	struct module_config *config = &module->config;

	config_defaults(geometry_table, ARRAY_SIZE(geometry_table), config);
	config_defaults(module_table, ARRAY_SIZE(module_table), config);
	if (config_read(module_table, ARRAY_SIZE(module_table), reader->ini,
			section, config, reader->error) ||
	    config_read(module_text_table, ARRAY_SIZE(module_text_table),
			reader->ini, section, text, reader->error))
		return -1;
	if (config->frequency > 0 && config->frequency < 1)
		return ini_error(ini_find(section, "Frequency"), reader->error,
				 "expected 0 (the Frequency of [ General ]) or "
				 "at least 1");
	module->kind = (enum module_kind)config->type;
	return module->kind == MODULE_MAIN_MEMORY
		       ? read_main_memory(reader, section, config, text)
		       : read_cache(reader, section, config, text);
}

static int read_module(struct reader *reader, struct module *module)
{
	const struct module_text *text = &reader->texts[module->index];
	const struct module_config *config = &module->config;
	double frequency;

	if (read_config(reader, module))
		return -1;
	module->block_size = config->block_size;
	module->block_shift = (unsigned)__builtin_ctz(config->block_size);
	module->block_mask = ~(uint64_t)(config->block_size - 1);
	frequency = config->frequency > 0 ? config->frequency
					  : reader->memsys->config.frequency;
	module->period = clock_period(frequency);
	module->rate = clock_rate_of(reader_exact(reader, frequency));
	if (module->kind == MODULE_MAIN_MEMORY &&
	    reader_devices(reader, module, reader->sections[module->index]))
		return -1;
	if (read_range(reader, module))
		return -1;
	if (reader_side(reader, module, "HighNetwork", text->high_network,
			text->high_node, &module->high_network,
			&module->up.node))
		return -1;
	if (module->kind == MODULE_CACHE)
		return reader_side(reader, module, "LowNetwork",
				   text->low_network, text->low_node,
				   &module->low_network, &module->down.node);
	return 0;
}

/* memsys_unit_source */
static void number_units(struct memsys *memsys, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		uint32_t source = event_source_create(memsys->events);

		if (!i)
			memsys->first_unit_source = source;
	}
	memsys->units = count;
}

static int read_modules(struct reader *reader, unsigned compute_units)
{
	struct memsys *memsys = reader->memsys;

	reader->sections = xcalloc(ini_section_count(reader->ini) + 1,
				   sizeof *reader->sections);
	reader->texts = xcalloc(ini_section_count(reader->ini) + 1,
				sizeof *reader->texts);
	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		const char *name =
			ini_name_after(ini_section_name(section), "Module");

		if (!name)
			continue;
		ini_section_use(section);
		reader->sections[memsys->module_count] = section;
		module_create(memsys, name);
	}
	number_units(memsys, compute_units);
	for (size_t i = 0; i < memsys->module_count; i++)
		if (read_module(reader, memsys->modules[i]))
			return -1;
	return 0;
}

int memsys_read(struct memsys *memsys, struct ini *ini,
		const struct memsys_options *options, struct error *error)
{
	struct reader reader = { .memsys = memsys, .ini = ini,
				 .error = error };
	struct ini_section *commands = ini_section_find(ini, "Commands");
	int status;

	if (commands && !options->script)
		return ini_section_error(commands, error,
					 "this section has commands, which "
					 "only --mem-sim runs");
	status = read_general(&reader) || read_geometries(&reader) ||
		 reader_drams(&reader) || reader_networks(&reader) ||
		 read_modules(&reader, options->compute_units) ||
		 reader_wire(&reader) || reader_tlbs(&reader) ||
		 reader_entries(&reader, options) ||
		 reader_finish_tlbs(&reader) ||
		 (!options->script && reader_check_reached(&reader)) ||
		 (commands && memsys_script_read(memsys, commands, error)) ||
		 ini_check(ini, error);
	free(reader.sections);
	free(reader.texts);
	free(reader.network_sections);
	free(reader.switches);
	return status ? -1 : 0;
}

void memsys_help(FILE *stream)
{
	fputs("Memory configuration (--mem-config): an INI file with the "
	      "modules of the\nmemory hierarchy, from the entry of each "
	      "processor down to main memory.\n\n", stream);
	config_help(general_table, ARRAY_SIZE(general_table), stream);
	fputs("\n[ Module <module> ]\n", stream);
	config_help(module_table, ARRAY_SIZE(module_table), stream);
	config_help(module_text_table, ARRAY_SIZE(module_text_table), stream);
	fputs("\n[ Module <module> ] with Type = Cache\n", stream);
	config_help(cache_text_table, ARRAY_SIZE(cache_text_table), stream);
	fputs("\n[ Module <module> ] with Type = MainMemory\n", stream);
	config_help(main_table, ARRAY_SIZE(main_table), stream);
	config_help(main_text_table, ARRAY_SIZE(main_text_table), stream);
	fputs("\n[ DRAM <dram> ]\n", stream);
	reader_drams_help(stream);
	fputs("\n[ CacheGeometry <geometry> ]\n", stream);
	config_help(geometry_table, ARRAY_SIZE(geometry_table), stream);
	fputs("\n[ Network <network> ]\n"
	      "      links between modules; variables as in "
	      "[ Network.<network> ] of --net-help,\n      and\n",
	      stream);
	reader_network_help(stream);
	fputs("\n[ Entry <entry> ]\n"
	      "      where the accesses of a processor enter\n", stream);
	reader_entry_help(stream);
	tlb_help(stream);
	fputs("\n[ Commands ]\n"
	      "  Command[<i>] = <cycle> <command> <argument> ...\n"
	      "      a test that --mem-sim runs, in cycles of [ General ]. "
	      "Commands of a cycle\n      run after everything else in it; "
	      "blocks can be set while nothing is under\n      way. A "
	      "<module> is a cache, or a main memory with a directory:\n",
	      stream);
	memsys_script_help(stream);
	fputs("\n", stream);
	network_help(stream);
}
