/* Multi2Sim's variables of a detailed core: classic.def. */
#ifndef M2S_X86_CLASSIC_H
#define M2S_X86_CLASSIC_H

#include <stdio.h>

#include "base/error.h"
#include "base/ini.h"
#include "x86/timing/core/preset.h"
#include "x86/timing/memory/hierarchy.h"

/* Replaces figures of a core and of its caches by what the file says under Multi2Sim's
 * names. *core are the preset's figures, changed by [ Core ]; *preset the preset's
 * alone. With the section [ FunctionalUnits ] pools replace the ports. -1 and *error for what
 * the model cannot do, and where [ Core ] and a classic name say different
 * things. */
int x86_classic_read(struct x86_core_figures *core,
		     struct x86_memory_figures *caches,
		     const struct x86_core_figures *preset, struct ini *ini,
		     struct error *error);
/* Writes the variables with units and ranges. */
void x86_classic_help(FILE *stream);

#endif
