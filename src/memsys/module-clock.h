/* Cycles of a module's clock as times. Private to src/memsys. */
#ifndef M2S_MEMSYS_MODULE_CLOCK_H
#define M2S_MEMSYS_MODULE_CLOCK_H

#include "memsys/module.h"

/* The time `cycles` cycles of the module's clock after `from`. */
static inline picoseconds module_after(const struct module *module,
				       picoseconds from, uint32_t cycles)
{
	return module->rate.megahertz
		       ? clock_rate_after(&module->rate, from, cycles)
		       : from + cycles * module->period;
}

/* When data leave the arrays, and when the tags have been looked up. */
static inline picoseconds module_data(const struct module *module,
				      picoseconds from)
{
	return module_after(module, from, module->config.latency);
}

static inline picoseconds module_tags(const struct module *module,
				      picoseconds from)
{
	return module_after(module, from, module->config.directory_latency);
}

/* The first clock edge at or after now; one division per cycle at most. */
static inline picoseconds module_edge(struct module *module)
{
	picoseconds now = event_queue_now(module->events);
	picoseconds since = now - module->clock_edge;

	if (module->rate.megahertz) {
		/* Several ask at the same time. */
		if (now != module->edge_asked) {
			module->edge_asked = now;
			module->clock_edge = clock_rate_start(
				&module->rate,
				clock_rate_at(&module->rate, now));
		}
		return module->clock_edge;
	}
	if (since >= module->period) {
		since = since % module->period;
		module->clock_edge = now - since;
	}
	return since ? module->clock_edge + module->period : now;
}

/* The beginning of the present cycle. */
static inline picoseconds module_cycle(const struct module *module)
{
	picoseconds now = event_queue_now(module->events);

	return module->rate.megahertz
		       ? clock_rate_cycle_of(&module->rate, now)
		       : now - now % module->period;
}

#endif
