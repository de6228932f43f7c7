/* The figures of the simulated cores by name, from figures.def. */
#ifndef M2S_X86_TIMING_CORE_PRESET_H
#define M2S_X86_TIMING_CORE_PRESET_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"

struct x86_core_figures {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) uint32_t field;
#include "x86/timing/core/figures.def"
#undef FIGURE
};

/* Fills in the figures of the core with this name. -1 and *error, which lists
 * the names, when there is none. */
int x86_core_figures_find(const char *name, struct x86_core_figures *figures,
			  struct error *error);

/* Replaces the figures that [ Core ] of the file gives, under their own names. -1
 * and *error when one is out of its range. */
int x86_core_figures_read(struct x86_core_figures *figures, struct ini *ini,
			  struct error *error);

/* 0, or -1 and *error when a figure is out of its range. */
int x86_core_figures_check(const struct x86_core_figures *figures,
			   struct error *error);

/* "haswell, skylake, ...": for messages. */
const char *x86_core_names(void);

/* Writes all figures as a table, each with its unit, range and source. */
void x86_core_figures_help(FILE *stream);

#endif
