/* System V IPC: the declarations for other folders. */
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

/* The number of objects in the first namespace. Changed limits count as one
 * object. */
size_t sysv_count(const struct linux_system *system);
/* Prints /proc/sysvipc/NAME. False when there is no such file. */
bool sysv_print(struct context *context, const char *name, FILE *out);
/* Print and write /proc/sys/kernel/NAME, for names of System V IPC. False, or
 * -ENOENT, for other names. */
bool sysv_print_setting(struct context *context, const char *name, FILE *out);
int64_t sysv_write_setting(struct context *context, const char *name,
			   const char *text);
/* To be called before a process loses its memory for good. */
void sysv_process_ended(struct process *process);
/* To be called before a process executes another program in new memory. */
void sysv_process_executes(struct process *process);
void sysv_free(struct linux_system *system);
/* Frees the objects of an IPC namespace. To be called when the last process has
 * left the namespace. */
void sysv_space_left(struct namespace *space);
/* Undoes the semop() operations with SEM_UNDO of a process. */
void semaphores_left(struct process *process);

#endif
