/* The caches and the memory of the simulated cores by name, from figures.def. */
#ifndef M2S_X86_TIMING_MEMORY_HIERARCHY_H
#define M2S_X86_TIMING_MEMORY_HIERARCHY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"

struct x86_memory_figures {
#define FIGURE(field, unit, least, most, nehalem, sandybridge, ivybridge, \
	       haswell, skylake, meaning, source) uint32_t field;
#include "x86/timing/memory/figures.def"
#undef FIGURE
};

/* Fills in the figures of the core with this name. -1 and *error when there is
 * none. */
int x86_memory_figures_find(const char *name,
			    struct x86_memory_figures *figures,
			    struct error *error);

/* Replaces the figures that [ Caches ] of the file gives, under their own names.
 * -1 and *error when one is out of its range. */
int x86_memory_figures_read(struct x86_memory_figures *figures,
			    struct ini *ini, struct error *error);

/* Whether the latencies have room for the core's fastest load, of `load` cycles. -1
 * and *error, which names the figures. */
int x86_memory_figures_check(const struct x86_memory_figures *figures,
			     unsigned load, struct error *error);

/* Writes all figures as a table, each with its unit, range and source. */
void x86_memory_figures_help(FILE *stream);

/* Cycles on the wire between each of several cores and what all of them share, at
 * least, for cores to be simulated apart. */
enum { X86_MEMORY_WIRE = 6 };

/* Writes a memory configuration (doc/memory-system.md) of `cores` cores with
 * these figures and a clock of `frequency` MHz: what could be given by
 * --mem-config. `load`: cycles of the core's fastest load, which its latencies
 * contain (load_chased). `apart`: a part of the latency of what all cores share is on
 * the wire, as long as a window in which cores are simulated apart. The last
 * section is the main memory's. */
void x86_memory_write(FILE *stream, const struct x86_memory_figures *figures,
		      const char *name, unsigned frequency, unsigned load,
		      unsigned cores, bool apart);

#endif
