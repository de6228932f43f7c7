/* Reporting the end of processes. */
#ifndef M2S_X86_LINUX_PROCESSES_TOLD_H
#define M2S_X86_LINUX_PROCESSES_TOLD_H

struct process;

/* The status of a process that has ended, as wait4() reports it. */
int process_status(const struct process *process);
/* To be called when a process has ended: makes its pidfds readable. */
void process_end_shown(const struct process *process);
/* To be called when the tracer of an ended process has been told and is not the
 * parent: tells the parent. */
void process_end_told(struct process *process);
/* To be called when a process has been waited for, or no process will wait for
 * it. */
void process_reaped(struct process *process);

#endif
