/* Descriptors of processes. */
#ifndef M2S_X86_LINUX_PROCESSES_PIDFD_H
#define M2S_X86_LINUX_PROCESSES_PIDFD_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct file;
struct process;

/* Makes a descriptor of the process `of`. Its number or a negative errno. */
int64_t pidfd_make(struct process *process, struct process *of, bool nonblock);
int64_t pidfd_ioctl(struct context *context, const struct file *file,
		    uint32_t request, uint64_t address);
/* Finds the process of a descriptor. 0 or a negative errno. `nonblock` may be
 * NULL. */
int64_t pidfd_process(struct context *context, uint64_t descriptor,
		      struct process **process, bool *nonblock);

#endif
