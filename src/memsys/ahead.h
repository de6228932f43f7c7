/* Modules that need fewer events. Private to src/memsys. */
#ifndef M2S_MEMSYS_AHEAD_H
#define M2S_MEMSYS_AHEAD_H

#include "memsys/module.h"

/* memsys_start_ahead(): to be called when all modules and nodes have their places.
 * memsys_settle(): the figures of devices and networks are those of the time
 * until which events have been run; to be called between windows. */
void memsys_start_ahead(struct memsys *memsys);
void memsys_settle(const struct memsys *memsys);

#endif
