/* Creating and ending processes and threads. */
#ifndef M2S_X86_LINUX_PROCESSES_PROCESS_H
#define M2S_X86_LINUX_PROCESSES_PROCESS_H

#include <stdbool.h>

struct context;
struct linux_system;
struct process;

struct process *process_create(struct linux_system *system,
			       struct process *parent);
struct context *context_create(struct process *process);
/* Frees the objects that a context holds, and marks the context ended. Its
 * tracer gets the status. */
void context_leave(struct context *context, int status);
/* End one context (exit) or the whole process (exit_group, signals). Traced
 * threads may stop before they end. */
void context_exit(struct context *context, int status);
void process_exit(struct process *process, int status, int signal);
/* Ends one context of several, as by a signal. */
void context_kill(struct context *context, int signal);
/* To be called when a thread that was stopped at its end continues: ends it. */
bool context_goes_on_ending(struct context *context);
/* The status of a process that has ended, as wait4() reports it. */
void process_free(struct process *process);
/* To be called when the program of a process that made requests to the
 * simulator is gone. */
void release_requests(struct process *process);
/* Frees contexts that have ended and processes that were waited for. */
void system_sweep(struct linux_system *system);

#endif
