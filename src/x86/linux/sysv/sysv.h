/* System V IPC: what other folders need of it. */
#ifndef M2S_X86_LINUX_SYSV_SYSV_H
#define M2S_X86_LINUX_SYSV_SYSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct context;
struct linux_system;
struct namespace;
struct process;

/* How many objects there are in the first namespace; limits that were changed
 * count as one. */
size_t sysv_count(const struct linux_system *system);
/* /proc/sysvipc/NAME: false when there is no such file. */
bool sysv_print(struct context *context, const char *name, FILE *out);
/* /proc/sys/kernel/NAME, as far as it is about System V IPC: false, or -ENOENT,
 * when there is no such file. */
bool sysv_print_setting(struct context *context, const char *name, FILE *out);
int64_t sysv_write_setting(struct context *context, const char *name,
			   const char *text);
/* A process is about to lose its memory for good. */
void sysv_process_ended(struct process *process);
/* Is about to execute another program in other memory. */
void sysv_process_executes(struct process *process);
void sysv_free(struct linux_system *system);
/* Nobody is in an IPC namespace any more: its objects go. */
void sysv_space_left(struct namespace *space);
/* Undoes what semop() has been told to undo. */
void semaphores_left(struct process *process);

#endif
