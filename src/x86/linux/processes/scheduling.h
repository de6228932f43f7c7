/* Scheduling policies. */
#ifndef M2S_X86_LINUX_PROCESSES_SCHEDULING_H
#define M2S_X86_LINUX_PROCESSES_SCHEDULING_H

struct context;

/* What a new thread takes over from the one that makes it. */
void scheduling_fork(struct context *child, const struct context *parent);

#endif
