/* Processes and threads by their ids. */
#ifndef M2S_X86_LINUX_PROCESSES_FIND_H
#define M2S_X86_LINUX_PROCESSES_FIND_H

struct context;
struct linux_system;
struct process;

/* The process with this id whose parent has not been told its end, or NULL. */
struct process *process_find(struct linux_system *system, int pid);
/* The thread with this id that has not ended, or NULL. */
struct context *context_find(struct linux_system *system, int tid);
/* The id of the next process or thread. */
int process_next_id(struct linux_system *system);

#endif
