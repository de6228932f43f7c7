/* Scripted tests of a memory hierarchy: [ Commands ] of its file, with the
 * commands of script.def; see sim/script.h. Cycles are those of [ General ]
 * Frequency. */
#ifndef M2S_MEMSYS_SCRIPT_SCRIPT_H
#define M2S_MEMSYS_SCRIPT_SCRIPT_H

#include "memsys/memsys.h"

bool memsys_has_script(const struct memsys *memsys);

/* Runs every command; -1 and "file:line: ..." for the first that fails, for an
 * access that never ends, and for copies that contradict each other when the
 * blocks have been set or all is done. Counts the commands that checked
 * something in *checks. Once only, in a memory system that nobody else uses. */
int memsys_script_run(struct memsys *memsys, uint64_t *checks,
		      struct error *error);

void memsys_script_help(FILE *stream);

#endif
