/* An access of a processor at the module where it enters: ports, counting,
 * completion. Private to src/memsys. */
#ifndef M2S_MEMSYS_ACCESS_ACCESS_H
#define M2S_MEMSYS_ACCESS_ACCESS_H

#include "memsys/module.h"

/* --- ports.c ------------------------------------------------------------ */

/* Takes the next free port slot and returns its time. */
picoseconds module_port(struct module *module);
/* Whether a port is free at the coming clock edge. */
bool module_port_free(struct module *module);
/* The module's state has changed: refused processors try again. */
void module_wake_waiters(struct module *module);
static inline void module_changed(struct module *module)
{
	if (module->waiters)
		module_wake_waiters(module);
}

/* --- outcome.c ---------------------------------------------------------- */

enum access_class access_class(enum memsys_access_kind kind);
static inline void class_count_access(struct class_count *count, bool hit,
				      bool waited)
{
	count->accesses++;
	count->hits += hit;
	count->misses += !hit;
	count->blocking += waited;
	count->non_blocking += !waited;
}
/* Counts an access as a hit or a miss. To be called once for each access, when
 * its outcome is known. */
void module_count_access(struct module *module, const struct access *access,
			 bool hit);
/* The module_done of a prefetcher's accesses. */
void access_nobody_waits(void *owner, uint64_t tag);
/* Tells the processor, now or at `when`, that its access is done. */
void access_complete(struct module *module, struct access *access);
void access_complete_at(struct module *module, struct access *access,
			picoseconds when);
/* Completes all accesses of a list that is linked by `next`, with one event. */
void access_complete_list_at(struct module *module, struct access *first,
			     picoseconds when);
void access_log(const struct module *module, const struct access *access,
		const char *what);
/* Counts a try for which the module had no room. Returns false. */
bool module_refuse(struct module *module, enum memsys_access_kind kind);

/* --- enter.c ------------------------------------------------------------ */

/* An access of a processor on its way to a module. */
struct access *access_begin(struct module *module,
			    enum memsys_access_kind kind, uint64_t address,
			    unsigned size, module_done *done, void *owner,
			    uint64_t tag);
/* module_may_enter(): whether an access of a processor can be tried now.
 * module_enter(): tries an access that has been set up. False when no MSHR or
 * write-buffer entry is free: nothing has happened. */
bool module_may_enter(struct module *module);
bool module_enter(struct module *module, struct access *access,
		  bool *coalesced);
/* An access of a page walk. A TLB makes it, and it passes no TLB itself. */
bool module_access_physical(struct module *module,
			    enum memsys_access_kind kind, uint64_t address,
			    unsigned size, module_done *done, void *owner,
			    uint64_t tag);

#endif
