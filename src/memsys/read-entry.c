/* [ Entry ] sections of a memory configuration: where processors enter. */
#include "memsys/reader.h"

#include <stdlib.h>

#include "base/memory.h"
#include "memsys/tlb.h"

static int read_index(struct reader *reader, struct ini_section *section,
		      const char *name, unsigned *index)
{
	struct ini_value *value = ini_find(section, name);
	uint64_t number;

	if (!value)
		return ini_section_error(section, reader->error,
					 "%s is missing", name);
	if (ini_get_u64(value, 0, 65535, &number, reader->error))
		return -1;
	*index = (unsigned)number;
	return 0;
}

static int read_entry_module(struct reader *reader,
			     struct ini_section *section, const char *name,
			     struct module **module)
{
	struct ini_value *value = ini_find(section, name);

	if (!value)
		return ini_section_error(section, reader->error,
					 "%s is missing", name);
	*module = reader_find_module(reader->memsys, value->text);
	if (!*module)
		return reader_no_such(reader, value, "Module", value->text,
				      "module");
	if ((*module)->range.kind == RANGE_INTERLEAVED ||
	    (*module)->range.low || (*module)->range.high != UINT64_MAX)
		return ini_error(value, reader->error,
				 "the AddressRange of an entry module must be "
				 "everything");
	return 0;
}

static int read_entry(struct reader *reader, struct ini_section *section)
{
	static const char architectures[] =
		"x86|Evergreen|SouthernIslands|Fermi|Kepler|ARM|MIPS";
	struct memsys *memsys = reader->memsys;
	struct memsys_entry entry = { .section = section };
	struct ini_value *value = ini_find(section, "Arch");
	int architecture;

	if (!value)
		return ini_section_error(section, reader->error,
					 "Arch is missing (x86 or Evergreen)");
	if (ini_get_choice(value, architectures, &architecture,
			   reader->error))
		return -1;
	if (architecture > MEMSYS_EVERGREEN)
		return ini_error(value, reader->error,
				 "m2s simulates x86 and Evergreen only");
	entry.architecture = (enum memsys_architecture)architecture;
	if (entry.architecture == MEMSYS_X86
		    ? read_index(reader, section, "Core", &entry.core) ||
			      read_index(reader, section, "Thread",
					 &entry.thread)
		    : read_index(reader, section, "ComputeUnit", &entry.core))
		return -1;
	if (ini_find(section, "Module")) {
		if (read_entry_module(reader, section, "Module", &entry.data))
			return -1;
		entry.instruction = entry.data;
	} else if (entry.architecture == MEMSYS_EVERGREEN) {
		return ini_section_error(section, reader->error,
					 "Module is missing");
	} else if (read_entry_module(reader, section, "DataModule",
				     &entry.data) ||
		   read_entry_module(reader, section, "InstModule",
				     &entry.instruction)) {
		return -1;
	}
	if (reader_entry_tlbs(reader, section, &entry))
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
	}
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (memsys->tlbs[i]->walk_module)
			mark_reached(memsys->tlbs[i]->walk_module, reached);
	for (size_t i = 0; i < memsys->module_count && !status; i++)
		if (!reached[i])
			status = ini_section_error(
				reader->sections[i], reader->error,
				"no access can come here: no [ Entry ] leads "
				"to this module, and none to one above it");
	free(reached);
	return status;
}

int reader_entries(struct reader *reader,
		   const struct memsys_options *options)
{
	const char *path = ini_path(reader->ini);

	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);

		if (reader_after(ini_section_name(section), "Entry") &&
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
