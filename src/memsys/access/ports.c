/* The processors that a module has refused. */
#include "base/optimize.h"

#include "memsys/access/access.h"

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
