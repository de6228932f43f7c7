/* --max-time: a timer that interrupts waiting host calls, too. */
#ifndef M2S_M2S_RUN_DEADLINE_H
#define M2S_M2S_RUN_DEADLINE_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

/* The timer's signal, which programs are least likely to be sent. */
#define DEADLINE_SIGNAL SIGRTMAX

/* Starts the timer. After `seconds` (at least 1), deadline_passed() is true,
 * and waiting host calls of this thread end with EINTR; calls that begin later
 * end within a moment. Returns 0, or -1 and *error. */
int deadline_start(unsigned long seconds, struct error *error);
bool deadline_passed(void);
/* Stops the timer: no further call ends early. Does nothing when no timer was
 * started. */
void deadline_end(void);

#endif
