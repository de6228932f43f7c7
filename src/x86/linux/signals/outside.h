/* Signals from outside the simulator. */
#ifndef M2S_X86_LINUX_SIGNALS_OUTSIDE_H
#define M2S_X86_LINUX_SIGNALS_OUTSIDE_H

#include <stdbool.h>

struct linux_system;

/* Whether a thread handles or waits for a signal that users and scripts
 * send. */
bool outside_can_wake(const struct linux_system *system);

#endif
