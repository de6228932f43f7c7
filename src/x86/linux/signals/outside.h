/* Signals from outside the simulator. */
#ifndef M2S_X86_LINUX_SIGNALS_OUTSIDE_H
#define M2S_X86_LINUX_SIGNALS_OUTSIDE_H

#include <stdbool.h>

struct linux_system;

/* Whether a signal from outside, one that people and scripts send, would be
 * handled or is waited for. */
bool outside_can_wake(const struct linux_system *system);

#endif
