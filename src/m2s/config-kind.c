#include "m2s/config-kind.h"

#include <string.h>
#include <strings.h>

#include "base/ini.h"
#include "base/memory.h"

/* The beginnings of section names of each kind of file. [ General ] is in
 * several kinds. */
static const struct kind {
	const char *option, *describes;
	const char *sections[12];
} kinds[] = {
	{ "evg-config", "the GPU",
	  { "Device", "ALUEngine", "CFEngine", "TEXEngine", "ConstantCache",
	    "GlobalMemory", "Host", "InstructionCache", "LocalMemory",
	    "Memory" } },
	{ "mem-config", "a memory hierarchy",
	  { "Module ", "CacheGeometry ", "Entry ", "TLBGeometry ", "TLB ",
	    "DRAM ", "Commands" } },
	{ "net-config", "networks", { "Network." } },
	{ "x86-config", "the processor",
	  { "Pipeline", "Queues", "TraceCache", "BranchPredictor",
	    "FunctionalUnits" } },
	{ "ctx-config", "programs to run", { "Context " } },
};

static bool has(const struct kind *kind, const char *section)
{
	for (size_t i = 0; i < ARRAY_SIZE(kind->sections); i++)
		if (kind->sections[i] &&
		    !strncasecmp(section, kind->sections[i],
				 strlen(kind->sections[i])))
			return true;
	return false;
}

static const struct kind *kind_of(const char *section)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (has(&kinds[i], section))
			return &kinds[i];
	return NULL;
}

static int check(const char *option, const char *path, struct error *error)
{
	struct error unreadable;
	struct ini_section *other = NULL;
	const struct kind *found = NULL;
	struct ini *ini;
	int status = 0;

	if (!path)
		return 0;
	ini = ini_read(path, &unreadable);
	if (!ini) /* its reader says why */
		return 0;
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);
		const struct kind *kind = kind_of(ini_section_name(section));

		if (kind && !strcmp(kind->option, option)) {
			other = NULL;
			break;
		}
		if (kind && !other) {
			other = section;
			found = kind;
		}
	}
	if (other)
		status = ini_section_error(other, error, "this file describes "
							 "%s: give the file to "
							 "--%s, not --%s",
							 found->describes,
					   found->option, option);
	ini_free(ini);
	return status;
}

int config_kinds_check(const struct options *options, struct error *error)
{
	return check("evg-config", options->evg_config, error) ||
			       check("mem-config", options->mem_config,
				     error) ||
			       check("net-config", options->net_config,
				     error) ||
			       check("x86-config", options->x86_config,
				     error) ||
			       check("ctx-config", options->ctx_config, error)
		       ? -1
		       : 0;
}
