/* A watchdog of one clock domain: it finds a lack of progress.
 *
 * It looks twice in each time of patience, which costs no measurable time, and
 * finds a hang one to one and a half times of patience after the hang began. */
#ifndef M2S_SIM_WATCHDOG_H
#define M2S_SIM_WATCHDOG_H

#include <stdbool.h>

#include "base/clock.h"

struct watchdog {
	picoseconds interval, next; /* between looks, and of the next one */
	picoseconds since;          /* when it first saw `progress` */
	uint64_t progress;
	unsigned looks;             /* looks that found the count unchanged */
};

/* `patience` is in cycles of the domain, 0 for no limit. `now` is the start. */
void watchdog_start(struct watchdog *watchdog, picoseconds period,
		    uint64_t patience, picoseconds now);

/* The time of the next look has come. */
static inline bool watchdog_due(const struct watchdog *watchdog,
				picoseconds now)
{
	return now >= watchdog->next;
}

/* Looks: true when something is under way (`busy`) and `progress`, a count of
 * what was done, has been the same for the time of patience. */
bool watchdog_look(struct watchdog *watchdog, picoseconds now, bool busy,
		   uint64_t progress);

#endif
