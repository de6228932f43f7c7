/* Functional warming: accesses that take no time. Tags, states, directories and
 * prefetchers change as by an access that has ended; no event happens, nothing
 * is counted, no message is sent. */
#ifndef M2S_MEMSYS_WARM_H
#define M2S_MEMSYS_WARM_H

#include "memsys/memsys.h"

/* Whether a module and those below it can be warmed: they write back. */
bool module_can_warm(const struct module *module);
/* A load or a store of a processor, inside one block, with the instruction's
 * address or 0. False when a transaction of the block is under way in a module
 * that would have to serve it: nothing more happens. */
bool module_warm(struct module *module, enum memsys_access_kind kind,
		 uint64_t instruction, uint64_t address);

#endif
