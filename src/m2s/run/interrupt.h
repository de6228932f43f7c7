/* Signals sent to the simulator. The simulated program gets them; the simulator
 * itself acts on the signals that no program takes. */
#ifndef M2S_M2S_RUN_INTERRUPT_H
#define M2S_M2S_RUN_INTERRUPT_H

#include <stdbool.h>

#include "x86/linux/linux.h"

/* From now on signals wait for interrupt_handle(). */
void interrupt_install(void);

/* Handles the waiting signals. A signal that programs take is handed to them
 * when `deliver` says that they can take it now; else it goes on waiting. Of
 * the other signals, SIGUSR1 sets *show_state. Returns the signal that ends the
 * simulation, or 0. Only one thread may call it at a time. */
int interrupt_handle(struct linux_system *guest, bool deliver,
		     bool *show_state);

/* The signal that ended the simulation, or 0. */
int interrupt_signal(void);

#endif
