/* Figures of simulated chips by the chip's name. A table has a row for each
 * figure, with a value for each base preset; other presets take over a base's
 * values but for some rows. An object is a struct of uint32_t, one for each row.
 *
 * A table is made from two files, one of rows
 *	FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge,
 *	       haswell, skylake, meaning, source)
 * and one of
 *	PRESET(name, base)
 *	SET(name, field, value, source)
 * by the macros X86_FIGURE_... below, in figures/table.def. */
#ifndef M2S_X86_TIMING_FIGURES_FIGURES_H
#define M2S_X86_TIMING_FIGURES_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"

/* The base presets, in the order of a row's values. */
#define X86_FIGURE_BASES(NAME)                                                 \
	NAME("nehalem") NAME("sandybridge") NAME("ivybridge") NAME("haswell")  \
	NAME("skylake")
enum { X86_FIGURE_BASE_COUNT = 5 };

struct x86_figure {
	uint32_t value[X86_FIGURE_BASE_COUNT];
	const char *source;
};

struct x86_figure_preset {
	const char *name, *base; /* a base preset or one further up */
};

struct x86_figure_setting {
	const char *preset;
	size_t offset;
	uint32_t value;
};

struct x86_figures {
	size_t size; /* of an object */
	/* Of the same rows: their names, units, ranges and meanings, which are
	 * variables of --x86-config, too; and their values. */
	const struct config_variable *variable;
	const struct x86_figure *row;
	size_t count;
	const struct x86_figure_preset *preset;
	size_t preset_count;
	const struct x86_figure_setting *setting;
	size_t setting_count;
};

/* Rows of the four arrays. The first two and the last two take all arguments of
 * FIGURE, PRESET and SET. */
#define X86_FIGURE_VARIABLE(object, section, field, unit, least, most, a, b,   \
			    c, d, e, meaning, source)                          \
	{ section, #field, CONFIG_U32, offsetof(object, field), "", least,     \
	  most, unit, meaning },
#define X86_FIGURE_VALUES(field, unit, least, most, a, b, c, d, e, meaning,    \
			  source)                                              \
	{ { a, b, c, d, e }, source },
#define X86_FIGURE_PRESET(name, base) { name, base },
#define X86_FIGURE_SETTING(object, name, field, value, source)                 \
	{ name, offsetof(object, field), value },

/* Fills in the figures of the preset. False when there is none of this name. */
bool x86_figures_find(const struct x86_figures *table, const char *name,
		      void *object);

/* Writes all figures: name, unit, range, the value of each preset, meaning and
 * source. */
void x86_figures_help(const struct x86_figures *table, FILE *stream);

#endif
