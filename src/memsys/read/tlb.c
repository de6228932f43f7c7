/* The TLB part of a memory configuration: geometries, TLBs, and their users. A
 * configuration that cannot work is refused. */
#include "memsys/read/reader.h"

#include <stdlib.h>
#include <strings.h>

#include "base/config.h"
#include "base/memory.h"
#include "memsys/tlb/tlb.h"

static const struct config_variable geometry_table[] = {
#define MEMORY_TLB_GEOMETRY(...)                                               \
	CONFIG_NAMED(struct tlb_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable tlb_table[] = {
#define MEMORY_TLB(...) CONFIG_NAMED(struct tlb_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

static const struct config_variable text_table[] = {
#define MEMORY_TLB_TEXT(...) CONFIG_NAMED(struct tlb_text, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

/* --- Geometries ----------------------------------------------------------- */

static int read_geometry(struct reader *reader, struct ini_section *section,
			 struct tlb_config *config)
{
	config_defaults(geometry_table, ARRAY_SIZE(geometry_table), config);
	if (config_read(geometry_table, ARRAY_SIZE(geometry_table),
			reader->ini, section, config, reader->error) ||
	    reader_check_power(reader, section, "Sets", config->sets))
		return -1;
	if (cache_policies[config->policy].tree &&
	    reader_check_power(reader, section, "Assoc", config->assoc))
		return -1;
	if ((uint64_t)config->sets * config->assoc > 0x1000000)
		return ini_section_error(section, reader->error,
					 "Sets x Assoc is more than 16M pages");
	if (!config->page_size)
		config->page_size = reader->memsys->config.page_size;
	if (config->page_size < 64)
		return ini_error(ini_find(section, "PageSize"), reader->error,
				 "expected 0 (the PageSize of [ General ]) or "
				 "at least 64");
	return reader_check_power(reader, section, "PageSize",
				  config->page_size);
}

/* Reads all geometries, so that mistakes are found even in unused ones. */
static int read_geometries(struct reader *reader)
{
	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		struct tlb_config config;

		if (ini_name_after(ini_section_name(section), "TLBGeometry")) {
			ini_section_use(section);
			if (read_geometry(reader, section, &config))
				return -1;
		}
	}
	return 0;
}

/* --- TLBs ----------------------------------------------------------------- */

static struct tlb *find_tlb(const struct memsys *memsys, const char *name)
{
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (!strcasecmp(memsys->tlbs[i]->name, name))
			return memsys->tlbs[i];
	return NULL;
}

/* The TLB that a variable names. */
static int named_tlb(struct reader *reader, const struct ini_value *value,
		     struct tlb **tlb)
{
	*tlb = find_tlb(reader->memsys, value->text);
	if (!*tlb)
		return reader_no_such(reader, value, "TLB", value->text,
				      "TLB");
	return 0;
}

static int read_low(struct reader *reader, struct tlb *tlb)
{
	static const char *const replaced[] = {
		"WalkModule", "WalkLatency", "WalkLevels", "Walkers",
		"PageTable",
	};

	for (size_t i = 0; i < ARRAY_SIZE(replaced); i++) {
		struct ini_value *walk = ini_find(tlb->section, replaced[i]);

		if (walk)
			return ini_error(walk, reader->error,
					 "cannot be given together with "
					 "LowTLB: only the last level walks "
					 "page tables");
	}
	return named_tlb(reader, tlb->text.low, &tlb->low);
}

static int read_walk(struct reader *reader, struct tlb *tlb)
{
	const struct ini_value *value = tlb->text.walk_module;
	struct ini_value *latency = ini_find(tlb->section, "LowLatency");

	if (latency)
		return ini_error(latency, reader->error,
				 "can be given only together with LowTLB");
	if (tlb->config.page_table % tlb->config.page_size)
		return ini_error(ini_find(tlb->section, "PageTable"),
				 reader->error,
				 "must be a multiple of the page size %u",
				 tlb->config.page_size);
	if (!value && !ini_find(tlb->section, "WalkLatency"))
		return ini_section_error(tlb->section, reader->error,
					 "expected LowTLB, WalkModule or "
					 "WalkLatency");
	if (!value)
		return 0;
	tlb->walk_module = reader_find_module(reader->memsys, value->text);
	if (!tlb->walk_module)
		return reader_no_such(reader, value, "Module", value->text,
				      "module");
	if (tlb->walk_module->range.kind == RANGE_INTERLEAVED ||
	    tlb->walk_module->range.low ||
	    tlb->walk_module->range.high != UINT64_MAX)
		return ini_error(value, reader->error,
				 "the AddressRange of a WalkModule must hold "
				 "all addresses");
	return 0;
}

static int read_tlb(struct reader *reader, struct tlb *tlb)
{
	struct ini_section *section = tlb->section, *geometry;
	const struct ini_value *value;

	config_defaults(text_table, ARRAY_SIZE(text_table), &tlb->text);
	if (config_read(text_table, ARRAY_SIZE(text_table), reader->ini,
			section, &tlb->text, reader->error))
		return -1;
	value = tlb->text.geometry;
	geometry = ini_section_of_kind(reader->ini, "TLBGeometry", value->text);
	if (!geometry)
		return reader_no_such(reader, value, "TLBGeometry",
				      value->text, "TLB geometry");
	if (read_geometry(reader, geometry, &tlb->config))
		return -1;
	config_defaults(tlb_table, ARRAY_SIZE(tlb_table), &tlb->config);
	if (config_read(tlb_table, ARRAY_SIZE(tlb_table), reader->ini, section,
			&tlb->config, reader->error))
		return -1;
	if (tlb->config.frequency > 0 && tlb->config.frequency < 1)
		return ini_error(ini_find(section, "Frequency"), reader->error,
				 "expected 0 or at least 1");
	return tlb->text.low ? read_low(reader, tlb) : read_walk(reader, tlb);
}

int reader_tlbs(struct reader *reader)
{
	struct memsys *memsys = reader->memsys;

	if (read_geometries(reader))
		return -1;
	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		const char *name =
			ini_name_after(ini_section_name(section), "TLB");

		if (!name)
			continue;
		ini_section_use(section);
		tlb_create(memsys, name)->section = section;
	}
	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (read_tlb(reader, memsys->tlbs[i]))
			return -1;
	return 0;
}

/* --- Entries -------------------------------------------------------------- */

/* A module has one TLB: all entries of the module use it, or none has a TLB. */
static int entry_tlb(struct reader *reader, struct ini_section *section,
		     const struct ini_value *value, struct module *module)
{
	struct tlb *tlb = NULL;
	uint64_t way;

	if (value && named_tlb(reader, value, &tlb))
		return -1;
	for (size_t i = 0; i < reader->memsys->entry_count; i++) {
		const struct memsys_entry *other = &reader->memsys->entries[i];

		if ((other->data == module || other->instruction == module) &&
		    module->tlb != tlb)
			return ini_section_error(
				section, reader->error,
				"[%s] enters module '%s', too, and has %s: all "
				"accesses to a module must use the same TLB",
				ini_section_name(other->section), module->name,
				module->tlb ? "a TLB" : "none");
	}
	if (!tlb || module->tlb == tlb)
		return 0;
	if (tlb->entry)
		return ini_error(value, reader->error,
				 "this TLB already serves module '%s'",
				 tlb->entry->name);
	way = (uint64_t)module->config.sets * module->block_size;
	if (tlb->config.parallel && module->kind == MODULE_CACHE &&
	    way > tlb->config.page_size)
		return ini_error(value, reader->error,
				 "a cache that is looked up in parallel with "
				 "the translation can have at most one page of "
				 "%u bytes per way; '%s' has %llu bytes: use "
				 "Parallel = f", tlb->config.page_size,
				 module->name, (unsigned long long)way);
	tlb->entry = module;
	module->tlb = tlb;
	return 0;
}

int reader_entry_tlbs(struct reader *reader, struct ini_section *section,
		      const struct entry_config *config,
		      const struct memsys_entry *entry)
{
	if (config->module)
		return entry_tlb(reader, section, config->tlb, entry->data);
	if (entry_tlb(reader, section, config->data_tlb, entry->data))
		return -1;
	if (entry->instruction != entry->data)
		return entry_tlb(reader, section, config->instruction_tlb,
				 entry->instruction);
	if (config->instruction_tlb)
		return ini_error(config->instruction_tlb, reader->error,
				 "data and instructions enter the same module, "
				 "which can have only one TLB");
	return 0;
}

/* --- All together --------------------------------------------------------- */

static int check_chain(struct reader *reader, struct tlb *tlb)
{
	const struct ini_value *value = tlb->text.low;
	size_t steps = 0;

	if (!tlb->low)
		return 0;
	if (tlb->low->entry)
		return ini_error(value, reader->error,
				 "'%s' serves the accesses of module '%s', and "
				 "cannot be a lower level as well",
				 tlb->low->name, tlb->low->entry->name);
	if (tlb->low->config.page_size != tlb->config.page_size)
		return ini_error(value, reader->error,
				 "the lower TLB has pages of %u bytes, this "
				 "TLB has pages of %u bytes",
				 tlb->low->config.page_size,
				 tlb->config.page_size);
	for (const struct tlb *low = tlb->low;
	     low && steps++ < reader->memsys->tlb_count; low = low->low)
		if (low == tlb)
			return ini_error(value, reader->error,
					 "TLB '%s' is also above this TLB",
					 tlb->low->name);
	tlb->low->upper_misses += tlb->config.mshr;
	return 0;
}

/* The module whose island a TLB shares: its own module, else its WalkModule,
 * else the module of a TLB above. */
static void find_home(struct memsys *memsys, struct tlb *tlb)
{
	if (tlb->entry) {
		tlb->home = tlb->entry;
		return;
	}
	tlb->home = tlb->walk_module;
	for (size_t i = 0; i < memsys->tlb_count && !tlb->home; i++)
		if (memsys->tlbs[i]->low == tlb) {
			find_home(memsys, memsys->tlbs[i]);
			tlb->home = memsys->tlbs[i]->home;
		}
}

int reader_finish_tlbs(struct reader *reader)
{
	struct memsys *memsys = reader->memsys;

	for (size_t i = 0; i < memsys->tlb_count; i++)
		if (check_chain(reader, memsys->tlbs[i]))
			return -1;
	for (size_t i = 0; i < memsys->tlb_count; i++) {
		struct tlb *tlb = memsys->tlbs[i];
		double frequency = tlb->config.frequency > 0
					   ? tlb->config.frequency
					   : memsys->config.frequency;

		if (!tlb->entry && !tlb->upper_misses)
			return ini_section_error(tlb->section, reader->error,
						 "no [ Entry ] and no TLB uses "
						 "this TLB: name it in an "
						 "Entry (TLB, DataTLB or "
						 "InstTLB) or as LowTLB");
		find_home(memsys, tlb);
		tlb->period = clock_period(frequency);
		if (tlb->entry && !(tlb->config.frequency > 0))
			tlb->period = tlb->entry->period;
		if (!tlb->period)
			tlb->period = 1;
		tlb_start(tlb);
	}
	return 0;
}

void tlb_help(FILE *stream)
{
	fputs("\n[ TLB <tlb> ]\n"
	      "      translates the accesses of processors to a module (TLB "
	      "in [ Entry ]), or\n      serves other TLBs\n", stream);
	config_help(text_table, ARRAY_SIZE(text_table), stream);
	config_help(tlb_table, ARRAY_SIZE(tlb_table), stream);
	fputs("\n[ TLBGeometry <geometry> ]\n", stream);
	config_help(geometry_table, ARRAY_SIZE(geometry_table), stream);
}
