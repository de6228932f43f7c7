/* Scripted tests of a memory hierarchy: the section [ Commands ] of its file,
 * with the commands of script.def (see sim/script.h). Cycles are cycles of the
 * Frequency of [ General ]. */
#ifndef M2S_MEMSYS_SCRIPT_SCRIPT_H
#define M2S_MEMSYS_SCRIPT_SCRIPT_H

#include "memsys/memsys.h"

bool memsys_has_script(const struct memsys *memsys);

/* Runs every command. -1 and an error "file:line: ..." for the first command
 * that fails, for an access that never ends, and for copies that contradict
 * each other after blocks have been set or at the end. Adds the number of
 * commands that checked something to *checks. To be called once, for a memory
 * system without other users. */
int memsys_script_run(struct memsys *memsys, uint64_t *checks,
		      struct error *error);

void memsys_script_help(FILE *stream);

#endif
