/* The watchdog of the memory system's clock. */
#include "memsys/ahead.h"
#include "memsys/module.h"

#include <inttypes.h>

static picoseconds general_period(const struct memsys *memsys)
{
	picoseconds period = clock_period(memsys->config.frequency);

	return period ? period : 1;
}

void memsys_watchdog_start(struct memsys *memsys)
{
	watchdog_start(&memsys->watchdog, general_period(memsys),
		       memsys->config.watchdog,
		       event_queue_now(memsys->events));
}

/* Grows with whatever a module does. */
static uint64_t progress(const struct memsys *memsys)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		for (int class = 0; class < CLASS_COUNT; class++)
			sum += module->count.class[class].accesses;
		if (module->dram)
			sum += dram_count(module->dram)->reads +
			       dram_count(module->dram)->writes;
	}
	return sum;
}

static int watch_networks(const struct network_set *set, picoseconds now,
			  struct error *error)
{
	for (size_t i = 0; i < set->count; i++)
		if (network_watch(set->networks[i], now, error))
			return -1;
	return 0;
}

uint64_t memsys_pending(const struct memsys *memsys)
{
	uint64_t pending = 0;

	for (size_t i = 0; i < memsys->pool_count; i++)
		pending += memsys->pools[i]->pending;
	return pending;
}

int memsys_watch(struct memsys *memsys, picoseconds now, struct error *error)
{
	struct watchdog *watchdog = &memsys->watchdog;
	picoseconds period = general_period(memsys);

	if (now >= memsys_watch_next(memsys))
		memsys_settle(memsys);
	if (watch_networks(&memsys->internal, now, error) ||
	    watch_networks(&memsys->external, now, error)) {
		memsys->hangs = true;
		return -1;
	}
	if (!watchdog_due(watchdog, now) ||
	    !watchdog_look(watchdog, now, memsys_pending(memsys),
			   progress(memsys)))
		return 0;
	memsys->hangs = true;
	return error_set(error, "memory system: %" PRIu64 " accesses are under "
				"way, and no module answered one from cycle %"
				PRIu64 " to cycle %" PRIu64 " of [ General ]; "
				"expected at least one within its "
				"WatchdogCycles = %" PRIu32 ": raise "
				"WatchdogCycles if the memory is this slow",
			 memsys_pending(memsys), watchdog->since / period,
			 now / period, memsys->config.watchdog);
}

static picoseconds networks_next(const struct network_set *set,
				 picoseconds next)
{
	for (size_t i = 0; i < set->count; i++) {
		picoseconds other = network_watch_next(set->networks[i]);

		if (other < next)
			next = other;
	}
	return next;
}

picoseconds memsys_watch_next(const struct memsys *memsys)
{
	return networks_next(&memsys->internal,
			     networks_next(&memsys->external,
					   memsys->watchdog.next));
}

bool memsys_hangs(const struct memsys *memsys)
{
	return memsys->hangs;
}
