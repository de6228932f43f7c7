/* --max-time: a timer that also gets the simulator out of calls of the host
 * that wait. */
#ifndef M2S_M2S_DEADLINE_H
#define M2S_M2S_DEADLINE_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/* Of the timer: the one that is least likely sent to programs. */
#define DEADLINE_SIGNAL SIGRTMAX

/* From so many seconds (at least 1) after now deadline_passed() is true, and
 * host calls of this thread end with EINTR, those that begin later within a
 * moment. 0, or -1 and *error. */
int deadline_start(unsigned long seconds, struct error *error);
bool deadline_passed(void);
/* No call ends early any more. Does nothing when none was started. */
void deadline_end(void);

#endif
