/* What must hold of every module, whatever was done with it. */
#ifndef M2S_TESTS_MEMSYS_MODULE_CHECKS_H
#define M2S_TESTS_MEMSYS_MODULE_CHECKS_H

#include "memsys/module.h"

/* Accesses are hits or misses and blocking or not, and those of all kinds are
 * the sum of the kinds. */
void check_module_counts(const struct module *module);
/* When all accesses have ended: nothing is under way and no line in use. */
void check_module_empty(const struct module *module);

#endif
