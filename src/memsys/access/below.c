/* Loads of caches beside a module, which use its link to the next one. The reply
 * is an access that was passed on (passing.c). */
#include "memsys/access/access.h"

void module_load_below(struct module *module, uint64_t address, unsigned size,
		       module_done *done, void *owner)
{
	struct access *access = access_begin(module, MEMSYS_LOAD, address,
					     size, done, owner, 0);
	picoseconds start = module_edge(module);
	struct access *child;

	module->pool->pending++;
	if (module->dram) {
		controller_submit(module, access, start);
		return;
	}
	if (module->kind == MODULE_MAIN_MEMORY || module_keeps_stores(module)) {
		module_resolve(module, access, start, false);
		return;
	}
	module->count.loads_below++;
	child = access_take(module->pool);
	child->type = MESSAGE_REQUEST;
	child->kind = MEMSYS_LOAD;
	child->origin = ORIGIN_PARENT;
	child->address = address;
	child->size = child->extent = size;
	child->from = module;
	child->parent = access;
	module_send_down(module, child, module_tags(module, start), false);
}
