/* Accesses of processors, which pass a TLB where there is one. */
#include "base/optimize.h"

#include "memsys/access/access.h"
#include "memsys/tlb/tlb.h"

/* False: the access that was set up goes back. */
static bool enter(struct module *module, struct access *access,
		  uint64_t instruction, bool *coalesced)
{
	access->instruction = (uint32_t)(instruction ^ instruction >> 32);
	if (!(module->tlb ? tlb_access(module->tlb, access, coalesced)
			  : module_enter(module, access, coalesced))) {
		access_free(module->pool, access);
		return false;
	}
	module->pool->pending++;
	return true;
}

bool module_access_by(struct module *module, enum memsys_access_kind kind,
		      uint64_t instruction, uint64_t address, unsigned size,
		      module_done *done, void *owner, uint64_t tag,
		      bool *coalesced)
{
	if (coalesced)
		*coalesced = false;
	if (!module_may_enter(module))
		return module_refuse(module, kind);
	return enter(module,
		     access_begin(module, kind, address, size, done, owner,
				  tag),
		     instruction, coalesced);
}

bool module_store_by(struct module *module, uint64_t instruction,
		     uint64_t address, unsigned size, unsigned elements,
		     module_done *done, void *owner)
{
	struct access *access;

	if (!module_may_enter(module))
		return module_refuse(module, MEMSYS_NC_STORE);
	access = access_begin(module, MEMSYS_NC_STORE, address, size, done,
			      owner, 0);
	access->elements = elements;
	return enter(module, access, instruction, NULL);
}

bool module_access(struct module *module, enum memsys_access_kind kind,
		   uint64_t address, unsigned size, module_done *done,
		   void *owner, uint64_t tag, bool *coalesced)
{
	return module_access_by(module, kind, 0, address, size, done, owner,
				tag, coalesced);
}

unsigned module_distance(const struct module *module, uint64_t address)
{
	unsigned distance = 0;

	while (module->kind == MODULE_CACHE &&
	       cache_find(module->cache, address & module->block_mask) < 0) {
		module = module_low(module, address);
		distance++;
	}
	return distance;
}

struct module *module_only_cache_below(const struct module *module)
{
	return module->kind == MODULE_CACHE && module->low_count == 1 &&
			       module->low[0]->kind == MODULE_CACHE
		       ? module->low[0] : NULL;
}

unsigned module_memory_distance(const struct module *module, uint64_t address)
{
	unsigned distance = 0;

	for (; module->kind == MODULE_CACHE; distance++)
		module = module_low(module, address);
	return distance;
}

picoseconds module_hit_time(const struct module *module)
{
	return module_data(module, 0);
}

bool module_is_translated(const struct module *module)
{
	return module->tlb;
}

picoseconds module_period(const struct module *module)
{
	return module->period;
}

unsigned module_block_size(const struct module *module)
{
	return module->block_size;
}
