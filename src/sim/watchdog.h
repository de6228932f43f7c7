/* A watchdog of one clock domain: finds that nothing goes on in it.
 *
 * It looks twice in each time of patience, so that it costs nothing, and finds
 * a hang between one and one and a half such times after it began. */
#ifndef M2S_SIM_WATCHDOG_H
#define M2S_SIM_WATCHDOG_H

#include <stdbool.h>

#include "base/clock.h"

struct watchdog {
	picoseconds interval, next; /* between looks, and of the next one */
	picoseconds since;          /* when it first saw `progress` */
	uint64_t progress;
	unsigned looks;             /* that saw it again */
};

/* `patience` in cycles of the domain, 0: without end; `now`: its start. */
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
