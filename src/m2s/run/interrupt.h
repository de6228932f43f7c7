/* Signals that are sent to the simulator. They go to the simulated program; the
 * simulator itself acts on those that no program takes. */
#ifndef M2S_M2S_RUN_INTERRUPT_H
#define M2S_M2S_RUN_INTERRUPT_H

#include <stdbool.h>

#include "x86/linux/linux.h"

/* From now on signals wait for interrupt_handle(). */
void interrupt_install(void);

/* Handles the signals that wait. Signals that programs take are handed to them
 * if `deliver` says that programs can take them now; otherwise these go on
 * waiting. Of the other signals, SIGUSR1 sets *show_state. Returns the signal
 * that ends the simulation, or 0. Called by one thread at a time. */
int interrupt_handle(struct linux_system *guest, bool deliver,
		     bool *show_state);

/* The signal that ended the simulation, or 0. */
int interrupt_signal(void);

#endif
