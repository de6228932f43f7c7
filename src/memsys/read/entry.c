/* [ Entry ] sections of a memory configuration: where processors enter. */
#include "memsys/read/reader.h"

#include <stdlib.h>
#include <strings.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"

static const struct config_variable entry_table[] = {
#define MEMORY_ENTRY(...) CONFIG_NAMED(struct entry_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable x86_table[] = {
#define MEMORY_ENTRY_X86(...)                                                  \
	CONFIG_NAMED(struct entry_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable evergreen_table[] = {
#define MEMORY_ENTRY_EVERGREEN(...)                                            \
	CONFIG_NAMED(struct entry_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable one_table[] = {
#define MEMORY_ENTRY_ONE(...)                                                  \
	CONFIG_NAMED(struct entry_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable two_table[] = {
#define MEMORY_ENTRY_TWO(...)                                                  \
	CONFIG_NAMED(struct entry_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

void reader_entry_help(FILE *stream)
{
	config_help(entry_table, ARRAY_SIZE(entry_table), stream);
	config_help(x86_table, ARRAY_SIZE(x86_table), stream);
	config_help(evergreen_table, ARRAY_SIZE(evergreen_table), stream);
	config_help(one_table, ARRAY_SIZE(one_table), stream);
	config_help(two_table, ARRAY_SIZE(two_table), stream);
}

static int find_entry_module(struct reader *reader,
			     const struct ini_value *value,
			     struct module **module)
{
	*module = reader_find_module(reader->memsys, value->text);
	if (!*module)
		return reader_no_such(reader, value, "Module", value->text,
				      "module");
	if ((*module)->range.kind == RANGE_INTERLEAVED ||
	    (*module)->range.low || (*module)->range.high != UINT64_MAX)
		return ini_error(value, reader->error,
				 "the AddressRange of an entry module must "
				 "hold all addresses");
	return 0;
}

/* Files for Multi2Sim may have entries of its other architectures. */
static int check_architecture(struct reader *reader,
			      struct ini_section *section)
{
	static const char *const others[] = { "SouthernIslands", "Fermi",
					      "Kepler", "ARM", "MIPS" };
	struct ini_value *value = ini_find(section, entry_table[0].name);

	for (size_t i = 0; value && i < ARRAY_SIZE(others); i++)
		if (!strcasecmp(value->text, others[i]))
			return ini_error(value, reader->error,
					 "expected x86 or Evergreen");
	return 0;
}

static int read_processor(struct reader *reader, struct ini_section *section,
			  struct entry_config *config)
{
	if (check_architecture(reader, section) ||
	    config_read(entry_table, ARRAY_SIZE(entry_table), reader->ini,
			section, config, reader->error))
		return -1;
	if (config->architecture == MEMSYS_X86)
		return config_read(x86_table, ARRAY_SIZE(x86_table),
				   reader->ini, section, config,
				   reader->error);
	return config_read(evergreen_table, ARRAY_SIZE(evergreen_table),
			   reader->ini, section, config, reader->error);
}

/* Compute units have one module, and so have cores whose entry gives Module. */
static int read_way(struct reader *reader, struct ini_section *section,
		    struct entry_config *config, struct memsys_entry *entry)
{
	if (config->architecture == MEMSYS_EVERGREEN ||
	    ini_find(section, one_table[0].name)) {
		if (config_read(one_table, ARRAY_SIZE(one_table), reader->ini,
				section, config, reader->error) ||
		    find_entry_module(reader, config->module, &entry->data))
			return -1;
		entry->instruction = entry->data;
		return 0;
	}
	if (config_read(two_table, ARRAY_SIZE(two_table), reader->ini, section,
			config, reader->error) ||
	    find_entry_module(reader, config->data_module, &entry->data))
		return -1;
	return find_entry_module(reader, config->instruction_module,
				 &entry->instruction);
}

static int read_entry(struct reader *reader, struct ini_section *section)
{
	struct memsys *memsys = reader->memsys;
	struct memsys_entry entry = { .section = section };
	struct entry_config config = { 0 };

	if (read_processor(reader, section, &config))
		return -1;
	entry.architecture = (enum memsys_architecture)config.architecture;
	entry.core = entry.architecture == MEMSYS_X86 ? config.core
						      : config.compute_unit;
	entry.thread = config.thread;
	if (read_way(reader, section, &config, &entry) ||
	    (config.coherent_module &&
	     find_entry_module(reader, config.coherent_module,
			       &entry.coherent)) ||
	    reader_entry_tlbs(reader, section, &config, &entry))
		return -1;
	for (size_t i = 0; i < memsys->entry_count; i++) {
		struct memsys_entry *old = &memsys->entries[i];

		if (old->architecture == entry.architecture &&
		    old->core == entry.core && old->thread == entry.thread)
			return ini_section_error(section, reader->error,
						 "[%s] is for the same "
						 "processor",
						 ini_section_name(
							 old->section));
	}
	ARRAY_GROW(memsys->entries, memsys->entry_count,
		   memsys->entry_capacity);
	memsys->entries[memsys->entry_count++] = entry;
	return 0;
}

static void mark_reached(const struct module *module, uint8_t *reached)
{
	if (reached[module->index])
		return;
	reached[module->index] = 1;
	for (size_t i = 0; i < module->low_count; i++)
		mark_reached(module->low[i], reached);
}

int reader_check_reached(struct reader *reader)
{
	const struct memsys *memsys = reader->memsys;
	uint8_t *reached = xcalloc(memsys->module_count + 1, 1);
	int status = 0;

	for (size_t i = 0; i < memsys->entry_count; i++) {
		mark_reached(memsys->entries[i].data, reached);
		mark_reached(memsys->entries[i].instruction, reached);
		if (memsys->entries[i].coherent)
			mark_reached(memsys->entries[i].coherent, reached);
	}
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (memsys->tlbs[i]->walk_module)
			mark_reached(memsys->tlbs[i]->walk_module, reached);
	for (size_t i = 0; i < memsys->module_count && !status; i++)
		if (!reached[i])
			status = ini_section_error(
				reader->sections[i], reader->error,
				"no access can reach this module: no [ Entry ] "
				"leads to this module or to a module above it");
	free(reached);
	return status;
}

int reader_entries(struct reader *reader,
		   const struct memsys_options *options)
{
	const char *path = ini_path(reader->ini);

	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);

		if (ini_name_after(ini_section_name(section), "Entry") &&
		    read_entry(reader, section))
			return -1;
	}
	for (unsigned i = 0; i < options->compute_units; i++)
		if (!memsys_entry(reader->memsys, MEMSYS_EVERGREEN, i, 0))
			return error_set(reader->error,
					 "%s: no [ Entry ] with Arch = "
					 "Evergreen and ComputeUnit = %u "
					 "(the device has %u compute units)",
					 path, i, options->compute_units);
	for (unsigned i = 0; i < options->x86_cores; i++)
		for (unsigned j = 0; j < options->x86_threads; j++)
			if (!memsys_entry(reader->memsys, MEMSYS_X86, i, j))
				return error_set(reader->error,
						 "%s: no [ Entry ] with Arch = "
						 "x86, Core = %u and Thread = "
						 "%u", path, i, j);
	return 0;
}
