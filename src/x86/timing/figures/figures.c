#include "x86/timing/figures/figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const bases[] = {
#define NAME(name) name,
	X86_FIGURE_BASES(NAME)
#undef NAME
};
_Static_assert(ARRAY_SIZE(bases) == X86_FIGURE_BASE_COUNT,
	       "a row has a value for each base preset");

static uint32_t *field(const struct x86_figures *table, size_t row,
		       void *object)
{
	return (uint32_t *)((char *)object + table->variable[row].offset);
}

bool x86_figures_find(const struct x86_figures *table, const char *name,
		      void *object)
{
	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		if (strcmp(bases[i], name))
			continue;
		for (size_t k = 0; k < table->count; k++)
			*field(table, k, object) = table->row[k].value[i];
		return true;
	}
	for (size_t i = 0; i < table->preset_count; i++) {
		if (strcmp(table->preset[i].name, name))
			continue;
		x86_figures_find(table, table->preset[i].base, object);
		for (size_t k = 0; k < table->setting_count; k++)
			if (!strcmp(table->setting[k].preset, name))
				*(uint32_t *)((char *)object +
					      table->setting[k].offset) =
					table->setting[k].value;
		return true;
	}
	return false;
}

static void print_value(const struct x86_figures *table, const char *name,
			size_t row, void *object, FILE *stream)
{
	x86_figures_find(table, name, object);
	fprintf(stream, " %s %u", name, *field(table, row, object));
}

void x86_figures_help(const struct x86_figures *table, FILE *stream)
{
	void *object = xmalloc(table->size);

	for (size_t i = 0; i < table->count; i++) {
		const struct config_variable *row = &table->variable[i];

		fprintf(stream, "%s (%s, %.0f to %.0f):", row->name, row->unit,
			row->minimum, row->maximum);
		for (size_t k = 0; k < ARRAY_SIZE(bases); k++)
			print_value(table, bases[k], i, object, stream);
		for (size_t k = 0; k < table->preset_count; k++)
			print_value(table, table->preset[k].name, i, object,
				    stream);
		fprintf(stream, "\n  %s%s%s\n", row->doc, *row->doc ? "; " : "",
			table->row[i].source);
	}
	free(object);
}
