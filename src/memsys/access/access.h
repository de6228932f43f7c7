/* An access of a processor at the module where it enters: ports, counting,
 * completion. Private to src/memsys. */
#ifndef M2S_MEMSYS_ACCESS_ACCESS_H
#define M2S_MEMSYS_ACCESS_ACCESS_H

#include "base/log.h"
#include "memsys/module.h"

/* --- Ports ---------------------------------------------------------------- */

/* Takes the next free port slot and returns its time. */
static inline picoseconds module_port(struct module *module)
{
	picoseconds edge = module_edge(module);

	if (module->port_time < edge) {
		module->port_time = edge;
		module->ports_used = 1;
	} else if (module->ports_used < module->config.ports) {
		module->ports_used++;
	} else {
		module->port_time = module_after(module, module->port_time, 1);
		module->ports_used = 1;
	}
	return module->port_time;
}
/* Whether a port is free at the coming clock edge. */
static inline bool module_port_free(struct module *module)
{
	picoseconds edge = module_edge(module);

	return module->port_time < edge ||
	       (module->port_time == edge &&
		module->ports_used < module->config.ports);
}

/* --- ports.c ------------------------------------------------------------ */

/* The module's state has changed: refused processors try again. */
void module_wake_waiters(struct module *module);
static inline void module_changed(struct module *module)
{
	if (module->waiters)
		module_wake_waiters(module);
}

/* --- outcome.c ---------------------------------------------------------- */

static inline enum access_class access_class(enum memsys_access_kind kind)
{
	static const uint8_t classes[] = {
		[MEMSYS_LOAD] = CLASS_READ,
		[MEMSYS_STORE] = CLASS_WRITE,
		[MEMSYS_NC_STORE] = CLASS_NC_WRITE,
		[MEMSYS_ATOMIC] = CLASS_ATOMIC,
		[MEMSYS_ATOMIC_LOAD] = CLASS_ATOMIC,
		[MEMSYS_ATOMIC_STORE] = CLASS_ATOMIC,
		[MEMSYS_UNCACHED_LOAD] = CLASS_READ,
		[MEMSYS_PAST_STORE] = CLASS_ATOMIC,
		[MEMSYS_FLUSH] = CLASS_ATOMIC,
		[MEMSYS_PREFETCH] = CLASS_READ,
	};

	return (enum access_class)classes[kind];
}
static inline void class_count_access(struct class_count *count, bool hit,
				      bool waited)
{
	count->accesses++;
	if (hit)
		count->hits++;
	else
		count->misses++;
	if (waited)
		count->blocking++;
	else
		count->non_blocking++;
}
/* What the processor asked for. */
static inline enum memsys_access_kind
access_asked_for(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC ? access->operation : access->kind;
}
void access_log_line(const struct module *module, const struct access *access,
		     const char *what);
static inline void access_log(const struct module *module,
			      const struct access *access, const char *what)
{
	if (log_stream(module->log, LOG_MEM))
		access_log_line(module, access, what);
}
/* Counts an access as a hit or a miss. To be called once for each access, when
 * its outcome is known. */
static inline void module_count_access(struct module *module,
				       const struct access *access, bool hit)
{
	enum access_class class;

	if (access->kind == MEMSYS_PREFETCH) {
		module->count.redundant_prefetches += hit;
		return;
	}
	class = access_class(access_asked_for(access));
	class_count_access(&module->count.class[CLASS_ALL], hit,
			   access->waited);
	class_count_access(&module->count.class[class], hit, access->waited);
	access_log(module, access, hit ? "hit" : "miss");
}
/* The module_done of a prefetcher's accesses. */
void access_nobody_waits(void *owner, uint64_t tag);
/* Tells the processor, now or at `when`, that its access is done. */
void access_complete(struct module *module, struct access *access);
void access_complete_at(struct module *module, struct access *access,
			picoseconds when);
/* Completes all accesses of a list that is linked by `next`, with one event. */
void access_complete_list_at(struct module *module, struct access *first,
			     picoseconds when);
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
