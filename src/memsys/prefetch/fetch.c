/* The blocks that a prefetcher expects are fetched with the ports that each cycle
 * leaves unused. */
#include "base/optimize.h"

#include "memsys/coherence.h"
#include "memsys/prefetch/prefetch.h"

static void fetch(struct module *module, const struct prefetch_proposal *proposal,
		  picoseconds start)
{
	struct access *access;

	if (prefetch_is_there(module, proposal->block)) {
		module->count.redundant_prefetches++;
		return;
	}
	if (module->mshr_used >= module->config.mshr) {
		module->count.prefetch_aborts++;
		return;
	}
	access = access_take(module->pool);
	access->type = MESSAGE_REQUEST;
	access->kind = MEMSYS_PREFETCH;
	access->origin = ORIGIN_PROCESSOR;
	access->instruction = proposal->instruction;
	access->address = proposal->block;
	access->size = access->extent = module->block_size;
	access->from = NULL;
	access->to = module;
	access->done = access_nobody_waits;
	access->owner = NULL;
	access->tag = 0;
	module->pool->pending++;
	/* What module_resolve() would come to. */
	module_fetch(module, access, proposal->block, start, false);
}

/* Ports that no access used at the clock edge `edge`, which is past. */
static uint32_t unused_ports(const struct module *module, picoseconds edge)
{
	if (module->port_time < edge)
		return module->config.ports;
	return module->port_time == edge
		       ? module->config.ports - module->ports_used
		       : 0;
}

/* In the last picosecond of a cycle. */
static void end_of_cycle(void *owner, uint64_t tag)
{
	struct module *module = owner;
	struct prefetch *prefetch = module->prefetch;
	picoseconds edge = module_cycle(module);
	uint32_t ports = unused_ports(module, edge);

	(void)tag;
	prefetch->scheduled = false;
	while (ports-- && prefetch->count) {
		struct prefetch_proposal proposal = prefetch->queue[prefetch->head];

		prefetch->head = (prefetch->head + 1) %
				 module->config.prefetcher_queue;
		prefetch->count--;
		fetch(module, &proposal, edge);
	}
	prefetch_schedule(module);
}

void prefetch_start(struct module *module)
{
	if (module->kind == MODULE_CACHE && module->config.prefetcher)
		prefetch_create(module, end_of_cycle);
}
