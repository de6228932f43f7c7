/* Processes and their threads come and go. */
#ifndef M2S_X86_LINUX_PROCESSES_PROCESS_H
#define M2S_X86_LINUX_PROCESSES_PROCESS_H

#include <stdbool.h>

struct context;
struct linux_system;
struct process;

struct process *process_create(struct linux_system *system,
			       struct process *parent);
struct context *context_create(struct process *process);
/* Frees what a context holds and marks it ended; no more. Its tracer is told
 * the status. */
void context_leave(struct context *context, int status);
/* Ends one context (exit) or the whole process (exit_group, signals); traced
 * threads may stop before they end. */
void context_exit(struct context *context, int status);
void process_exit(struct process *process, int status, int signal);
/* Ends one context of several, as by a signal. */
void context_kill(struct context *context, int signal);
/* When a thread goes on that was stopped at its end: ends it. */
bool context_goes_on_ending(struct context *context);
/* How a process that has ended did so, as wait4() tells it. */
int process_status(const struct process *process);
void process_free(struct process *process);
/* The program that made requests to the simulator is gone. */
void release_requests(struct process *process);
/* The tracer of a process that has ended, if it is not the parent, has been
 * told: now the parent is. */
void process_end_told(struct process *process);
/* It has been waited for, or nobody will. */
void process_reaped(struct process *process);
/* The id that the next process or thread will have. */
int process_next_id(struct linux_system *system);
/* Frees contexts that have ended and processes that were waited for. */
void system_sweep(struct linux_system *system);

#endif
