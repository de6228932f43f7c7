/* What must hold of the counters of every module, whatever was done with it. */
#ifndef M2S_TESTS_MEMSYS_COUNTS_H
#define M2S_TESTS_MEMSYS_COUNTS_H

#include "memsys/module.h"

/* Accesses are hits or misses and blocking or not, and those of all kinds are
 * the sum of the kinds. */
void check_module_counts(const struct module *module);

#endif
