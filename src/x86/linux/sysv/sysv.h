/* System V IPC, as other folders see it. */
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
/* Print and write /proc/sys/kernel/NAME if it is about System V IPC. False, or
 * -ENOENT, when there is no such file. */
bool sysv_print_setting(struct context *context, const char *name, FILE *out);
int64_t sysv_write_setting(struct context *context, const char *name,
			   const char *text);
/* To be called when a process is about to lose its memory for good. */
void sysv_process_ended(struct process *process);
/* To be called when a process is about to execute another program in new
 * memory. */
void sysv_process_executes(struct process *process);
void sysv_free(struct linux_system *system);
/* To be called when no process is in an IPC namespace any more: frees its
 * objects. */
void sysv_space_left(struct namespace *space);
/* Undoes the operations of semop() with SEM_UNDO. */
void semaphores_left(struct process *process);

#endif
