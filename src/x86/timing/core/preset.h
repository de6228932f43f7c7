/* The figures of the simulated cores by name, from figures.def. */
#ifndef M2S_X86_TIMING_CORE_PRESET_H
#define M2S_X86_TIMING_CORE_PRESET_H

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"
#include "x86/timing/uops/pools.h"

/* Registers of a file that hold the program's state: 16 and two for flags. */
enum {
	X86_PLAIN_GENERAL = 18, X86_PLAIN_X87 = 16, X86_PLAIN_VECTOR = 16,
	X86_PLAIN_SPARE = 4 * 4, /* of the uops of a slot at most */
};

struct x86_core_figures {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) uint32_t field;
#include "x86/timing/core/figures.def"
#undef FIGURE
	/* In use, they replace all figures of ports. */
	struct x86_pools pools;
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
