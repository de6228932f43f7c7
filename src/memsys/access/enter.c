/* Accesses whose address is translated enter their module: of processors, of
 * TLBs and of page walks. */
#include "base/optimize.h"

#include "memsys/access/access.h"
#include "memsys/transaction.h"

bool module_may_enter(struct module *module)
{
	return module_port_free(module) &&
	       module->throughs_waiting < module->config.write_buffer;
}

/* A store or an atomic that takes effect below. False when the write buffer is
 * full. */
static bool store_through(struct module *module, struct access *access,
			  bool *coalesced)
{
	picoseconds start = event_queue_now(module->events);

	if (module->kind == MODULE_CACHE) {
		if (access->kind == MEMSYS_NC_STORE)
			return module_combine(module, access, start, coalesced);
		if (module->writes_pending == module->config.write_buffer)
			return false;
		module->writes_pending++;
	}
	module_resolve(module, access, start, false);
	return true;
}

bool module_enter(struct module *module, struct access *access,
		  bool *coalesced)
{
	enum memsys_access_kind kind = access->kind;
	bool merged = false, taken;

	if (module->dram) {
		controller_submit(module, access, module_edge(module));
		taken = true;
	} else if (kind == MEMSYS_ATOMIC ||
		   (kind == MEMSYS_NC_STORE && !module_keeps_stores(module))) {
		taken = store_through(module, access, &merged);
	} else {
		merged = transaction_find(module, access->address &
							  module->block_mask);
		taken = module_resolve(module, access, module_edge(module),
				       true);
	}
	if (!taken)
		return module_refuse(module, kind);
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

/* Performed at main memory and nowhere before. */
static bool memory_side(enum memsys_access_kind kind)
{
	return kind >= MEMSYS_ATOMIC && kind <= MEMSYS_FLUSH;
}

struct access *access_begin(struct module *module,
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

/* Instead of an instruction: page walks are a stream of their own. */
static const uint32_t PAGE_WALK = UINT32_MAX;

bool module_access_physical(struct module *module,
			    enum memsys_access_kind kind, uint64_t address,
			    unsigned size, module_done *done, void *owner,
			    uint64_t tag)
{
	struct access *access;

	if (!module_may_enter(module))
		return module_refuse(module, kind);
	access = access_begin(module, kind, address, size, done, owner, tag);
	access->instruction = PAGE_WALK;
	if (!module_enter(module, access, NULL)) {
		access_free(module->pool, access);
		return false;
	}
	module->pool->pending++;
	return true;
}
