/* Process ids that are the host's. */
#ifndef M2S_X86_LINUX_PROCESSES_HOST_PID_H
#define M2S_X86_LINUX_PROCESSES_HOST_PID_H

#include <stdint.h>

struct error;
struct linux_system;

/* Before there is a process. 0, or -1 and *error. */
int host_pids_create(struct linux_system *system, struct error *error);
void host_pids_free(struct linux_system *system);
/* An id for a process that is being made, and its end. */
int host_pid_take(struct linux_system *system);
void host_pid_release(struct linux_system *system, int pid);
/* Delivers what has come; readable when something has. */
void host_pids_poll(struct linux_system *system);
int host_pids_descriptor(const struct linux_system *system);
/* kill() of a process that is none of the guests': -ESRCH without host ids. */
int64_t host_pid_kill(const struct linux_system *system, int pid, int number);

#endif
