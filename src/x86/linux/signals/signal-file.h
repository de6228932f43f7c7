/* Descriptors of signals. */
#ifndef M2S_X86_LINUX_SIGNALS_SIGNAL_FILE_H
#define M2S_X86_LINUX_SIGNALS_SIGNAL_FILE_H

struct process;

/* Keeps signalfds readable as long as a signal is pending for them. */
void signal_update_descriptors(struct process *process);

#endif
