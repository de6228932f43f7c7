/* Guest process ids that are also the host's. */
#ifndef M2S_X86_LINUX_PROCESSES_HOST_PID_H
#define M2S_X86_LINUX_PROCESSES_HOST_PID_H

#include <stdint.h>

struct error;
struct linux_system;

/* To be called before there is a process. 0, or -1 and *error. */
int host_pids_create(struct linux_system *system, struct error *error);
void host_pids_free(struct linux_system *system);
/* Take an id for a new process, and release it. */
int host_pid_take(struct linux_system *system);
void host_pid_release(struct linux_system *system, int pid);
/* host_pids_poll(): delivers the signals that have arrived.
 * host_pids_descriptor(): a descriptor that is readable when some have. */
void host_pids_poll(struct linux_system *system);
int host_pids_descriptor(const struct linux_system *system);
/* kill() of a process of the host that is no guest. -ESRCH without host ids. */
int64_t host_pid_kill(const struct linux_system *system, int pid, int number);

#endif
