/* Accesses of a main memory with DRAM devices: to the devices first, then to the
 * directory. */
#include "base/optimize.h"

#include "memsys/module.h"
#include "sim/queue.h"

static void access_served(void *owner, uint64_t tag)
{
	struct access *access = owner;
	struct module *module = access->to;
	picoseconds now = event_queue_now(module->events);

	(void)tag;
	controller_served(module, access);
	module_resolve(module, access, now, false);
}

static void submit_at_port(void *owner, uint64_t tag)
{
	struct access *access = owner;

	(void)tag;
	access->to->submits_waiting--;
	controller_serve(access->to, access, access_served);
}

void controller_submit(struct module *module, struct access *access,
		       picoseconds start)
{
	picoseconds now = event_queue_now(module->events);

	access->to = module;
	/* In order, also at the very time when one that waited has its turn. */
	if (start > now || module->submits_waiting) {
		module->submits_waiting++;
		event_put_after(module->events, start > now ? start - now : 0,
			       module->source, submit_at_port, access, 0);
	} else {
		controller_serve(module, access, access_served);
	}
}
