/* Signals that the simulator is sent: they are the simulated program's, and
 * when it does not take them, the simulator's. */
#ifndef M2S_M2S_INTERRUPT_H
#define M2S_M2S_INTERRUPT_H

#include <stdbool.h>

#include "x86/linux/linux.h"

/* From here on signals wait until interrupt_handle() is asked. */
void interrupt_install(void);

/* Hands the signals that wait to the programs (`deliver`: they can take them
 * now; else those stay), or does what the simulator does with signals that no
 * program takes; SIGUSR1 sets *show_state. The signal that ends the simulation,
 * or 0. Called by one thread at a time. */
int interrupt_handle(struct linux_system *guest, bool deliver,
		     bool *show_state);

/* The signal that ended the simulation, or 0. */
int interrupt_signal(void);

#endif
