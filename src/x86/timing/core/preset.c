#include "x86/timing/core/preset.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/config.h"
#include "base/memory.h"

static const struct {
	const char *name;
	struct x86_core_figures figures;
} presets[] = {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) .field = nehalem,
	{ "nehalem", {
#include "x86/timing/core/figures.def"
	} },
#undef FIGURE
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) .field = sandybridge,
	{ "sandybridge", {
#include "x86/timing/core/figures.def"
	} },
#undef FIGURE
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) .field = ivybridge,
	{ "ivybridge", {
#include "x86/timing/core/figures.def"
	} },
#undef FIGURE
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) .field = haswell,
	{ "haswell", {
#include "x86/timing/core/figures.def"
	} },
#undef FIGURE
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) .field = skylake,
	{ "skylake", {
#include "x86/timing/core/figures.def"
	} },
#undef FIGURE
};

/* Presets that take over another's figures but for some. */
static const struct {
	const char *name, *base;
} derived[] = {
#define PRESET(name, base) { name, base },
#define SET(name, field, value, source)
#include "x86/timing/core/presets.def"
#undef PRESET
#undef SET
};

static const struct {
	const char *name;
	size_t offset;
	uint32_t value;
} settings[] = {
#define PRESET(name, base)
#define SET(name, field, value, source) \
	{ name, offsetof(struct x86_core_figures, field), value },
#include "x86/timing/core/presets.def"
#undef PRESET
#undef SET
};

static const struct {
	const char *name, *unit;
	uint32_t least, most;
	size_t offset;
	const char *meaning, *source;
} rows[] = {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) \
	{ #field, unit, least, most, \
	  offsetof(struct x86_core_figures, field), meaning, source },
#include "x86/timing/core/figures.def"
#undef FIGURE
};

/* The same as variables of --x86-config, whose defaults are the preset's. */
static const struct config_variable variables[] = {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) \
	{ "Core", #field, CONFIG_U32, \
	  offsetof(struct x86_core_figures, field), "", least, most, unit, \
	  meaning },
#include "x86/timing/core/figures.def"
#undef FIGURE
};

int x86_core_figures_read(struct x86_core_figures *figures, struct ini *ini,
			  struct error *error)
{
	return config_read(variables, ARRAY_SIZE(variables), ini, NULL, figures,
			   error);
}

const char *x86_core_names(void)
{
	return "nehalem, sandybridge, ivybridge, haswell, skylake, k10 or zen2";
}

static bool find(const char *name, struct x86_core_figures *figures)
{
	for (size_t i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name)) {
			*figures = presets[i].figures;
			return true;
		}
	for (size_t i = 0; i < ARRAY_SIZE(derived); i++) {
		if (strcmp(derived[i].name, name) ||
		    !find(derived[i].base, figures))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(settings); k++)
			if (!strcmp(settings[k].name, name))
				*(uint32_t *)((char *)figures +
					      settings[k].offset) =
					settings[k].value;
		return true;
	}
	return false;
}

int x86_core_figures_find(const char *name, struct x86_core_figures *figures,
			  struct error *error)
{
	if (find(name, figures))
		return 0;
	return error_set(error, "'%s': expected the name of a core: %s", name,
			 x86_core_names());
}

static uint32_t value(const struct x86_core_figures *figures, size_t row)
{
	return *(const uint32_t *)((const char *)figures + rows[row].offset);
}

/* A queue that serves ports has entries. */
static int check_queues(const struct x86_core_figures *figures,
			struct error *error)
{
	const struct {
		uint32_t ports, size;
	} queues[] = {
		{ figures->queue_ports_0, figures->queue_size_0 },
		{ figures->queue_ports_1, figures->queue_size_1 },
		{ figures->queue_ports_2, figures->queue_size_2 },
		{ figures->queue_ports_3, figures->queue_size_3 },
		{ figures->queue_ports_4, figures->queue_size_4 },
		{ figures->queue_ports_5, figures->queue_size_5 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		if (!queues[i].ports != !queues[i].size)
			return error_set(error, "[Core] queue_ports_%zu = %u, "
					 "queue_size_%zu = %u: expected both "
					 "or none", i, queues[i].ports, i,
					 queues[i].size);
	return 0;
}

int x86_core_figures_check(const struct x86_core_figures *figures,
			   struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (value(figures, i) < rows[i].least ||
		    value(figures, i) > rows[i].most)
			return error_set(error, "%s = %u: expected %u to %u %s",
					 rows[i].name, value(figures, i),
					 rows[i].least, rows[i].most,
					 rows[i].unit);
	if (figures->instruction_queue < figures->predecode_width)
		return error_set(error, "[Core] instruction_queue = %u: "
				 "expected at least predecode_width (%u)",
				 figures->instruction_queue,
				 figures->predecode_width);
	if (figures->decoders == 1 && !figures->fusible_last)
		return error_set(error, "[Core] decoders = 1: expected "
				 "fusible_last = 1, since an instruction that "
				 "may be fused would wait for another decoder");
	return check_queues(figures, error);
}

void x86_core_figures_help(FILE *stream)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fprintf(stream, "%s (%s, %u to %u):", rows[i].name,
			rows[i].unit, rows[i].least, rows[i].most);
		for (size_t k = 0; k < ARRAY_SIZE(presets); k++)
			fprintf(stream, " %s %u", presets[k].name,
				value(&presets[k].figures, i));
		for (size_t k = 0; k < ARRAY_SIZE(derived); k++) {
			struct x86_core_figures figures;

			find(derived[k].name, &figures);
			fprintf(stream, " %s %u", derived[k].name,
				value(&figures, i));
		}
		fprintf(stream, "\n  %s%s%s\n", rows[i].meaning,
			*rows[i].meaning ? "; " : "", rows[i].source);
	}
}
