/* Pending signals of a thread and its process. */
#ifndef M2S_X86_LINUX_SIGNALS_PENDING_H
#define M2S_X86_LINUX_SIGNALS_PENDING_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct process;
struct signal_information;

/* Keeps signalfds readable as long as a signal is pending for them. */
void signal_update_descriptors(struct process *process);
/* Takes a pending signal of a set. False when there is none. */
bool signal_take(struct context *context, uint64_t set,
		 struct signal_information *information);

#endif
