/* The entry of processors' accesses: ports, completion, and the counting of
 * accesses. */
#include "memsys/module.h"

#include <inttypes.h>

#include "base/log.h"
#include "memsys/tlb/tlb.h"

/* --- Ports -------------------------------------------------------------- */

/* The first clock edge at or after now; one division per cycle at most. */
static picoseconds next_edge(struct module *module)
{
	picoseconds now = event_queue_now(module->events);
	picoseconds since = now - module->clock_edge;

	if (since >= module->period) {
		since = since % module->period;
		module->clock_edge = now - since;
	}
	return since ? module->clock_edge + module->period : now;
}

bool module_port_free(struct module *module)
{
	picoseconds edge = next_edge(module);

	return module->port_time < edge ||
	       (module->port_time == edge &&
		module->ports_used < module->config.ports);
}

picoseconds module_port(struct module *module)
{
	picoseconds edge = next_edge(module);

	if (module->port_time < edge) {
		module->port_time = edge;
		module->ports_used = 1;
	} else if (module->ports_used < module->config.ports) {
		module->ports_used++;
	} else {
		module->port_time += module->period;
		module->ports_used = 1;
	}
	return module->port_time;
}

/* --- Counting ----------------------------------------------------------- */

enum access_class access_class(enum memsys_access_kind kind)
{
	switch (kind) {
	case MEMSYS_STORE:
		return CLASS_WRITE;
	case MEMSYS_NC_STORE:
		return CLASS_NC_WRITE;
	case MEMSYS_ATOMIC:
	case MEMSYS_ATOMIC_LOAD:
	case MEMSYS_ATOMIC_STORE:
		return CLASS_ATOMIC;
	default:
		return CLASS_READ;
	}
}

static void count(struct class_count *count, bool hit, bool waited)
{
	count->accesses++;
	count->hits += hit;
	count->misses += !hit;
	count->blocking += waited;
	count->non_blocking += !waited;
}

/* The name of the access that the processor asked for. */
static enum memsys_access_kind asked_for(const struct access *access)
{
	return access->kind == MEMSYS_ATOMIC ? access->operation
					     : access->kind;
}

void module_count_access(struct module *module, const struct access *access,
			 bool hit)
{
	if (access->kind == MEMSYS_PREFETCH) {
		module->count.redundant_prefetches += hit;
		return;
	}
	count(&module->count.class[CLASS_ALL], hit, access->waited);
	count(&module->count.class[access_class(asked_for(access))], hit,
	      access->waited);
	access_log(module, access, hit ? "hit" : "miss");
}

void access_log(const struct module *module, const struct access *access,
		const char *what)
{
	static const char *const kinds[] = {
		[MEMSYS_LOAD] = "load",
		[MEMSYS_STORE] = "store",
		[MEMSYS_NC_STORE] = "nc-store",
		[MEMSYS_ATOMIC] = "atomic",
		[MEMSYS_ATOMIC_LOAD] = "atomic-load",
		[MEMSYS_ATOMIC_STORE] = "atomic-store",
		[MEMSYS_UNCACHED_LOAD] = "uncached-load",
		[MEMSYS_PREFETCH] = "prefetch",
	};
	FILE *log = log_stream(module->log, LOG_MEM);

	if (log)
		fprintf(log, "%" PRIu64 " ps %s: %s 0x%" PRIx64 " %u %s\n",
			event_queue_now(module->events), module->name,
			kinds[asked_for(access)], access->address, access->size,
			what);
}

/* --- Completion --------------------------------------------------------- */

void access_complete(struct module *module, struct access *access)
{
	module_done *done = access->done;
	void *owner = access->owner;
	uint64_t tag = access->tag;

	access_log(module, access, "done");
	module->pool->pending--;
	access_free(module->pool, access);
	done(owner, tag);
}

static void complete_list(void *owner, uint64_t tag)
{
	struct access *access = owner, *next;

	(void)tag;
	for (; access; access = next) {
		next = access->next;
		access_complete(access->to, access);
	}
}

void access_complete_list_at(struct module *module, struct access *first,
			     picoseconds when)
{
	picoseconds now = event_queue_now(module->events);

	event_schedule(module->events, when > now ? when - now : 0,
		       module->source, complete_list, first, 0);
}

void access_complete_at(struct module *module, struct access *access,
			picoseconds when)
{
	access->next = NULL;
	access_complete_list_at(module, access, when);
}

/* --- Entry -------------------------------------------------------------- */

void module_count_retries(struct module *module, enum memsys_access_kind kind,
			  uint64_t count)
{
	module->count.class[CLASS_ALL].retries += count;
	module->count.class[access_class(kind)].retries += count;
}

static bool refuse(struct module *module, enum memsys_access_kind kind)
{
	if (kind != MEMSYS_PREFETCH)
		module_count_retries(module, kind, 1);
	return false;
}

/* Ports come back by themselves; TLBs and prefetchers have a state of their
 * own. */
bool module_wait(struct module *module, struct module_waiter *waiter)
{
	if (!module_port_free(module) || module->tlb || module->prefetch)
		return false;
	waiter->next = module->waiters;
	module->waiters = waiter;
	return true;
}

void module_wake_waiters(struct module *module)
{
	struct module_waiter *waiter = module->waiters, *next;

	module->waiters = NULL;
	for (; waiter; waiter = next) {
		next = waiter->next;
		waiter->changed(waiter->owner);
	}
}

bool module_may_enter(struct module *module)
{
	return module_port_free(module) &&
	       module->throughs_waiting < module->config.write_buffer;
}

bool module_enter(struct module *module, struct access *access,
		  bool *coalesced)
{
	enum memsys_access_kind kind = access->kind;
	bool merged = false, taken;

	if (module->dram) {
		controller_submit(module, access, next_edge(module));
		taken = true;
	} else if (kind == MEMSYS_ATOMIC ||
		   (kind == MEMSYS_NC_STORE && !module_keeps_stores(module))) {
		taken = module_store_through(module, access, &merged);
	} else {
		merged = transaction_find(module, access->address &
							  module->block_mask);
		taken = module_resolve(module, access, next_edge(module),
				       true);
	}
	if (!taken)
		return refuse(module, kind);
	module_changed(module);
	module_port(module);
	if (kind == MEMSYS_PREFETCH) {
		module->count.prefetch_requests++;
	} else if (merged) {
		module->count.class[CLASS_ALL].coalesced++;
		module->count.class[access_class(kind)].coalesced++;
		if (coalesced)
			*coalesced = true;
	}
	return true;
}

/* Instead of an instruction: page walks are a stream of their own. */
static const uint32_t PAGE_WALK = UINT32_MAX;

/* Performed at main memory and nowhere before. */
static bool memory_side(enum memsys_access_kind kind)
{
	return kind >= MEMSYS_ATOMIC && kind <= MEMSYS_UNCACHED_LOAD;
}

/* An access of a processor on its way to a module. */
static struct access *set_up(struct module *module,
			     enum memsys_access_kind kind, uint64_t address,
			     unsigned size, module_done *done, void *owner,
			     uint64_t tag)
{
	struct access *access = access_take(module->pool);

	access->type = MESSAGE_REQUEST;
	access->kind = memory_side(kind) ? MEMSYS_ATOMIC : kind;
	access->operation = kind;
	access->origin = ORIGIN_PROCESSOR;
	access->address = address;
	access->size = access->extent = size;
	access->from = NULL;
	access->to = module;
	access->done = done;
	access->owner = owner;
	access->tag = tag;
	return access;
}

bool module_access_by(struct module *module, enum memsys_access_kind kind,
		      uint64_t instruction, uint64_t address, unsigned size,
		      module_done *done, void *owner, uint64_t tag,
		      bool *coalesced)
{
	struct access *access;

	if (coalesced)
		*coalesced = false;
	if (!module_may_enter(module))
		return refuse(module, kind);
	access = set_up(module, kind, address, size, done, owner, tag);
	access->instruction = (uint32_t)(instruction ^ instruction >> 32);
	if (!(module->tlb ? tlb_access(module->tlb, access, coalesced)
			  : module_enter(module, access, coalesced))) {
		access_free(module->pool, access);
		return false;
	}
	module->pool->pending++;
	return true;
}

bool module_access_physical(struct module *module,
			    enum memsys_access_kind kind, uint64_t address,
			    unsigned size, module_done *done, void *owner,
			    uint64_t tag)
{
	struct access *access;

	if (!module_may_enter(module))
		return refuse(module, kind);
	access = set_up(module, kind, address, size, done, owner, tag);
	access->instruction = PAGE_WALK;
	if (!module_enter(module, access, NULL)) {
		access_free(module->pool, access);
		return false;
	}
	module->pool->pending++;
	return true;
}

bool module_access(struct module *module, enum memsys_access_kind kind,
		   uint64_t address, unsigned size, module_done *done,
		   void *owner, uint64_t tag, bool *coalesced)
{
	return module_access_by(module, kind, 0, address, size, done, owner,
				tag, coalesced);
}

unsigned module_block_size(const struct module *module)
{
	return module->block_size;
}
