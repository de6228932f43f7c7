/* Scheduling policies. */
#ifndef M2S_X86_LINUX_PROCESSES_SCHEDULING_H
#define M2S_X86_LINUX_PROCESSES_SCHEDULING_H

struct context;

/* Gives a new thread the scheduling policy of its creator. */
void scheduling_fork(struct context *child, const struct context *parent);

#endif
