/* The ports of a module, and the processors that it refused. */
#include "base/optimize.h"

#include "memsys/access/access.h"

bool module_port_free(struct module *module)
{
	picoseconds edge = module_edge(module);

	return module->port_time < edge ||
	       (module->port_time == edge &&
		module->ports_used < module->config.ports);
}

picoseconds module_port(struct module *module)
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
