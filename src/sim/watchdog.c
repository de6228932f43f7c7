#include "sim/watchdog.h"

enum { LOOKS = 2 }; /* in a time of patience */

void watchdog_start(struct watchdog *watchdog, picoseconds period,
		    uint64_t patience, picoseconds now)
{
	*watchdog = (struct watchdog){
		.interval = (patience + LOOKS - 1) / LOOKS * period,
		.next = now,
		.since = now,
	};
	if (!patience)
		watchdog->next = UINT64_MAX;
}

bool watchdog_look(struct watchdog *watchdog, picoseconds now, bool busy,
		   uint64_t progress)
{
	watchdog->next = now + watchdog->interval;
	if (busy && watchdog->progress == progress && watchdog->looks) {
		watchdog->looks++;
		return watchdog->looks > LOOKS;
	}
	watchdog->progress = progress;
	watchdog->since = now;
	watchdog->looks = busy;
	return false;
}
