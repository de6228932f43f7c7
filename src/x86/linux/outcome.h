/* Ending a run with an error. */
#ifndef M2S_X86_LINUX_OUTCOME_H
#define M2S_X86_LINUX_OUTCOME_H

#include "x86/linux/linux.h"

/* Ends the simulation with the message in *system->error. */
void system_fail(struct linux_system *system, enum linux_end end);

#endif
